// SPDX-License-Identifier: Apache-2.0
#include <atoll/algorithms/spectral/iteration.hpp>
#include <cmath>

namespace atl {
namespace {

constexpr std::size_t kFactorGrain = 1 << 16;

Array<double> weights_of(Team& team, const Csr& rows) {
  Array<double> weights(rows.targets.size());
  std::visit(
      [&](const auto& column) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(column)>, std::monostate>)
          team.for_range(weights.size(), kFactorGrain, [&](int, std::size_t a, std::size_t b) {
            for (std::size_t e = a; e < b; ++e) weights[e] = static_cast<double>(column[e]);
          });
      },
      rows.weights);
  return weights;
}

const Graph& with_weights_for(EdgeWeighting weighting, const Graph& graph) {
  if (weighting == EdgeWeighting::ones) return graph;
  check(graph.weighted(),
        "{} has no weights (edges are to count by their weights). Give edges with weights, or leave that out.",
        graph.name());
  graph.world().collective_try([&] {
    for (Local v = 0; v < graph.active(); ++v)
      graph.out().for_edges(v, [&](Local u, auto weight) {
        check(
            weight >= 0 && std::isfinite(static_cast<double>(weight)),
            "{}: edge {} -> {} has the weight {} (scores add up weights that are finite and not negative). Correct it, "
            "or leave the weights out.",
            graph.name(), graph.id_of(v), graph.id_of(u), weight);
      });
  });
  return graph;
}

}  // namespace

SpectralIteration::SpectralIteration(const Graph& graph, CutRows rows, EdgeWeighting weighting)
    : graph_(with_weights_for(weighting, graph)),
      team_(graph.world().team()),
      sum_(graph, rows),
      x_(index(sum_.view().locals), 0.0),
      sums_(x_.size(), 0.0),
      threads_(static_cast<std::size_t>(team_.size())) {
  if (weighting == EdgeWeighting::of_edges) sum_.set_factors(weights_of(team_, sum_.rows()));
}

void SpectralIteration::multiply() {
  sum_.update_mirrors({x_.data(), x_.size()});
  sum_.add({x_.data(), x_.size()}, {sums_.data(), sums_.size()}, [](int, std::size_t, std::size_t) {});
}

void SpectralIteration::write(const Array<double>& values, double factor, Array<double>& by_owned_index) const {
  if (by_owned_index.size() != owned()) by_owned_index = Array<double>(owned());
  for (std::size_t v = 0; v < owned(); ++v)
    by_owned_index[graph_.owned_index_of(static_cast<Local>(v))] = values[v] * factor;
}

}  // namespace atl
