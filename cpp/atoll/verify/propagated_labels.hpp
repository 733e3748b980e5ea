// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/verify/verdict.hpp>

/// Whether labels are those of synchronous label propagation (CDLP of the LDBC Graphalytics specification). Never calls
/// the algorithm.
///
///     Verdict verdict = verify_label_propagation(graph, labels, {.iterations = 10});      // natural order; collective
///     verdict = verify_label_propagation(graph, after_ten, {.iterations = 1, .previous = after_nine});
///
///     rule 1  a label is the id that the rounds give: in each, the most frequent among the neighbours' labels, of
///             equally frequent ones the smallest; from the vertices' own ids, or from `previous`
///
/// Labels say nothing about the rounds before the last, so the rounds are done again, each vertex counting its
/// neighbours' labels in a table of its own. It proves all; it is no cheaper than the algorithm: k times all edges and
/// a broadcast. From the labels of the round before, one round.
namespace atl {

struct LabelRounds {
  int iterations = 10;
  std::span<const Vertex> previous = {};  ///< natural order; empty: every vertex begins with its own id
};

/// InputError, the same on all ranks, for less than 0 iterations and sizes that do not fit.
Verdict verify_label_propagation(const Graph& graph, std::span<const Vertex> label, const LabelRounds& rounds = {});

}  // namespace atl
