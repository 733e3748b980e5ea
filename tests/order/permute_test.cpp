// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/order/permute.hpp>
#include <tuple>

#include "order/samples.hpp"

using namespace atl;
using namespace atl::samples;

namespace {

std::vector<Local> shuffled(std::size_t n, std::uint64_t seed) {
  std::vector<Local> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::shuffle(numbers.begin(), numbers.end(), Random(seed));
  return numbers;
}

using Triple = std::tuple<Local, Local, float>;
std::vector<Triple> triples(const SparseMatrix<float>& a) {
  std::vector<Triple> all;
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i)
    for (auto e = static_cast<std::size_t>(a.offsets[i]); e < static_cast<std::size_t>(a.offsets[i + 1]); ++e)
      all.emplace_back(static_cast<Local>(i), a.column_indices[e], a.values.empty() ? 1 : a.values[e]);
  return all;
}

}  // namespace

TEST_CASE("a permuted matrix has each nonzero at its new place, columns ascending, duplicates in their order") {
  for (const int threads : {1, 2, 3}) {
    Team team(threads);
    Pairs pairs = random_pairs(2500, 9000, 4);
    for (auto& [i, j] : pairs) j = j % 700;
    const SparseMatrix<float> a = matrix_of(2500, pairs, 700);
    const std::vector<Local> rows = shuffled(2500, 1), columns = shuffled(700, 2);
    std::vector<Triple> expected = triples(a);
    for (auto& [i, j, value] : expected)
      i = rows[static_cast<std::size_t>(i)], j = columns[static_cast<std::size_t>(j)];
    std::stable_sort(expected.begin(), expected.end(), [](const Triple& x, const Triple& y) {
      return std::pair(std::get<0>(x), std::get<1>(x)) < std::pair(std::get<0>(y), std::get<1>(y));
    });
    const SparseMatrix<float> b = permuted(team, a.view(), rows, columns);
    CHECK(triples(b) == expected);
    CHECK(b.columns == 700);
    const SparseMatrix<float> ones = permuted(team, SparseView<float>{a.pattern()}, rows, columns);
    CHECK(ones.values.empty());
    CHECK(std::ranges::equal(ones.column_indices, b.column_indices));
  }
}

TEST_CASE("the inverse of a permutation undoes it, and what is none is refused by its first wrong row") {
  for (const int threads : {1, 2, 3}) {
    Team team(threads);
    const std::vector<Local> numbers = shuffled(100'000, 9);
    const Array<Local> old = inverse(team, numbers);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      wrong += old[static_cast<std::size_t>(numbers[i])] != static_cast<Local>(i);
    CHECK(wrong == 0);
    CHECK(inverse(team, {}).empty());
  }
  Team team(1);
  const auto refused = [&](std::vector<Local> numbers, const char* said) {
    CHECK_THROWS_WITH_AS(inverse(team, numbers), doctest::Contains(said), InputError);
  };
  refused({0, 1, 1}, "the new number of row 2 is 1");
  refused({0, 3, 1}, "the new number of row 1 is 3");
  refused({-1, 0}, "the new number of row 0 is -1");
}

TEST_CASE("rows of a dense matrix go to their new positions, and back") {
  for (const int threads : {1, 2, 3}) {
    Team team(threads);
    const std::vector<Local> numbers = shuffled(3000, 3);
    Matrix<double> from(3000, 3), to(3000, 3), back(3000, 3);
    for (std::int64_t i = 0; i < 3000; ++i)
      for (std::int64_t j = 0; j < 3; ++j) from(i, j) = static_cast<double>(10 * i + j);
    permute_rows<double>(team, from.view(), numbers, to.view());
    permute_rows_back<double>(team, to.view(), numbers, back.view());
    std::size_t wrong = 0;
    for (std::int64_t i = 0; i < 3000; ++i)
      for (std::int64_t j = 0; j < 3; ++j)
        wrong += to(numbers[static_cast<std::size_t>(i)], j) != from(i, j) || back(i, j) != from(i, j);
    CHECK(wrong == 0);
  }
}

TEST_CASE("sizes that do not fit are refused") {
  Team team(1);
  const SparseMatrix<float> a = matrix_of(3, {{0, 1}});
  const std::vector<Local> three{0, 1, 2}, two{0, 1};
  CHECK_THROWS_WITH_AS(permuted(team, a.view(), two, three), doctest::Contains("2 new numbers are given for 3 rows"),
                       InputError);
  CHECK_THROWS_WITH_AS(permuted(team, a.view(), three, two), doctest::Contains("2 new numbers are given for 3 columns"),
                       InputError);
  Matrix<float> from(3, 2), to(3, 1);
  CHECK_THROWS_WITH_AS(permute_rows<float>(team, from.view(), three, to.view()), doctest::Contains("3 x 2"),
                       InputError);
}
