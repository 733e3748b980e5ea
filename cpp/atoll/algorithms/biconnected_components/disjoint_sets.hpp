// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/base/array.hpp>
#include <atoll/base/parallel.hpp>
#include <atoll/base/types.hpp>
#include <atomic>
#include <vector>

namespace atl {

class World;

struct NodePair {
  Local a, b;
};

/// Disjoint sets of the nodes 0 .. n-1 that several threads unite at the same time, and for each two sets that were
/// united the pair of nodes that did it: a spanning forest of all pairs.
///
///     DisjointSets sets(n);
///     sets.start(team);
///     sets.unite(a, b);                                        // any thread
///     sets.for_pairs([](NodePair pair) { ... });               // those that united two sets
///
/// The root of a set is its smallest node. A root is linked by compare-and-swap and paths are only shortened to
/// ancestors, so that no order of threads can close a cycle of pairs. Memory: 12 bytes a node.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t nodes) : up_(nodes), joined_by_(nodes) {}

  void start(Team& team) {
    team.for_range(up_.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v) up_[v] = static_cast<Local>(v);
    });
  }

  Local find(Local v) {
    for (Local above = load(v); above != v;) {
      const Local next = load(above);
      if (next == above) return above;
      std::atomic_ref(up_[v]).store(next, std::memory_order_relaxed);  // an ancestor, whoever stores meanwhile
      v = next;
      above = load(v);
    }
    return v;
  }
  /// Returns whether the two were in different sets.
  bool unite(Local a, Local b) {
    const NodePair pair{a, b};
    for (;;) {
      a = find(a);
      b = find(b);
      if (a == b) return false;
      const Local root = std::max(a, b);
      Local known = root;
      if (!std::atomic_ref(up_[root]).compare_exchange_strong(known, std::min(a, b), std::memory_order_relaxed))
        continue;
      joined_by_[root] = pair;
      return true;
    }
  }

  std::size_t size() const { return up_.size(); }
  bool is_root(Local v) const { return load(v) == v; }
  /// The pair that linked v to a smaller node; v is not a root.
  NodePair joined_by(Local v) const { return joined_by_[v]; }
  template <class F>
  void for_pairs(F&& f) const {
    for (std::size_t v = 0; v < up_.size(); ++v)
      if (up_[v] != static_cast<Local>(v)) f(joined_by_[v]);
  }

  /// Unites on every rank what any rank has united; afterwards all ranks have the same pairs. Collective. Each rank
  /// sends at most n - 1 pairs once, up a binary tree of ranks, and receives as many.
  void unite_over_ranks(World& world);

  std::size_t memory_bytes() const { return up_.size() * sizeof(Local) + joined_by_.size() * sizeof(NodePair); }

 private:
  static constexpr std::size_t kGrain = 8192;

  Local load(Local v) const { return std::atomic_ref(const_cast<Local&>(up_[v])).load(std::memory_order_relaxed); }
  std::vector<NodePair> pairs() const;

  Array<Local> up_;            // [node] parent in its set; parent <= node
  Array<NodePair> joined_by_;  // [node that is no root]
};

}  // namespace atl
