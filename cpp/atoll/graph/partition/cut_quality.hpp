// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>

namespace atl {

/// What a partition costs, counted from the lists of a graph before anything is dealt out.
struct CutQuality {
  Edge read = 0;                                    ///< mirrors that masters tell, of all ranks
  Edge written = 0;                                 ///< mirrors that masters hear from
  Vertex copies = 0;                                ///< masters and mirrors
  double replication = 1;                           ///< copies / vertices
  double edge_imbalance = 1, vertex_imbalance = 1;  ///< edges, copies: of the fullest rank, over the mean
  /// Of a round that tells all read mirrors a value and hears one from all written ones, as PageRank's does.
  Edge bytes_per_round(std::size_t value_bytes = 4) const { return static_cast<Edge>(value_bytes) * (read + written); }
};

/// `owner` is the rank of each local vertex, mirrors included, on a machine of `ranks`, which may be larger than this
/// job. An undirected edge is one each way. The edge-cut is counted as a Graph has it: both lists of a directed graph lie
/// with the owner, all its mirrors are read and none is written. Local work but for sums; collective.
CutQuality quality_of(const Graph& graph, std::span<const Rank> owner, Rank ranks, const CutRule& rule);

/// The cut whose rounds along all edges move the fewest bytes, by the counts above, if it is worth its second copy of the
/// edges: a vertex-cut has to move at most kWorthwhile of the edge-cut's bytes, or to have at most that share of its load
/// on the fullest rank without moving more. Collective.
CutRule choose_cut(const Graph& graph, std::span<const Rank> owner, Rank ranks, Edge heavy);
/// Over the ranks and owners that the graph has.
CutRule choose_cut(const Graph& graph, Edge heavy);
inline constexpr double kWorthwhile = 2.0 / 3;

}  // namespace atl
