// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/verify/verdict.hpp>

/// Checks that labels name the strongly connected components by their smallest original id. Never calls the algorithm.
///
///     Verdict verdict = verify_strong_components(graph, labels);      // by owned index; collective
///
///     rule 1  label(v) <= v
///     rule 2  a path leads from the vertex that is v's label to v, and one back, through vertices of the same label
///     rule 3  the labels can be removed one after another, each when no edge enters it from another label
///
/// By rule 2 the vertices of a label are in one component, by rule 3 no cycle passes two labels, so that a component
/// has one label, and by rules 1 and 2 that is its smallest id: the check is complete. The rules use the graph's own
/// lists, so edges lost in building the graph are not detected.
///
/// Cost: labels are broadcast once to mirrors; each edge is read once for each direction of rule 2 and twice for rule
/// 3, in as many rounds as paths, or chains of removals, cross between ranks.
namespace atl {

Verdict verify_strong_components(const Graph& graph, std::span<const Vertex> label);

}  // namespace atl
