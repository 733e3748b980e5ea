// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <atoll/verify/verdict.hpp>
#include <span>

/// Checks that parents give the minimum (or maximum) spanning forest. Never calls the algorithm.
///
///     Verdict verdict = verify_spanning_forest(graph, parents, weights);    // collective
///
///     rule 1  parent(v) is v or a neighbour of v, and weight(v) is that of an edge between them; 0 if it is v
///     rule 2  parents lead from every vertex to one that is its own parent: its root, whose id is at most its own
///     rule 3  both ends of each edge have the same root
///     rule 4  on the path between the ends of each edge no edge of the forest comes after that edge, in the order of
///             weights, of the smaller ends where these are equal, and of the larger ends where these are too
///
/// By rules 1 to 3 there is one tree for each component, with its smallest id as root. By rule 4 no edge could replace
/// another, which only the one forest of this order fulfils: the check is complete. The rules use the graph's own
/// lists, so edges lost in building the graph are not detected.
///
/// Every rank gathers the forest, and rule 4 links its edges in their order, smaller sets to larger ones: the edge by
/// which two vertices came together is the last on their path, and is found in at most log2 n steps. Cost: every edge
/// is read three times from each end; 80 bytes on each rank for every vertex of the graph. Where that is more than
/// Plan::replicated_bytes, ranks keep the edges of a block of vertices each (forest_paths.hpp), and rule 4 is held for
/// a sample of 65,536 edges, the same for any number of ranks: then the check is not complete.
namespace atl {

/// Which edges come first: the lightest (of a minimum forest) or the heaviest.
enum class FirstEdges { lightest, heaviest };

struct SpanningForestTerms {
  FirstEdges first = FirstEdges::lightest;
  bool by_weight = true;  ///< by the weights of the graph, if it has any; else every edge weighs 1
};

/// `parent` and `weight` by owned index; without weights (an empty list) each edge to a parent is the first between the
/// two. Throws InputError, the same on all ranks, if the graph is directed or the sizes do not fit.
Verdict verify_spanning_forest(const Graph& graph, std::span<const Vertex> parent, std::span<const double> weight,
                               const SpanningForestTerms& terms = {});

}  // namespace atl
