// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/pagerank/pagerank.hpp>
#include <atoll/engine/graph_view.hpp>

/// The probabilities with which PageRank's walk takes the edges that leave a vertex, by their weights.
namespace atl {

/// InputError, the same on all ranks, if the graph has no weights, one that is not finite or below 0, or if those of the
/// edges that leave a vertex add up to more than a double holds. Collective.
void check_transition_weights(const Graph& graph);

/// w(u) of a master: the number of edges that leave it, or the sum of their weights.
double leaving_weight(const Graph& graph, Transition transition, Local master);

/// The sum of the weights of the edges that leave each local vertex of the view, mirrors that edges leave included.
/// Collective.
Array<double> leaving_weights(const Graph& graph, const GraphView& view);

/// w(u, v) / w(u) for each entry of `in`, lists of entering edges; `leaving`: w(u) by local number of the lists. They are
/// at most 1, whatever the unit of the weights, so that they do not overflow in float either.
template <class Real>
Array<Real> transition_probabilities(Team& team, const Csr& in, const Array<double>& leaving);

}  // namespace atl
