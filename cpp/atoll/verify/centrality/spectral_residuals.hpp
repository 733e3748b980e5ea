// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/verify/verdict.hpp>

/// Checks eigenvector and Katz centrality, hubs and authorities, by what one more iteration does to them. Never calls
/// the algorithms.
///
///     Verdict verdict = verify_eigenvector(graph, scores, {.tolerance = 1e-6});     // by owned index; collective
///
///     rule 1  each score is a finite number, and not negative where no weight is
///     rule 2  they are scaled as they are to be: squares that sum to 1; hubs and authorities that sum to 1
///     rule 3  one more iteration changes them by at most 10 times the tolerance in all
///
/// By rule 3 the scores of eigenvector are an eigenvector. In a graph that is not connected (directed: strongly) other
/// components may have eigenvectors without negative entries, too: the rules do not tell that a component's eigenvalue
/// is the largest. Katz centrality is the only solution of its equation.
///
/// Cost: one or two products of the adjacency matrix and a vector, over the edge-cut.
namespace atl {

struct SpectralTerms {
  double tolerance = 1e-6;  ///< that the run ended at
  bool weighted = false;    ///< edges count by their weights
};

/// All throw InputError, the same on all ranks, if a size does not fit or weights are missing.
Verdict verify_eigenvector(const Graph& graph, std::span<const double> score, const SpectralTerms& terms);
Verdict verify_katz(const Graph& graph, std::span<const double> score, double alpha, double beta,
                    const SpectralTerms& terms);
/// Either may be empty: it is then not checked.
Verdict verify_hits(const Graph& graph, std::span<const double> hub, std::span<const double> authority,
                    const SpectralTerms& terms);

}  // namespace atl
