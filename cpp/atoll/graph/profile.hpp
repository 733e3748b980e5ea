// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/numbering.hpp>
#include <string>
#include <vector>

/// What an edge list holds and what a run on it would take, before it is run.
///
///     EdgeList edges = read_edges(world, "web.el");
///     IdMap ids = number(world, edges);
///     GraphProfile profile = profile_of(world, edges, ids);
///     for (const auto& [what, bytes] : expected_bytes(profile)) ...
namespace atl {

struct GraphProfile {
  Vertex vertices = 0, isolated = 0;
  Edge edges = 0;           ///< as the input has them
  Edge distinct_edges = 0;  ///< estimated within about 2 %; undirected ones do not differ by direction
  Edge self_loops = 0;
  bool directed = false;
  std::size_t weight_bytes = 0, id_bytes = 0;  ///< id_bytes: of a dense number in the edge list
  bool ids_are_a_range = false;
  Vertex least_id = 0, most_id = 0;
  /// Of both ends' degrees (undirected), or of leaving edges (directed).
  Edge most_degree = 0, most_in_degree = 0;
  /// [k] vertices of degree 2^(k-1) .. 2^k - 1; [0] of degree 0.
  std::vector<Vertex> degree_histogram;
  /// The same of leaving and entering edges together; what mirrors come from.
  std::vector<Vertex> both_histogram;
  Rank ranks = 0;                                ///< that the next, and expected_bytes(), are for
  Edge cut_edges = 0;                            ///< between vertices of different ranks
  Vertex components = 0, largest_component = 0;  ///< the direction of edges ignored
};

/// `edges` are dense (number()ed). Collective. Takes 12 to 24 bytes per vertex on every rank. `ranks`: of the
/// run that is asked about; 0: this one.
GraphProfile profile_of(World& world, const EdgeList& edges, const IdMap& ids, Rank ranks = 0);

struct ExpectedBytes {
  std::string what;
  double bytes;  ///< of all ranks together
};
/// The structures of a Graph; the last two are their sum and what the build takes at its fullest moment.
std::vector<ExpectedBytes> expected_bytes(const GraphProfile& profile);

struct ExpectedSeconds {
  double build;
  double search;  ///< one breadth-first search; without skew in the degrees up to ten times that
};
/// On `workers` cores in all (ranks times threads) like the one that the rates were measured on.
ExpectedSeconds expected_seconds(const GraphProfile& profile, int workers);

}  // namespace atl
