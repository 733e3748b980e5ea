// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/order/locality.hpp>
#include <tuple>

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

TEST_CASE("rcm starts at an end, though the vertex of least degree is in the middle") {
  Pairs pairs;
  for (Local x = 0; x < 60; ++x)
    for (Local y = 0; y < 5; ++y) {
      if (x < 59) pairs.emplace_back(x * 5 + y, x * 5 + y + 5);
      if (y < 4) pairs.emplace_back(x * 5 + y, x * 5 + y + 1);
    }
  pairs.emplace_back(300, 30 * 5 + 2);
  const SparseMatrix<float> a = matrix_of(301, both_ways(pairs));
  CHECK(bandwidth(a, numbers_of(a, Ordering::rcm)) <= 7);  // from the middle it is 10 or more
}

TEST_CASE("rcm visits, from the last number on, each vertex' new neighbours by rising degree") {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const SparseMatrix<float> a = matrix_of(400, both_ways(random_pairs(400, 100 * seed, seed)));
    const auto numbers = numbers_of(a, Ordering::rcm);
    const auto place = [&](Local v) { return 399 - numbers[static_cast<std::size_t>(v)]; };  // in Cuthill-McKee's order
    std::vector<Local> order(400);
    for (Local v = 0; v < 400; ++v) order[static_cast<std::size_t>(place(v))] = v;
    struct Turn {
      Local parent;  // the place of the first neighbour
      Edge degree;
      Local vertex;
    };
    std::vector<Turn> turns;
    for (const Local v : order) {
      const auto begin = a.offsets[static_cast<std::size_t>(v)], end = a.offsets[static_cast<std::size_t>(v) + 1];
      Turn turn{place(v), end - begin, v};
      for (Edge e = begin; e < end; ++e)
        turn.parent = std::min(turn.parent, place(a.column_indices[static_cast<std::size_t>(e)]));
      if (turn.parent != place(v)) turns.push_back(turn);  // else it begins a component
    }
    CHECK(turns.size() > 50);
    CHECK(std::ranges::is_sorted(turns, [](const Turn& s, const Turn& t) {
      return std::tie(s.parent, s.degree, s.vertex) < std::tie(t.parent, t.degree, t.vertex);
    }));
  }
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
