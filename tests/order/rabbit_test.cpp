// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/order/locality.hpp>
#include <set>

#include "order/samples.hpp"

using namespace atl;
using namespace atl::samples;

namespace {

// `groups` of `size` vertices; each vertex has `inside` edges in its group and every `away`-th one outside.
SparseMatrix<float> planted(Local groups, Local size, int inside, Local away, std::uint64_t seed) {
  const Local n = groups * size;
  std::vector<Local> label(static_cast<std::size_t>(n));
  std::iota(label.begin(), label.end(), 0);
  Random random(seed);
  std::shuffle(label.begin(), label.end(), random);
  Pairs pairs;
  const auto at = [&](std::uint64_t v) { return label[static_cast<std::size_t>(v)]; };
  for (Local v = 0; v < n; ++v) {
    const auto first = static_cast<std::uint64_t>(v / size * size);
    for (int k = 0; k < inside; ++k)
      pairs.emplace_back(at(static_cast<std::uint64_t>(v)), at(first + random.below(static_cast<std::uint64_t>(size))));
    if (v % away == 0)
      pairs.emplace_back(at(static_cast<std::uint64_t>(v)), at(random.below(static_cast<std::uint64_t>(n))));
  }
  return matrix_of(n, both_ways(pairs));
}

double inside_blocks(const SparseMatrix<float>& a, std::int64_t parts, std::span<const Local> numbers = {}) {
  Team team(2);
  return locality_of(team, a.pattern(), parts, numbers).inside_blocks;
}

}  // namespace

TEST_CASE("rabbit brings planted communities to the diagonal, with any number of threads") {
  const SparseMatrix<float> a = planted(64, 128, 8, 2, 7);
  const double planted_share = 1 - 0.5 / 8.5;
  CHECK(inside_blocks(a, 64) < 0.05);
  for (const int threads : {1, 2, 3})
    for (int run = 0; run < 3; ++run) {
      const auto numbers = numbers_of(a, Ordering::rabbit, threads);
      CAPTURE(threads);
      // Blocks of four communities: those that a cut between blocks goes through cost some edges.
      CHECK(inside_blocks(a, 16, numbers) > 0.8 * planted_share);
    }
}

TEST_CASE("rabbit carries the links of joined vertices on: sparse communities come together over several joins") {
  const SparseMatrix<float> a = planted(16, 1024, 2, 16, 11);
  CHECK(inside_blocks(a, 4, numbers_of(a, Ordering::rabbit)) > 0.8);  // .94; .66 where only own links count
}

TEST_CASE("rabbit numbers cliques without a gap, and rows without neighbours last") {
  constexpr Local kCliques = 9, kSize = 7;
  Pairs pairs;
  const auto shuffled = [](Local v) { return static_cast<Local>(v * 41 % 67); };  // a permutation of 0 .. 66
  for (Local c = 0; c < kCliques; ++c)
    for (Local u = 0; u < kSize; ++u)
      for (Local v = 0; v < u; ++v) pairs.emplace_back(shuffled(c * kSize + u), shuffled(c * kSize + v));
  for (Local c = 0; c + 1 < kCliques; ++c) pairs.emplace_back(shuffled(c * kSize), shuffled(c * kSize + kSize));
  pairs.emplace_back(shuffled(64), shuffled(64));  // a loop makes no neighbour
  const auto numbers = numbers_of(matrix_of(67, both_ways(pairs)), Ordering::rabbit);
  for (Local c = 0; c < kCliques; ++c) {
    std::set<Local> of_clique;
    for (Local v = 0; v < kSize; ++v) of_clique.insert(numbers[static_cast<std::size_t>(shuffled(c * kSize + v))]);
    CAPTURE(c);
    CHECK(*of_clique.rbegin() - *of_clique.begin() == kSize - 1);
  }
  for (Local v = 63; v < 67; ++v) CHECK(numbers[static_cast<std::size_t>(shuffled(v))] >= 63);
}

TEST_CASE("rabbit of arcs finds what it finds of edges") {
  const SparseMatrix<float> edges = planted(32, 64, 6, 4, 3);
  Pairs arcs;
  for (Local v = 0; v < edges.rows; ++v)
    for (Edge e = edges.offsets[static_cast<std::size_t>(v)]; e < edges.offsets[static_cast<std::size_t>(v) + 1]; ++e)
      if (const Local u = edges.column_indices[static_cast<std::size_t>(e)]; u >= v) arcs.emplace_back(v, u);
  const SparseMatrix<float> a = matrix_of(edges.rows, arcs);
  CHECK(inside_blocks(a, 8, numbers_of(a, Ordering::rabbit)) > 0.8);
  CHECK(inside_blocks(a, 8) < 0.2);
}
