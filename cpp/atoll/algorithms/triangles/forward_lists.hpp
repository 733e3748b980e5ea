// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>

/// For every master the list of its neighbours of higher degree, without directions, loops and multi-edges.
///
///     const ForwardLists lists(graph);                  // collective
///     for (const Local u : lists.of(v)) ...             // v: an active master; ascending
///     lists.directions_of(v)[i];                        // directed graphs: number of directions of the edges
///     lists.degree(v);                                  // of any active master or mirror
///
/// Of two neighbours exactly one is on the other's list, also if their ranks differ. Memory: 4 bytes for each pair of
/// neighbours (directed: 5), 12 a local vertex.
namespace atl {

class ForwardLists {
 public:
  explicit ForwardLists(const Graph& graph);

  std::span<const Local> of(Local v) const {
    const auto at = static_cast<std::size_t>(v);
    return {targets_.data() + begin_[at], static_cast<std::size_t>(begin_[at + 1] - begin_[at])};
  }
  const std::uint8_t* directions_of(Local v) const { return directions_.data() + begin_[v]; }
  /// Number of neighbours, ignoring directions and loops.
  Local degree(Local v) const { return degree_[v]; }
  std::size_t memory_bytes() const {
    return degree_.size() * sizeof(Local) + begin_.size() * sizeof(Edge) + targets_.size() * sizeof(Local) +
           directions_.size();
  }

 private:
  static constexpr std::size_t kGrain = 256;

  void count_neighbours();
  void list_higher();
  bool is_above(Local u, Local v) const;
  template <class F>
  void for_masters(F&& f);

  const Graph& graph_;
  const std::size_t active_;
  Array<Local> degree_;  // [local]
  Array<Edge> begin_;    // [active], size + 1
  Array<Local> targets_;
  Array<std::uint8_t> directions_;  // empty if undirected
};

}  // namespace atl
