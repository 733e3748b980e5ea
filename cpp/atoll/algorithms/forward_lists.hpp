// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <vector>

/// Of every master the list of its neighbours of higher degree, without directions, loops and multi-edges.
///
///     const ForwardLists lists(graph);                        // collective
///     for (const auto& entry : lists.of(v)) entry.local;      // v: an active master; ascending dense numbers
///     lists.degree(v);                                        // of any local vertex, mirrors included
///
/// Memory: 16 bytes for each pair of neighbours, 12 a local vertex, and at first twice the lists.
namespace atl {

class ForwardLists {
 public:
  /// A neighbour: its dense number and in how many directions an edge joins the two, in one word; by local number too.
  struct Entry {
    std::uint64_t word;
    Local local;
    Vertex dense() const { return dense_of(word); }
    Edge directions() const { return directions_of(word); }
  };
  static std::uint64_t word_of(Vertex dense, std::uint64_t directions) {
    return static_cast<std::uint64_t>(dense) << 2 | directions;
  }
  static Vertex dense_of(std::uint64_t word) { return static_cast<Vertex>(word >> 2); }
  static Edge directions_of(std::uint64_t word) { return static_cast<Edge>(word & 3); }

  explicit ForwardLists(const Graph& graph);

  std::span<const Entry> of(Local v) const { return lists_[static_cast<std::size_t>(v)]; }
  /// In the graph without directions and loops.
  Local degree(Local v) const { return degree_[static_cast<std::size_t>(v)]; }

 private:
  void list_neighbours();
  void keep_higher();
  bool is_above(Local u, Local v) const;

  const Graph& graph_;
  const std::vector<Vertex> dense_;        // [local]
  std::vector<std::vector<Entry>> lists_;  // [active master]
  Array<Local> degree_;                    // [local]
};

}  // namespace atl
