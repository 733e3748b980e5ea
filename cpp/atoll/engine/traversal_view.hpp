// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/mirror_bits.hpp>
#include <atoll/graph/graph.hpp>

/// A rank's part of a graph as a traversal needs it, whichever way its edges are cut (Graph::cut()): rows in both
/// directions, original ids, and which ranks mirror which masters.
///
///     const TraversalView<std::uint32_t> view(graph);                     // collective
///     for (Local v : view.out().neighbours(u)) ...                        // u below view.rows()
///     if (v < view.active()) ... else owner = view.owner_of(v);           // a master, or the mirror of another rank's
///
/// In an edge-cut only masters have rows: what a mirror is told, its owner must be told. In a vertex-cut mirrors have
/// rows as well, so a vertex's rows are pushed, or pulled into, by all ranks that have a part of them: mirrors need
/// what their master knows (mirror_bits()), and masters what their mirrors have found.
namespace atl {

template <class Id>
class TraversalView {
 public:
  /// Collective. Refers to the graph, which outlives it.
  explicit TraversalView(const Graph& graph);
  TraversalView(const TraversalView&) = delete;
  TraversalView& operator=(const TraversalView&) = delete;

  const Graph& graph() const { return graph_; }
  World& world() const { return graph_.world(); }
  Local active() const { return graph_.active(); }  ///< masters with an edge: local 0 .. active-1
  Local first_mirror() const { return first_mirror_; }
  Local locals() const { return locals_; }  ///< one past the last mirror; a multiple of 64
  /// Local vertices below it may have rows: the active masters, or all local vertices of a vertex-cut.
  Local rows() const { return mirrors_have_rows() ? locals_ : active(); }
  bool mirrors_have_rows() const { return cut_ != nullptr; }
  const Csr& out() const { return *out_; }
  const Csr& in() const { return *in_; }
  const Array<Id>& ids() const { return *ids_; }  ///< original ids by local number, mirrors included

  /// Returns the owner of the group that has this mirror. An empty group begins where the next one does, so the last of
  /// equal beginnings is the mirror's group.
  std::size_t owner_of(Local mirror) const {
    return static_cast<std::size_t>(std::upper_bound(begin_.begin(), begin_.end(), mirror) - begin_.begin() - 1);
  }
  Local begin(std::size_t owner) const { return begin_[owner]; }
  Local count(std::size_t owner) const { return count_[owner]; }
  /// [rank][k] the own master whose mirror is the k-th of this rank's group there.
  const std::vector<std::vector<Local>>& known() const { return known_; }
  /// Exchanges bits of masters with their mirrors here. Collective.
  MirrorBits mirror_bits() const;
  std::size_t memory_bytes() const;  ///< of what is not the graph's or its vertex-cut's

 private:
  const Graph& graph_;
  const VertexCut* const cut_;  // nullptr if the edges are cut
  const Local first_mirror_, locals_;
  const Csr *out_, *in_;
  Csr transposed_;
  const Array<Id>* ids_;
  Array<Id> ids_of_cut_;
  std::vector<Local> begin_, count_;  // [rank] of its vertices' mirrors here
  std::vector<std::vector<Local>> known_;
};

}  // namespace atl
