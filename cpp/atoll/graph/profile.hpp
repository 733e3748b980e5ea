// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/numbering.hpp>
#include <string>
#include <vector>

/// Statistics of an edge list, and the memory and time that a run on it is expected to take.
///
///     EdgeList edges = read_edges(world, "web.el");
///     IdMap ids = number(world, edges);
///     GraphProfile profile = profile_of(world, edges, ids);
///     for (const auto& [what, bytes] : expected_bytes(profile)) ...
namespace atl {

struct GraphProfile {
  Vertex vertices = 0, isolated = 0;
  Edge edges = 0;           ///< tuples of the input
  Edge distinct_edges = 0;  ///< estimated within about 2 %; undirected ones do not differ by direction
  Edge self_loops = 0;
  bool directed = false;
  std::size_t weight_bytes = 0, id_bytes = 0;  ///< id_bytes: of a dense number in the edge list
  bool ids_are_a_range = false;
  Vertex least_id = 0, most_id = 0;
  /// Largest degree (undirected), or largest out-degree and in-degree (directed).
  Edge most_degree = 0, most_in_degree = 0;
  /// [k] vertices of degree 2^(k-1) .. 2^k - 1; [0] of degree 0.
  std::vector<Vertex> degree_histogram;
  /// The same for out-degree + in-degree, from which mirrors are estimated.
  std::vector<Vertex> both_histogram;
  Rank ranks = 0;                                ///< number of ranks that cut_edges and expected_bytes() assume
  Edge cut_edges = 0;                            ///< between vertices of different ranks
  Vertex components = 0, largest_component = 0;  ///< the direction of edges ignored
};

/// `edges` must be dense (number()). Collective. Takes 12 to 24 bytes per vertex on every rank. `ranks`: number of
/// ranks of the planned run; 0: as many as now.
GraphProfile profile_of(World& world, const EdgeList& edges, const IdMap& ids, Rank ranks = 0);

struct ExpectedBytes {
  std::string what;
  double bytes;  ///< on all ranks together
};
/// The structures of a Graph; the last two entries are their sum and the peak memory of the build.
std::vector<ExpectedBytes> expected_bytes(const GraphProfile& profile);

struct ExpectedSeconds {
  double build;
  double search;  ///< one breadth-first search; up to ten times as long if degrees are not skewed
};
/// For `workers` cores in total (ranks times threads) like the one on which the rates were measured.
ExpectedSeconds expected_seconds(const GraphProfile& profile, int workers);

}  // namespace atl
