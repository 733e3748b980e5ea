// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/random.hpp>
#include <atoll/matrix/sparse/sparse_matrix.hpp>
#include <limits>
#include <map>
#include <vector>

using namespace atl;

namespace {

template <class T>
Array<T> array_of(const std::vector<T>& from) {
  Array<T> out(from.size());
  std::ranges::copy(from, out.begin());
  return out;
}

SparseMatrix<double> matrix(std::int64_t rows, std::int64_t columns, const std::vector<Edge>& offsets,
                            const std::vector<Local>& column_indices, const std::vector<double>& values = {}) {
  return {rows, columns, array_of(offsets), array_of(column_indices), array_of(values)};
}

}  // namespace

TEST_CASE("a transpose has each nonzero once, in ascending columns, by any number of threads") {
  Random random(4);
  std::vector<Edge> offsets{0};
  std::vector<Local> column_indices;
  std::vector<double> values;
  for (int i = 0; i < 60; ++i) {
    for (std::uint64_t e = random.below(9); e > 0; --e) {
      column_indices.push_back(static_cast<Local>(random.below(23)));
      values.push_back(random.unit());
    }
    offsets.push_back(static_cast<Edge>(column_indices.size()));
  }
  const SparseMatrix<double> a = matrix(60, 23, offsets, column_indices, values);
  for (const int threads : {1, 2, 5}) {
    Team team(threads);
    Array<Edge> from;
    const SparseMatrix<double> t = transpose(team, a.view(), &from);
    check_sparse(t.view(), "the transpose");
    CHECK(t.rows == 23);
    CHECK(t.columns == 60);
    std::vector<bool> seen(column_indices.size());
    for (std::size_t j = 0; j < 23; ++j)
      for (auto e = static_cast<std::size_t>(t.offsets[j]); e < static_cast<std::size_t>(t.offsets[j + 1]); ++e) {
        const auto source = static_cast<std::size_t>(from[e]);
        CHECK(!seen[source]);
        seen[source] = true;
        CHECK(column_indices[source] == static_cast<Local>(j));
        CHECK(t.values[e] == values[source]);
        CHECK(offsets[static_cast<std::size_t>(t.column_indices[e])] <= from[e]);
        CHECK(offsets[static_cast<std::size_t>(t.column_indices[e]) + 1] > from[e]);
        if (e > static_cast<std::size_t>(t.offsets[j])) CHECK(t.column_indices[e - 1] <= t.column_indices[e]);
      }
    CHECK(std::ranges::all_of(seen, [](bool b) { return b; }));
  }
}

TEST_CASE("wrong arrays are refused, with what is wrong") {
  check_sparse(matrix(2, 3, {0, 1, 3}, {2, 0, 1}, {1, 2, 3}).view(), "A");
  CHECK_THROWS_WITH_AS(check_sparse(matrix(3, 3, {0, 1, 3}, {2, 0, 1}).view(), "A"),
                       "A: 3 row offsets for 3 rows (there must be one more than rows). Pass CSR arrays.", InputError);
  CHECK_THROWS_WITH_AS(
      check_sparse(matrix(2, 3, {0, 1, 4}, {2, 0, 1}).view(), "A"),
      "A: row offsets go from 0 to 4, with 3 column numbers (they must go from 0 to that number). Pass "
      "CSR arrays.",
      InputError);
  CHECK_THROWS_WITH_AS(check_sparse(matrix(3, 3, {0, 2, 1, 3}, {2, 0, 1}).view(), "A"),
                       "A: the offset of row 2 is 1, after 2 (offsets never fall). Pass CSR arrays.", InputError);
  CHECK_THROWS_WITH_AS(check_sparse(matrix(2, 3, {0, 1, 3}, {2, 3, 1}).view(), "A"),
                       "A: nonzero 1 is in column 3 (the matrix has 3 columns). Correct the column numbers.",
                       InputError);
  CHECK_THROWS_AS(check_sparse(matrix(2, 3, {0, 1, 3}, {2, -1, 1}).view(), "A"), InputError);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH_AS(check_sparse(matrix(2, 3, {0, 1, 3}, {2, 0, 1}, {1, nan, 3}).view(), "A"),
                       "A: nonzero 1 (column 0) is not a number. Remove or replace it.", InputError);
}
