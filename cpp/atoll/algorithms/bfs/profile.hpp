// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/direction.hpp>
#include <atoll/graph/graph.hpp>
#include <atoll/runtime/routes/route_model.hpp>
#include <map>

/// Predicts what a breadth-first search sends in each level on any number of ranks, from one search.
///
///     BfsProfile profile = BfsProfile::of(graph, source);      // runs one search
///     for (const Exchange& e : profile.scaled(64).exchanges(79024, {})) model.seconds("domain", e);
///
/// Assumptions: vertices are assigned to ranks at random; edges hit vertices in proportion to their degrees,
/// independently of levels; a larger graph of the family has proportionally larger levels and counts of each degree, and
/// is searched in the directions that the one search took.
namespace atl {

struct BfsProfile {
  struct Level {
    double vertices = 0;
    double edges = 0;     ///< out-edges of those vertices
    bool pulled = false;  ///< by the search that chose its directions
  };
  struct Ways {
    /// Savings::claims: a record is sent for each pair (rank, vertex) when the first edge from the rank reaches the vertex,
    /// otherwise for each edge between ranks.
    bool claims = true;
    Direction direction = Direction::push;
    /// Whether bits travel as words that are not zero (MirrorBits), as on routes of several hops.
    bool words_as_records = true;
  };
  std::vector<Level> levels;       ///< the source first
  std::map<Edge, double> degrees;  ///< out-degree -> number of vertices
  std::size_t record_bytes = 8;    ///< local vertex and parent
  double vertices = 0, edges = 0;  ///< vertices with an out-edge; their out-edges

  /// Collective.
  static BfsProfile of(const Graph& graph, Vertex source);
  BfsProfile scaled(double times) const;
  /// The exchanges in their order: records for a level whose edges are pushed; the frontier's bits before the first pull
  /// and after each.
  std::vector<Exchange> exchanges(double ranks, const Ways& ways) const;
  /// Edges of the vertices that the search reaches, each counted once if `undirected`.
  double traversed_edges(bool undirected) const;

 private:
  double mirrors(double ranks) const;
  Exchange bits(double ranks, double share, bool words_as_records) const;
};

}  // namespace atl
