// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <span>

namespace atl {

/// Fission [1, section 6.3]: a heavy vertex has a sibling on each rank that owns neighbours of it, which holds the
/// edges to those. So its owner need not send a record along each edge: one to a sibling says "push on along your row".
///
///     const Delegates siblings(graph, Delegates::usual_degree(graph));   // collective
///     for (const auto& [rank, row] : siblings.of(master)) ...          // on the owner; empty where it is not heavy
///     siblings.targets(row);                                           // on that rank: its masters, ascending
///
/// The rows are the mirrors' edges, turned round: no edge travels, only which mirrors are heavy and what row they got.
/// Memory: the edges between heavy vertices and other ranks' masters once more, 4 bytes each.
///
/// [1] TuCOMM: Communication Hierarchy-aware Graph Engine for Distributed Model Training.
class Delegates {
 public:
  struct Place {
    Rank rank;
    std::uint32_t row;
  };

  /// Vertices with at least `degree` leaving edges are heavy.
  Delegates(const Graph& graph, Edge degree);
  /// Hubs whose edges are several for each rank, on average: there a sibling saves records.
  static Edge usual_degree(const Graph& graph);

  /// By rising rank.
  std::span<const Place> of(Local master) const;
  std::span<const Local> targets(std::uint32_t row) const {
    return {targets_.data() + offsets_[row], static_cast<std::size_t>(offsets_[row + 1] - offsets_[row])};
  }
  /// The local number of the mirror that the row belongs to.
  Local mirror(std::uint32_t row) const { return mirrors_[row]; }
  std::size_t memory_bytes() const;

 private:
  std::vector<Local> heavy_;               // own masters, ascending
  std::vector<std::size_t> places_begin_;  // [heavy], one more
  std::vector<Place> places_;
  std::vector<Edge> offsets_;  // [row], one more
  Array<Local> targets_;
  std::vector<Local> mirrors_;  // [row]
};

}  // namespace atl
