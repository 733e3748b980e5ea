// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/verify/verdict.hpp>

/// Checks that labels name the connected components (weak ones if directed) by their smallest original id. Never calls
/// the algorithm.
///
///     Verdict verdict = verify_components(graph, labels);      // by owned index; collective
///
///     rule 1  label(v) <= v
///     rule 2  both endpoints of each edge have the same label
///     rule 3  a path joins v and the vertex that is its label
///
/// By rule 2 a component has one label, by rule 3 it is one of its ids, and by rule 1 the smallest: the check is
/// complete. Rule 3 is proved by propagating marks along edges from the vertices that are their own label. The rules
/// use the graph's own lists, so edges lost in building the graph are not detected.
///
/// Cost: labels are broadcast once to mirrors; each edge is read once for rule 2 and once from each endpoint for rule
/// 3, in as many rounds as paths to the labels cross between ranks (on one rank: none).
namespace atl {

Verdict verify_components(const Graph& graph, std::span<const Vertex> label);

}  // namespace atl
