// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/components/components.hpp>
#include <atoll/algorithms/components/distributed_union_find.hpp>
#include <atoll/algorithms/components/forest.hpp>
#include <atoll/engine/mirror_exchange.hpp>

/// Labels of a rank's trees, and the joins of trees by edges between ranks. Class Components uses it over several ranks
/// once each rank has its forest.
///
///     ComponentLabels labels(graph, forest);     // collective, as are all that follow
///     labels.exchange(in_giant);                 // finds the trees of this rank's mirrors, on their owners and here
///     labels.pair_bytes();                       // bytes of the pairs of labels left to join, on all ranks
///     labels.join_all();                         // every tree gets the least label of its component ...
///     labels.join_giants();                      // ... or only the giants do, and then small trees
///     labels.propagate();                        //     propagate the least label from tree to tree
///     labels.write(result);
///
/// A giant's label is its rank; any other tree's label is the number of ranks plus the least id in the tree. Memory: 8
/// bytes a local vertex, 1 a master, and the pairs.
namespace atl {

class ComponentLabels {
 public:
  ComponentLabels(const Graph& graph, ComponentForest& forest);
  ComponentLabels(const ComponentLabels&) = delete;
  ComponentLabels& operator=(const ComponentLabels&) = delete;

  /// `in_giant` has a bit for every vertex, mirrors included, that is in its owner's giant after sampling.
  void exchange(const VertexBits& in_giant);
  double pair_bytes() const;
  void join_all();
  void join_giants();
  void propagate();
  /// Whether all giants are in one component; the same on all ranks.
  bool giants_are_joined() const;
  /// Sets the labels of vertices outside the giant back to their rank, as they were before exchange().
  void reset();
  void write(ComponentsResult& result);
  std::size_t memory_bytes() const;

 private:
  /// Unsigned 64 bits: ids have 63 bits, and labels of giants (ranks) come before those of ids.
  using Label = DistributedUnionFind::Label;
  struct Pair {
    Label one, other;
    auto operator<=>(const Pair&) const = default;
  };
  /// A mirror in a small tree of this rank.
  struct CrossingMirror {
    Local mirror, root;
    Label label;  // of its master's tree
  };
  struct LeastId {
    Label label;
    Vertex id;
  };
  // Flags of a small tree (any tree but the giant): it borders small trees of other ranks; its label has changed since
  // it was last broadcast.
  static constexpr std::uint8_t kBordersSmall = 1, kChanged = 2;

  Label own_rank() const { return static_cast<Label>(world_.rank()); }
  bool is_giant(Label label) const { return label < ranks_; }
  Label& label(Local v) { return label_[v]; }
  std::uint8_t& state(Local root) { return state_[root]; }
  Vertex least_id(Local root) const { return graph_.ids().id_of(forest_.lowest(root)); }
  Label own_label(Local root) const { return ranks_ + static_cast<Label>(least_id(root)); }
  // A mirror without a broadcast label is in its owner's giant, since sampling or since link_remaining().
  Label label_of_mirror(Local m, Label rank) { return changed_.test(m) ? label(m) : rank; }
  template <class F>
  void for_small_trees(F&& f);

  void broadcast_labels();
  void collect_joins(const VertexBits& in_giant);
  void add_join(Local mirror, Local root, Label theirs);
  void lower_labels();
  bool receive(Local root, Label theirs);

  const Graph& graph_;
  World& world_;
  ComponentForest& forest_;
  MirrorExchange<Label, MinOf> exchange_;
  const std::size_t locals_;
  // [local] of a root: the least label that its tree is known to be joined to; of a mirror: the same of its master's
  // tree
  Array<Label> label_;
  Array<std::uint8_t> state_;  // [root]
  VertexBits changed_;
  const Label ranks_;
  DistributedUnionFind union_find_;
  std::vector<Label> giant_label_;  // [rank] least rank whose giant is joined to its giant
  std::vector<Pair> giant_pairs_;   // pairs of giants that this rank knows to be joined
  std::vector<CrossingMirror> crossing_mirrors_;
  std::vector<Pair> tree_pairs_;  // joins of small trees that border small trees of other ranks
};

}  // namespace atl
