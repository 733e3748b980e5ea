// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>

#include "order/samples.hpp"

using namespace atl;
using namespace atl::samples;

namespace {

struct Sample {
  const char* name;
  SparseMatrix<float> a;
};

std::vector<Sample> patterns() {
  std::vector<Sample> all;
  all.push_back({"no row", matrix_of(0, {})});
  all.push_back({"one row", matrix_of(1, {})});
  all.push_back({"one row with itself", matrix_of(1, {{0, 0}, {0, 0}})});
  all.push_back({"no nonzero", matrix_of(70, {})});
  all.push_back({"loops alone", matrix_of(3, {{0, 0}, {1, 1}, {2, 2}})});
  all.push_back({"one arc", matrix_of(5, {{3, 1}})});
  all.push_back({"grid", matrix_of(99, shuffled_grid(9, 11, 5))});
  Pairs star;
  for (Local v = 1; v < 1500; ++v) star.emplace_back(0, v);
  all.push_back({"star", matrix_of(1500, both_ways(star))});
  all.push_back({"star of arcs", matrix_of(1500, star)});
  for (const std::uint64_t seed : {1, 2, 3}) {
    all.push_back({"directed", matrix_of(300, random_pairs(300, 900, seed))});
    all.push_back({"undirected", matrix_of(3000, both_ways(random_pairs(3000, 20000, seed)))});
  }
  return all;
}

}  // namespace

TEST_CASE("every method permutes the rows of every pattern, with any number of threads") {
  for (const Sample& sample : patterns())
    for (const std::string& name : ordering_names())
      for (const int threads : {1, 2, 3}) {
        CAPTURE(sample.name);
        CAPTURE(name);
        CAPTURE(threads);
        CHECK(is_permutation(numbers_of(sample.a, ordering_named(name), threads), sample.a.rows));
      }
}

TEST_CASE("all but rabbit give the same numbers with any number of threads, and rabbit with one") {
  for (const Sample& sample : patterns())
    for (const std::string& name : ordering_names()) {
      CAPTURE(sample.name);
      CAPTURE(name);
      const Ordering method = ordering_named(name);
      const auto one = numbers_of(sample.a, method);
      CHECK(numbers_of(sample.a, method) == one);
      if (method == Ordering::rabbit) continue;
      CHECK(numbers_of(sample.a, method, 2) == one);
      CHECK(numbers_of(sample.a, method, 3) == one);
    }
}

TEST_CASE("identity changes nothing, random most, each seed otherwise") {
  const SparseMatrix<float> a = matrix_of(5000, {});
  std::vector<Local> same(5000);
  std::iota(same.begin(), same.end(), 0);
  CHECK(numbers_of(a, Ordering::identity) == same);
  const auto first = numbers_of(a, Ordering::random), second = numbers_of(a, Ordering::random, 1, {.seed = 2});
  CHECK(first != second);
  std::size_t kept = 0, falling = 0;
  for (std::size_t v = 0; v < first.size(); ++v) {
    kept += first[v] == same[v];
    falling += v > 0 && first[v] < first[v - 1];
  }
  CHECK(kept < 20);  // one is expected
  CHECK(falling > 2300);
  CHECK(falling < 2700);
}

TEST_CASE("methods have their names") {
  for (const std::string& name : ordering_names()) CHECK(name_of(ordering_named(name)) == name);
  CHECK(ordering_names().size() == 8);
  CHECK_THROWS_WITH_AS(ordering_named("metis"),
                       doctest::Contains("the ordering is 'metis' (it is none of identity, degree"), InputError);
}

TEST_CASE("what cannot be ordered is refused") {
  CHECK_THROWS_WITH_AS(numbers_of(matrix_of(2, {}, 3), Ordering::rcm), doctest::Contains("2 rows and 3 columns"),
                       InputError);
  CHECK_THROWS_WITH_AS(numbers_of(matrix_of(2, {}), Ordering::gorder, 1, {.window = 0}),
                       doctest::Contains("the window is 0"), InputError);
}
