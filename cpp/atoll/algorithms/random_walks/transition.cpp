// SPDX-License-Identifier: Apache-2.0
#include <atoll/algorithms/random_walks/transition.hpp>
#include <vector>

namespace atl {
namespace {

constexpr std::size_t kTotalGrain = 1 << 12;

const Csr& lists_for(EdgeWeighting weighting, const Graph& graph) {
  if (weighting == EdgeWeighting::of_edges) require_chances(graph, graph.out());
  return graph.out();
}

}  // namespace

Transition::Transition(const Graph& graph, EdgeWeighting weighting)
    : graph_(graph), rows_(graph, lists_for(weighting, graph), weighting) {
  if (weighting == EdgeWeighting::ones) return;
  Team& team = graph.world().team();
  alias_ = AliasRows(team, graph, rows_);
  for (Local v = 0; v < graph.owned(); ++v)
    for (const double weight : rows_.weights(v)) greatest_ = std::max(greatest_, weight);
  greatest_ = graph.world().max(greatest_);
  if (greatest_ == 0) greatest_ = 1;
  totals_ = Array<double>(index(graph.owned()));
  team.for_range(totals_.size(), kTotalGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) {
      totals_[v] = 0;
      for (const double weight : rows_.weights(static_cast<Local>(v))) totals_[v] += weight / greatest_;
    }
  });
}

double Transition::weight_between(Local v, Local to) const {
  const std::span<const Local> neighbours = graph_.out().neighbours(v);
  const auto [first, last] = std::ranges::equal_range(neighbours, to);
  if (!weighted()) return static_cast<double>(last - first);
  const Edge begin = graph_.out().offsets[v] + (first - neighbours.begin());
  std::vector<double> parallel;
  std::visit(
      [&](const auto& column) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(column)>, std::monostate>)
          for (Edge e = begin; e < begin + (last - first); ++e)
            parallel.push_back(static_cast<double>(column[index(e)]));
      },
      graph_.out().weights);
  // Added up in one order on any ranks.
  std::sort(parallel.begin(), parallel.end());
  double sum = 0;
  for (const double weight : parallel) sum += weight / greatest_;
  return sum;
}

}  // namespace atl
