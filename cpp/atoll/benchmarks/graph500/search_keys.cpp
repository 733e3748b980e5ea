// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <atoll/base/random.hpp>
#include <atoll/benchmarks/graph500/search_keys.hpp>
#include <bit>

namespace atl {

std::vector<Vertex> search_keys(const Graph& graph, int count, std::uint64_t seed) {
  constexpr std::size_t kBatch = 64;  // candidates that one reduction decides
  World& world = graph.world();
  const Vertex n = graph.vertices(), begin = graph.blocks().begin(world.rank()), end = graph.blocks().end(world.rank());
  const auto id_if_good = [&](Vertex dense) {
    if (dense < begin || dense >= end) return kNoVertex;
    const Local v = graph.local_of(dense - begin);
    for (const auto* lists : {&graph.out(), &graph.in()})
      for (const Local u : lists->neighbours(v))
        if (u != v) return graph.ids().id_of(dense - begin);
    return kNoVertex;
  };
  std::vector<Vertex> keys;
  if (n < 2) return keys;
  const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n - 1)));
  const BitPermutation order(bits, seed);
  const Vertex all = Vertex{1} << bits;
  for (Vertex i = 0; i < all && keys.size() < static_cast<std::size_t>(count);) {
    std::array<Vertex, kBatch> mine;
    mine.fill(kNoVertex);
    std::size_t candidates = 0;
    for (; candidates < kBatch && i < all; ++i) {
      const auto dense = static_cast<Vertex>(order(static_cast<std::uint64_t>(i)));
      if (dense < n) mine[candidates++] = id_if_good(dense);
    }
    // At most one rank, the owner, has each candidate's id.
    const auto good = world.fold(mine, [](std::array<Vertex, kBatch> a, const std::array<Vertex, kBatch>& b) {
      for (std::size_t k = 0; k < kBatch; ++k) a[k] = std::max(a[k], b[k]);
      return a;
    });
    for (const Vertex id : good)
      if (id != kNoVertex && keys.size() < static_cast<std::size_t>(count)) keys.push_back(id);
  }
  return keys;
}

}  // namespace atl
