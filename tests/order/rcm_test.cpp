// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/order/locality.hpp>

#include "order/samples.hpp"

using namespace atl;
using namespace atl::samples;

namespace {

std::int64_t bandwidth(const SparseMatrix<float>& a, std::span<const Local> numbers = {}) {
  Team team(1);
  return locality_of(team, a.pattern(), 1, numbers).bandwidth;
}

}  // namespace

TEST_CASE("rcm brings the bandwidth of a shuffled grid near its shorter side") {
  for (const auto& [rows, columns] : {std::pair<Local, Local>{20, 30}, {7, 200}, {40, 40}}) {
    const SparseMatrix<float> a = matrix_of(rows * columns, shuffled_grid(rows, columns, 3));
    CAPTURE(rows);
    CHECK(bandwidth(a) > rows * columns / 2);
    CHECK(bandwidth(a, numbers_of(a, Ordering::rcm)) <= rows + 1);
  }
}

TEST_CASE("rcm gives a path and a ring their least bandwidths, in each component") {
  Pairs pairs;
  const auto shuffled = [](Local v) { return static_cast<Local>(v * 37 % 101); };  // a permutation of 0 .. 100
  for (Local v = 0; v + 1 < 60; ++v) pairs.emplace_back(shuffled(v), shuffled(v + 1));
  CHECK(bandwidth(matrix_of(101, both_ways(pairs)), numbers_of(matrix_of(101, both_ways(pairs)), Ordering::rcm)) == 1);
  for (Local v = 60; v < 100; ++v) pairs.emplace_back(shuffled(v), shuffled(v == 99 ? 60 : v + 1));
  const SparseMatrix<float> a = matrix_of(101, both_ways(pairs));
  const auto numbers = numbers_of(a, Ordering::rcm);
  CHECK(bandwidth(a, numbers) == 2);
  CHECK(numbers[static_cast<std::size_t>(shuffled(100))] == 100);  // without nonzeros: last
}

TEST_CASE("rcm of arcs is that of edges") {
  // A path of which every other edge goes one way only: followed one way alone, it falls into pieces.
  Pairs arcs;
  const auto shuffled = [](Local v) { return static_cast<Local>(v * 37 % 101); };
  for (Local v = 0; v < 100; ++v)
    arcs.emplace_back(v % 2 ? shuffled(v) : shuffled(v + 1), v % 2 ? shuffled(v + 1) : shuffled(v));
  const SparseMatrix<float> a = matrix_of(101, arcs);
  CHECK(bandwidth(a, numbers_of(a, Ordering::rcm)) == 1);
}
