// SPDX-License-Identifier: Apache-2.0
#include <atoll/algorithms/known_vertices.hpp>

namespace atl {

KnownVertices::KnownVertices(const Graph& graph, std::span<const Vertex> dense)
    : graph_(graph), begin_(graph.blocks().begin(graph.world().rank())) {
  const auto words = (static_cast<std::size_t>(graph.vertices()) + 63) / 64;
  mirrored_ = Array<std::uint64_t>(words, 0);
  before_ = Array<std::uint64_t>(words);
  const Mirrors& mirrors = graph.mirrors();
  const auto for_mirrors = [&](auto&& f) {
    for (std::size_t r = 0; r < mirrors.count.size(); ++r)
      for (Local m = mirrors.begin[r]; m < mirrors.begin[r] + mirrors.count[r]; ++m)
        f(m, static_cast<std::size_t>(dense[m]));
  };
  for_mirrors([&](Local, std::size_t at) { mirrored_[at / 64] |= std::uint64_t{1} << (at % 64); });
  std::uint64_t count = 0;
  for (std::size_t w = 0; w < words; ++w) {
    before_[w] = count;
    count += static_cast<std::uint64_t>(std::popcount(mirrored_[w]));
  }
  mirrors_ = Array<Local>(count);
  for_mirrors([&](Local m, std::size_t at) {
    const std::uint64_t below = mirrored_[at / 64] & ((std::uint64_t{1} << (at % 64)) - 1);
    mirrors_[before_[at / 64] + static_cast<std::size_t>(std::popcount(below))] = m;
  });
}

}  // namespace atl
