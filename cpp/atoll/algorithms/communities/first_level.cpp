// SPDX-License-Identifier: Apache-2.0
#include <atoll/algorithms/communities/first_level.hpp>
#include <cmath>

namespace atl {
namespace {

constexpr std::size_t kDegreesGrain = 1024;

void check_graph(const Graph& graph, EdgeWeighting weights) {
  check(!graph.directed(),
        "communities: {} is directed (the modularity here is that of undirected graphs). Read it as undirected.",
        graph.name());
  check(weights == EdgeWeighting::ones || graph.weighted(),
        "communities: {} has no weights. Give its edges weights, or let all count alike.", graph.name());
}

}  // namespace

FirstLevel::FirstLevel(const Graph& graph, EdgeWeighting weights)
    : graph_(graph), weights_(weights), degree_(index(graph.active())) {
  World& world = graph.world();
  check_graph(graph, weights);
  const Level level = view();
  world.collective_try([&] {
    with_level_weights(level, [&](const auto& weight) {
      world.team().for_range(level.rows, kDegreesGrain, [&](int, std::size_t a, std::size_t b) {
        for (std::size_t v = a; v < b; ++v) {
          double sum = 0;
          for (Edge e = level.offsets[v]; e < level.offsets[v + 1]; ++e) {
            const double w = static_cast<double>(weight(e));
            const Local u = level.targets[e];
            check(
                w >= 0 && std::isfinite(w),
                "communities: {}: the edge between {} and {} weighs {} (weights are added up: they are finite and not "
                "negative). Correct it.",
                graph.name(), graph.id_of(static_cast<Local>(v)), graph.id_of(u), w);
            sum += index(u) == v ? 2 * w : w;
          }
          degree_[v] = sum;
        }
      });
    });
  });
  for (const double degree : degree_) total_ += degree;
  total_ = world.sum(total_);
  check(std::isfinite(total_), "communities: {}: the sum of all weights is more than a float64 holds. Scale them down.",
        graph.name());
}

Level FirstLevel::view() const {
  const Csr& rows = graph_.out();
  Level level{.rows = degree_.size(),
              .offsets = rows.offsets.data(),
              .targets = rows.targets.data(),
              .weights = {},
              .degree = degree_.data()};
  if (weights_ == EdgeWeighting::ones) return level;
  if (const auto* narrow = std::get_if<Array<float>>(&rows.weights)) level.weights = narrow->data();
  if (const auto* wide = std::get_if<Array<double>>(&rows.weights)) level.weights = wide->data();
  return level;
}

}  // namespace atl
