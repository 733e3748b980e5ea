// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/mirror_exchange.hpp>

namespace atl {

/// Marks all vertices reachable from marked vertices, over ranks.
///
///     VertexBits marked(graph.locals());                  // masters: the starting set
///     flood(graph, marked, [&](Local v, auto&& mark) {    // any thread, once for each marked master
///       for (const Local u : graph.out().neighbours(v)) mark(u);
///     });
///
/// Collective. Each rank marks all that it can reach locally before ranks exchange marks, so a vertex is marked after
/// as many rounds as some path to it crosses between ranks. Each mirror is marked at most once.
template <class Expand>
void flood(const Graph& graph, VertexBits& marked, Expand&& expand) {
  constexpr std::size_t kGrain = 256;
  World& world = graph.world();
  const Local owned = graph.owned();
  MirrorExchange<Local, MinOf> exchange(graph);
  Array<Local> unmarked(static_cast<std::size_t>(graph.locals()), 1);
  VertexBits changed(graph.locals());
  std::vector<std::vector<Local>> found(static_cast<std::size_t>(world.team().size()));
  std::vector<Local> frontier;
  for (Local v = 0; v < owned; ++v)
    if (marked.test(v)) frontier.push_back(v);
  while (world.any(!frontier.empty())) {
    while (!frontier.empty()) {
      world.team().for_range(frontier.size(), kGrain, [&](int thread, std::size_t a, std::size_t b) {
        auto& here = found[thread];
        for (std::size_t i = a; i < b; ++i)
          expand(frontier[i], [&](Local u) {
            if (!marked.set(u)) return;
            if (u < owned) {
              here.push_back(u);
            } else {
              unmarked[u] = 0;
              changed.set(u);
            }
          });
      });
      frontier.clear();
      for (auto& here : found) {
        frontier.insert(frontier.end(), here.begin(), here.end());
        here.clear();
      }
    }
    exchange.reduce({unmarked.data(), unmarked.size()}, changed);
    for (std::size_t w = 0; w * 64 < static_cast<std::size_t>(owned); ++w)
      for (std::uint64_t bits = changed.at(w); bits; bits &= bits - 1)
        if (const auto v = static_cast<Local>(w * 64) + std::countr_zero(bits); marked.set(v)) frontier.push_back(v);
    changed.clear();
  }
}

}  // namespace atl
