// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/verify/verdict.hpp>

/// Whether distances (and parents) are those of shortest paths: the Graph500 specification's five rules, section
/// "Validation", for kernel 3, with sums rounded to Real and compared bit by bit. Never calls the algorithm.
///
///     Verdict verdict = verify_sssp<float>(graph, source, distances, parents);      // natural order; collective
///     if (!verdict.ok) throw VerificationError(verdict.what);
///
///     rule 1  the parents are a tree from the source, its own parent: no cycle, along edges of weight 0 neither
///     rule 2  dist(source) = 0; dist(v) = dist(parent) + w exactly, for an edge of weight w between them
///     rule 3  dist(v) <= dist(u) + w for each edge u -> v
///     rule 4  no edge leads from a reached vertex to one that was not
///     rule 5  a vertex and its parent are joined by an edge
///
/// Without parents some edge into v must make its distance, and from the source such edges must lead to all that is
/// reached. Together the rules prove that each distance is right: it is the length of a path, and no path is shorter.
/// They look at the graph's own lists, so what its build did wrong (a lost edge, a weight) is not seen.
///
/// Cost: distances travel once to the mirrors and each entering edge is looked at once; where edges add nothing to a
/// distance, parents travel too and each edge is looked at once more, in as many rounds as those edges change ranks.
namespace atl {

/// Original ids; infinity and kNoVertex where not reached. Of several breaches the one of the lowest rule in the order
/// 2 (of single vertices), 1, 5, 2, 3, 4, 1 (cycles) is named, then the lowest vertices. Collective; InputError, the
/// same on all ranks, if no vertex has the id `source`, the weights are wider than Real or the sizes do not fit.
template <class Real>
Verdict verify_sssp(const Graph& graph, Vertex source, std::span<const Real> distance,
                    std::span<const Vertex> parent = {});

/// The same for numbers of edges, kUnreachable where not reached; weights are ignored.
Verdict verify_depths(const Graph& graph, Vertex source, std::span<const Vertex> depth);

}  // namespace atl
