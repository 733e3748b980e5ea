// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/biconnected_components/disjoint_sets.hpp>

namespace atl {

/// The trees of a spanning forest, with their nodes numbered in preorder: those of a subtree have consecutive positions.
///
///     PreorderForest forest(n);
///     forest.build(team, sets);                       // of the pairs that have united sets; roots are the sets' roots
///     forest.position(v), forest.node(position)
///     forest.parent(position), forest.last(position)  // positions: of the parent, of the last node of the subtree
///
/// The trees are the same for any number of threads if the pairs are. Memory: 44 bytes a node.
class PreorderForest {
 public:
  struct Interval {
    Local first, last;
  };

  explicit PreorderForest(std::size_t nodes)
      : begin_(nodes + 2),
        targets_(2 * nodes),
        stack_(nodes),
        interval_(nodes),
        node_(nodes),
        parent_(nodes),
        last_(nodes),
        top_(nodes) {}

  void build(Team& team, const DisjointSets& sets);

  Local size() const { return static_cast<Local>(node_.size()); }
  /// The positions of the node's subtree, its own first. Nodes with disjoint ones are not above each other.
  Interval interval(Local node) const { return interval_[node]; }
  Local position(Local node) const { return interval_[node].first; }
  Local node(Local position) const { return node_[position]; }
  Local parent(Local position) const { return parent_[position]; }  ///< -1 of a root
  Local last(Local position) const { return last_[position]; }
  bool is_root(Local position) const { return parent_[position] < 0; }
  /// The child of the root whose subtree has the position; a root's own.
  Local top(Local position) const { return top_[position]; }
  Local root(Local position) const {
    const Local top = top_[position], above = parent_[top];
    return above < 0 ? top : above;
  }

  std::size_t memory_bytes() const {
    return begin_.size() * sizeof(std::uint32_t) + stack_.size() * sizeof(Pushed) +
           (targets_.size() + 6 * node_.size()) * sizeof(Local);
  }

 private:
  struct Pushed {
    Local node, parent;
  };

  void list_neighbours(Team& team, const DisjointSets& sets);
  Local number(Team& team, Local root, Local next);

  Array<std::uint32_t> begin_;  // [node] of its neighbours in the tree; there are at most 2 (n - 1)
  Array<Local> targets_;
  Array<Pushed> stack_;
  Array<Interval> interval_;                 // [node]
  Array<Local> node_, parent_, last_, top_;  // [position]
};

}  // namespace atl
