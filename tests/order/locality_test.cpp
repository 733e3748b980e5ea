// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/order/locality.hpp>
#include <atoll/order/permute.hpp>
#include <cmath>

#include "order/samples.hpp"

using namespace atl;
using namespace atl::samples;

TEST_CASE("measures of a small matrix are those by hand") {
  Team team(1);
  //   columns of row 0: 3 1, of row 1: 1, of row 3: 0 2 3
  const SparseMatrix<float> a = matrix_of(4, {{0, 3}, {0, 1}, {1, 1}, {3, 0}, {3, 2}, {3, 3}});
  const Locality l = locality_of(team, a.pattern(), 2);
  CHECK(l.nonzeros == 6);
  CHECK(l.bandwidth == 3);
  CHECK(l.mean_distance == doctest::Approx((3 + 1 + 0 + 3 + 1 + 0) / 6.0));
  CHECK(l.mean_log2_gap == doctest::Approx((std::log2(3) + std::log2(3) + 1) / 3));
  CHECK(l.inside_blocks == doctest::Approx(4 / 6.0));
  CHECK(locality_of(team, a.pattern(), 1).inside_blocks == 1);
  CHECK(locality_of(team, a.pattern(), 4).inside_blocks == doctest::Approx(2 / 6.0));
}

TEST_CASE("measures under new numbers are those of the permuted matrix, with any number of threads") {
  const SparseMatrix<float> a = matrix_of(5000, random_pairs(5000, 30000, 8));
  const auto numbers = numbers_of(a, Ordering::random);
  Team one(1);
  const SparseMatrix<float> b = permuted(one, a.view(), numbers, numbers);
  const Locality expected = locality_of(one, b.pattern(), 7);
  for (const int threads : {1, 2, 3}) {
    Team team(threads);
    const Locality l = locality_of(team, a.pattern(), 7, numbers);
    CHECK(l.bandwidth == expected.bandwidth);
    CHECK(l.inside_blocks == expected.inside_blocks);
    CHECK(l.mean_distance == doctest::Approx(expected.mean_distance));
    CHECK(l.mean_log2_gap == doctest::Approx(expected.mean_log2_gap));
    CHECK(locality_of(team, b.pattern(), 7).mean_log2_gap == expected.mean_log2_gap);
  }
}

TEST_CASE("more parts than rows, and matrices without nonzeros, are measured") {
  Team team(2);
  const SparseMatrix<float> loops = matrix_of(3, {{0, 0}, {1, 1}, {2, 2}});
  CHECK(locality_of(team, loops.pattern(), 100).inside_blocks == 1);
  const SparseMatrix<float> none = matrix_of(0, {});
  CHECK(locality_of(team, none.pattern(), 3).nonzeros == 0);
  CHECK(locality_of(team, none.pattern(), 3).mean_distance == 0);
}

TEST_CASE("wrong questions are refused") {
  Team team(1);
  const SparseMatrix<float> a = matrix_of(3, {{0, 1}}), wide = matrix_of(3, {{0, 1}}, 5);
  const std::vector<Local> three{0, 1, 2}, two{0, 1};
  CHECK_THROWS_WITH_AS(locality_of(team, a.pattern(), 0), doctest::Contains("0 parts"), InputError);
  CHECK_THROWS_WITH_AS(locality_of(team, a.pattern(), 1, two), doctest::Contains("2 new numbers"), InputError);
  CHECK_THROWS_WITH_AS(locality_of(team, wide.pattern(), 1, three), doctest::Contains("3 rows and 5 columns"),
                       InputError);
}
