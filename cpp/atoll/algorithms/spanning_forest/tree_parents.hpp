// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/array.hpp>
#include <atoll/base/parallel.hpp>
#include <atoll/base/types.hpp>
#include <atomic>

/// Parents in the trees of a forest that is given by its edges, over the threads of one rank. Used by class
/// SpanningForest.
///
///     TreeParents trees(n);
///     trees.start(team);
///     trees.add(a, b, 17);                 // any thread: edge 17
///     trees.set_root(v);                   // one for each tree
///     trees.find(team);
///     trees.parent(v), trees.edge(v);      // of a vertex that is not a root
///
/// A leaf's parent is its only neighbour; without its leaves a tree has others. A vertex knows its neighbours and edges
/// by the exclusive or of their numbers: that of a leaf is its parent's. So trees need no lists, and the time does not
/// depend on their depth. Memory: 16 bytes a vertex.
namespace atl {

class TreeParents {
 public:
  explicit TreeParents(std::size_t vertices) : nodes_(vertices) {}

  void start(Team& team) {
    team.for_range(nodes_.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v) nodes_[v] = {};
    });
  }
  void add(Local a, Local b, std::uint32_t edge) {
    add_end(a, b, edge);
    add_end(b, a, edge);
  }
  void set_root(Local v) { nodes_[v].degree += kRoot; }
  bool is_root(Local v) const { return nodes_[v].degree >= kRoot; }
  void find(Team& team) {
    team.for_range(nodes_.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v) remove_leaves(static_cast<Local>(v));
    });
  }
  Local parent(Local v) const { return static_cast<Local>(nodes_[v].neighbours); }
  std::uint32_t edge(Local v) const { return nodes_[v].edges; }
  std::size_t memory_bytes() const { return nodes_.size() * sizeof(Node); }

 private:
  static constexpr std::size_t kGrain = 8192;
  static constexpr std::uint32_t kRoot = std::uint32_t{1} << 31;  // more than any degree
  struct alignas(16) Node {
    std::uint32_t degree = 0, neighbours = 0, edges = 0;
  };

  void add_end(Local v, Local other, std::uint32_t edge) {
    toggle(nodes_[v], other, edge);
    std::atomic_ref(nodes_[v].degree).fetch_add(1, std::memory_order_relaxed);
  }
  static void toggle(Node& node, Local neighbour, std::uint32_t edge) {
    std::atomic_ref(node.neighbours).fetch_xor(static_cast<std::uint32_t>(neighbour), std::memory_order_relaxed);
    std::atomic_ref(node.edges).fetch_xor(edge, std::memory_order_relaxed);
  }

  // Removes v if it is a leaf, and then its parent if that has become one, and so on. Of several threads that find a
  // leaf, one removes it.
  void remove_leaves(Local v) {
    for (;;) {
      Node& leaf = nodes_[v];
      std::uint32_t one = 1;
      const std::atomic_ref degree(leaf.degree);
      if (degree.load(std::memory_order_relaxed) != 1 ||
          !degree.compare_exchange_strong(one, 0, std::memory_order_acquire, std::memory_order_relaxed))
        return;
      const auto parent = static_cast<Local>(std::atomic_ref(leaf.neighbours).load(std::memory_order_relaxed));
      Node& above = nodes_[parent];
      toggle(above, v, std::atomic_ref(leaf.edges).load(std::memory_order_relaxed));
      if (std::atomic_ref(above.degree).fetch_sub(1, std::memory_order_acq_rel) != 2) return;
      v = parent;
    }
  }

  Array<Node> nodes_;
};

}  // namespace atl
