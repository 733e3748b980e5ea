// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/spanning_forest/weight_keys.hpp>
#include <atomic>
#include <span>

/// Parents in the trees of a forest that is given by its edges, over the threads of one rank. Used by class
/// SpanningForest.
///
///     TreeParents<std::uint32_t> trees(n);
///     trees.start(team, edges);
///     trees.set_root(v);                   // one for each tree
///     trees.find(team);
///     trees.parent(v), trees.key(v);       // of a vertex that is not a root
///
/// A leaf's parent is the other end of its only edge; without its leaves a tree has others. A vertex knows the number
/// of its edges and the sum of their positions in the list, in one word: the sum of a leaf is the position of its edge.
/// So trees need no lists, and the time does not depend on their depth. Memory: 8 bytes a vertex. The edges must stay.
namespace atl {

template <class Key>
class TreeParents {
 public:
  explicit TreeParents(std::size_t vertices) : sums_(vertices) {}

  void start(Team& team, std::span<const KeyedEdge<Key>> edges) {
    edges_ = edges;
    team.for_range(sums_.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v) sums_[v] = 0;
    });
    team.for_range(edges.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t e = a; e < b; ++e)
        for (const Local end : {edges[e].a, edges[e].b})
          std::atomic_ref(sums_[end]).fetch_add(one_edge(e), std::memory_order_relaxed);
    });
  }
  /// `mark`: any number, which edge(v) gives then.
  void set_root(Local v, std::uint32_t mark = 0) { sums_[v] += kRoot + (std::uint64_t{mark} << kDegreeBits); }
  bool is_root(Local v) const { return sums_[v] & kRoot; }
  void find(Team& team) {
    team.for_range(sums_.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v) remove_leaves(static_cast<Local>(v));
    });
  }
  /// Position of the edge to the parent; the mark of a root.
  std::size_t edge(Local v) const { return sums_[v] >> kDegreeBits; }
  Local parent(Local v) const { return other_end(v, edge(v)); }
  Key key(Local v) const { return edges_[edge(v)].key; }
  std::size_t memory_bytes() const { return sums_.size() * sizeof(std::uint64_t); }

 private:
  static constexpr std::size_t kGrain = 8192;
  static constexpr int kDegreeBits = 32;
  static constexpr std::uint64_t kDegree = (std::uint64_t{1} << kDegreeBits) - 1;
  static constexpr std::uint64_t kRoot = std::uint64_t{1} << (kDegreeBits - 1);  // more than any degree

  static std::uint64_t one_edge(std::size_t e) { return static_cast<std::uint64_t>(e) << kDegreeBits | 1; }
  Local other_end(Local v, std::size_t e) const { return edges_[e].a == v ? edges_[e].b : edges_[e].a; }

  // Removes v if it is a leaf, and then its parent if that has become one, and so on. Of several threads that find a
  // leaf, the one that takes its last edge from its degree removes it.
  void remove_leaves(Local v) {
    for (;;) {
      const std::atomic_ref sum(sums_[v]);
      std::uint64_t last = sum.load(std::memory_order_relaxed);
      if ((last & kDegree) != 1 || !sum.compare_exchange_strong(last, last - 1, std::memory_order_relaxed)) return;
      v = other_end(v, last >> kDegreeBits);
      std::atomic_ref(sums_[v]).fetch_sub(last, std::memory_order_relaxed);
    }
  }

  std::span<const KeyedEdge<Key>> edges_;
  Array<std::uint64_t> sums_;  // [vertex] degree, and above it the sum of its edges' positions
};

}  // namespace atl
