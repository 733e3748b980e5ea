// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/verify/verdict.hpp>

/// Checks the labels of synchronous label propagation (CDLP of the LDBC Graphalytics specification). Never calls the
/// algorithm.
///
///     Verdict verdict = verify_label_propagation(graph, labels, {.iterations = 10});  // by owned index; collective
///     verdict = verify_label_propagation(graph, after_ten, {.iterations = 1, .previous = after_nine});
///
///     rule 1  a label is the result of the rounds: in each, the most frequent among the neighbours' labels, and the
///             smallest of equally frequent ones; starting from the vertices' own ids, or from `previous`
///
/// Labels contain no trace of the rounds before the last, so the rounds are repeated; each vertex counts its
/// neighbours' labels in a table of its own. The check is complete, but no cheaper than the algorithm: k times a
/// broadcast and a pass over all edges. Given the labels of the previous round, it repeats one.
namespace atl {

struct LabelRounds {
  int iterations = 10;
  std::span<const Vertex> previous = {};  ///< in the order of owned indices; empty: every vertex begins with its own id
};

/// Throws InputError, the same on all ranks, for negative iterations and sizes that do not fit.
Verdict verify_label_propagation(const Graph& graph, std::span<const Vertex> label, const LabelRounds& rounds = {});

}  // namespace atl
