// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/spanning_forest/kernel.hpp>
#include <atoll/algorithms/spanning_forest/tree_parents.hpp>
#include <atoll/engine/vertex_bits.hpp>

namespace atl {

/// The spanning forest of lists that one rank has, with parents. Used by class SpanningForest.
///
///     WholeForest<std::uint32_t, Order> forest(team, ForestLists::of(graph), weights, order);   // allocates buffers once
///     forest.find(keys, count, vertex_at);                        // vertex_at(0 .. count - 1): all by ascending ids
///     forest.is_root(v), forest.parent(v), forest.key(v);
///
/// Memory: 24 bytes a vertex, and 8 with those of a key for each entry of the lists.
template <class Key, class Order>
class WholeForest {
 public:
  WholeForest(Team& team, const ForestLists& lists, EdgeWeighting weights, Order order)
      : team_(team), forest_(team, lists, weights, order), trees_(lists.vertices), has_root_(lists.vertices) {}

  template <class VertexAt>
  void find(const WeightKeys<Key>& keys, std::size_t count, VertexAt&& vertex_at) {
    forest_.find(keys);
    trees_.start(team_, forest_.edges());
    // The first vertex of each tree is its root.
    has_root_.clear();
    for (std::size_t k = 0; k < count; ++k) {
      const Local v = vertex_at(k), tree = forest_.tree(v);
      if (has_root_.test(index(tree))) continue;
      has_root_.set_unsynchronized(index(tree));
      trees_.set_root(v);
    }
    trees_.find(team_);
  }

  bool is_root(Local v) const { return trees_.is_root(v); }
  Local parent(Local v) const { return trees_.parent(v); }
  Key key(Local v) const { return trees_.key(v); }
  std::size_t memory_bytes() const {
    return forest_.memory_bytes() + trees_.memory_bytes() + has_root_.words() * sizeof(std::uint64_t);
  }

 private:
  Team& team_;
  ListForest<Key, Order> forest_;
  TreeParents<Key> trees_;
  VertexBits has_root_;  // [tree]
};

}  // namespace atl
