// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <atoll/runtime/aggregation/route_model.hpp>
#include <map>

/// What a breadth-first search that pushes sends, level by level, on any number of ranks: without running it there.
///
///     BfsProfile profile = BfsProfile::of(graph, source);      // searched once, on one rank
///     for (const Exchange& e : profile.scaled(64).exchanges(79024)) model.seconds("domain", e);
///
/// Assumptions: vertices are dealt to ranks at random; edges fall on vertices by their degrees, levels apart; a larger
/// graph of the family has levels and degrees in proportion.
namespace atl {

struct BfsProfile {
  struct Level {
    double vertices = 0;
    double edges = 0;  ///< that leave them
  };
  std::vector<Level> levels;       ///< the source first
  std::map<Edge, double> degrees;  ///< leaving edges -> vertices that have so many
  std::size_t record_bytes = 8;    ///< local vertex and parent
  double vertices = 0, edges = 0;  ///< active vertices; leaving edges

  /// Collective.
  static BfsProfile of(const Graph& graph, Vertex source);
  BfsProfile scaled(double times) const;
  /// One a level: a record for each (rank, vertex) that an edge is the first to join.
  std::vector<Exchange> exchanges(double ranks) const;
};

}  // namespace atl
