// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <atoll/runtime/routes/route_model.hpp>
#include <map>

/// Predicts the records that a push-only breadth-first search sends in each level on any number of ranks, from one
/// search.
///
///     BfsProfile profile = BfsProfile::of(graph, source);      // runs one search
///     for (const Exchange& e : profile.scaled(64).exchanges(79024)) model.seconds("domain", e);
///
/// Assumptions: vertices are assigned to ranks at random; edges hit vertices in proportion to their degrees,
/// independently of levels; a larger graph of the family has proportionally larger levels and counts of each degree.
namespace atl {

struct BfsProfile {
  struct Level {
    double vertices = 0;
    double edges = 0;  ///< out-edges of those vertices
  };
  std::vector<Level> levels;       ///< the source first
  std::map<Edge, double> degrees;  ///< out-degree -> number of vertices
  std::size_t record_bytes = 8;    ///< local vertex and parent
  double vertices = 0, edges = 0;  ///< vertices with an out-edge; their out-edges

  /// Collective.
  static BfsProfile of(const Graph& graph, Vertex source);
  BfsProfile scaled(double times) const;
  /// One per level. With `claims` (Savings) a record is sent for each pair (rank, vertex) when the first edge from the
  /// rank reaches the vertex, otherwise for each edge between ranks.
  std::vector<Exchange> exchanges(double ranks, bool claims = true) const;
};

}  // namespace atl
