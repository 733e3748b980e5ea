// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/mirror_exchange.hpp>
#include <limits>
#include <vector>

namespace atl {

/// A plain breadth-first search over ranks, one vertex at a time, for checks of a few samples.
///
///     LevelSearch search(graph, graph.in());              // against the edges of a directed graph; collective
///     search.from(master, [&](Local v, Vertex d) { ... });    // once for each master that is reached, in order of d
///
/// `master` is -1 on all ranks but the one that owns the source. Returns the greatest distance.
class LevelSearch {
 public:
  LevelSearch(const Graph& graph, const Csr& lists)
      : graph_(graph),
        lists_(lists),
        exchange_(graph),
        changed_(static_cast<std::size_t>(graph.locals())),
        depth_(static_cast<std::size_t>(graph.locals())) {}

  template <class F>
  Vertex from(Local master, F&& f) {
    std::fill(depth_.begin(), depth_.end(), kUnreached);
    std::vector<Local> frontier, next;
    if (master >= 0) {
      depth_[master] = 0;
      frontier.push_back(master);
    }
    Local level = 0;
    for (; graph_.world().any(!frontier.empty()); ++level) {
      for (const Local v : frontier) f(v, Vertex{level});
      next.clear();
      for (const Local v : frontier)
        for (const Local u : lists_.neighbours(v)) {
          Local& depth = depth_[u];
          if (depth <= level + 1) continue;
          depth = level + 1;
          if (u < graph_.owned()) {
            next.push_back(u);
          } else {
            changed_.set_unsynchronized(static_cast<std::size_t>(u));
          }
        }
      exchange_.reduce({depth_.data(), depth_.size()}, changed_);
      for (std::size_t w = 0; w < changed_.words(); ++w)
        for (std::uint64_t bits = std::exchange(changed_.at(w), 0); bits; bits &= bits - 1)
          next.push_back(static_cast<Local>(w * 64) + std::countr_zero(bits));
      frontier.swap(next);
    }
    return level - 1;
  }

 private:
  static constexpr Local kUnreached = std::numeric_limits<Local>::max();
  const Graph& graph_;
  const Csr& lists_;
  MirrorExchange<Local, MinOf> exchange_;
  VertexBits changed_;
  Array<Local> depth_;  // [local]
};

}  // namespace atl
