// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/verify/verdict.hpp>

/// Checks that distances (and parents) are those of shortest paths, by the five rules of the Graph500 specification,
/// section "Validation", for kernel 3; sums are rounded to Real and compared bit by bit. Never calls the algorithm.
///
///     Verdict verdict = verify_sssp<float>(graph, source, distances, parents);      // by owned index; collective
///     if (!verdict.ok) throw VerificationError(verdict.what);
///
///     rule 1  the parents are a tree from the source, its own parent: no cycle, not even along edges of weight 0
///     rule 2  dist(source) = 0; dist(v) = dist(parent) + w exactly, for an edge of weight w between them
///     rule 3  dist(v) <= dist(u) + w for each edge u -> v
///     rule 4  no edge leads from a reached vertex to one that was not
///     rule 5  a vertex and its parent are joined by an edge
///
/// Without parents, some edge into v must be tight, and tight edges must connect every reached vertex to the source.
/// Together the rules prove that each distance is correct: it is the length of a path, and no path is shorter. They use
/// the graph's own lists, so errors in building the graph (a lost edge, a wrong weight) are not detected. Given the
/// dense tuples from which it was built (number()), they use those instead:
///
///     PathsVerdict verdict = verify_sssp<float>(graph, source, distances, parents, edges);
///
/// Cost: distances are broadcast once to mirrors and each entering edge is read once. If distances are equal along some
/// edges, parents are broadcast too and each edge is read once more, in as many rounds as paths of such edges cross
/// between ranks. With tuples: ids of parents are translated (see verify_bfs), each tuple takes at most two hops and
/// each vertex sends one message to its parent; if distances are equal along a tree edge, the tree is checked as in
/// verify_bfs. About 8 bytes and a Real per owned vertex; nothing is replicated.
namespace atl {

/// Original ids; infinity and kNoVertex if not reached. Of several violations the first rule is named in the order 2
/// (of single vertices), 1, 5, 2, 3, 4, 1 (cycles), then the lowest vertices. Collective; throws InputError, the same
/// on all ranks, if no vertex has the id `source`, the weights are wider than Real or the sizes do not fit.
template <class Real>
Verdict verify_sssp(const Graph& graph, Vertex source, std::span<const Real> distance,
                    std::span<const Vertex> parent = {});

struct PathsVerdict : Verdict {
  Edge edges_in_component = 0;  ///< tuples (directed: that start there), each once, self-loops included
};

/// Checks against the input: this rank's slice of the dense tuples from which the graph was built, in any order; of
/// parallel ones the smallest weight counts. Lowest vertices are lowest dense numbers here. Collective; throws
/// InputError as above.
template <class Real>
PathsVerdict verify_sssp(const Graph& graph, Vertex source, std::span<const Real> distance,
                         std::span<const Vertex> parent, const EdgeList& tuples);

/// The same, against the lists, where weights may be negative: rule 1 is followed from the source along every path. That
/// the rules hold also proves that no cycle that the source reaches has a negative sum.
Verdict verify_bellman_ford(const Graph& graph, Vertex source, std::span<const double> distance,
                            std::span<const Vertex> parent = {});

/// The same as verify_sssp, against the lists, for hop counts, kUnreachable if not reached; weights are ignored.
Verdict verify_depths(const Graph& graph, Vertex source, std::span<const Vertex> depth);

}  // namespace atl
