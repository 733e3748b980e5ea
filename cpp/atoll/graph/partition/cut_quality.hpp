// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>

namespace atl {

/// The communication and balance of a cut, counted from the lists of a graph before any edge is moved.
struct CutQuality {
  Edge read = 0;                                    ///< mirrors that receive broadcasts, on all ranks
  Edge written = 0;                                 ///< mirrors that are reduced, on all ranks
  Vertex copies = 0;                                ///< masters and mirrors
  double replication = 1;                           ///< copies / vertices
  double edge_imbalance = 1, vertex_imbalance = 1;  ///< edges, copies: maximum over mean of the ranks
  /// Bytes of a round that broadcasts to all read mirrors and reduces all written ones, as PageRank's does.
  Edge bytes_per_round(std::size_t value_bytes = 4) const { return static_cast<Edge>(value_bytes) * (read + written); }
};

/// `owner` is the rank of each local vertex, mirrors included, on a machine of `ranks`, which may be larger than this
/// job. An undirected edge counts as one in each direction. The edge-cut is counted as in a Graph: both lists of a
/// directed graph are with the owner, all mirrors are read and none is written. Collective; apart from sums all work is
/// local.
CutQuality quality_of(const Graph& graph, std::span<const Rank> owner, Rank ranks, const CutRule& rule);

/// Returns the cut that moves the fewest bytes per round. A vertex-cut needs a second copy of the edges, so it must
/// move at most kWorthwhile of the edge-cut's bytes, or reduce the maximum load to at most that fraction without moving
/// more bytes. Collective.
CutRule choose_cut(const Graph& graph, std::span<const Rank> owner, Rank ranks, Edge heavy);
/// The same for the graph's own ranks and owners.
CutRule choose_cut(const Graph& graph, Edge heavy);
inline constexpr double kWorthwhile = 2.0 / 3;

}  // namespace atl
