// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <span>

namespace atl {

/// Delegates of heavy vertices (fission in [1, section 6.3]): a heavy vertex has a delegate on each rank that owns
/// neighbours of it, with a row of the edges to those. So its owner does not send a record along each edge: it sends
/// one to each delegate, which pushes along its row.
///
///     const Delegates delegates(graph, Delegates::usual_degree(graph));    // collective
///     for (const auto& [rank, row] : delegates.of(master)) ...            // on the owner; empty if not heavy
///     delegates.targets(row);                                             // on that rank: its masters, ascending
///
/// Rows are the transposed lists of entries for mirrors, so no edge is sent: ranks exchange only which mirrors are
/// heavy and their row numbers. Memory: a second copy of the edges between heavy vertices and other ranks' masters, 4
/// bytes each.
///
/// [1] TuCOMM: Communication Hierarchy-aware Graph Engine for Distributed Model Training.
class Delegates {
 public:
  struct Delegate {
    Rank rank;
    std::uint32_t row;
  };

  /// Vertices with an out-degree of at least `degree` are heavy.
  Delegates(const Graph& graph, Edge degree);
  /// The degree from which on a vertex has several edges to each rank on average, so that a delegate saves records.
  static Edge usual_degree(const Graph& graph);

  /// The delegates of a master, by ascending rank.
  std::span<const Delegate> of(Local master) const;
  std::span<const Local> targets(std::uint32_t row) const {
    return {targets_.data() + offsets_[row], static_cast<std::size_t>(offsets_[row + 1] - offsets_[row])};
  }
  /// The local number of the mirror that the row belongs to.
  Local mirror(std::uint32_t row) const { return mirrors_[row]; }
  std::size_t memory_bytes() const;

 private:
  std::vector<Local> heavy_;                  // own masters, ascending
  std::vector<std::size_t> delegates_begin_;  // [heavy], size + 1
  std::vector<Delegate> delegates_;
  std::vector<Edge> offsets_;  // [row], size + 1
  Array<Local> targets_;
  std::vector<Local> mirrors_;  // [row]
};

}  // namespace atl
