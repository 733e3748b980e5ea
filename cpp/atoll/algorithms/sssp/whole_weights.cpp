// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/sssp/edge_weights.hpp>
#include <atoll/algorithms/sssp/whole_weights.hpp>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>

namespace atl {

bool needs_double_sums(const Graph& graph) {
  constexpr std::size_t kGrain = 4096;
  const auto* narrow = std::get_if<Array<float>>(&graph.out().weights);
  if (narrow == nullptr) return graph.weighted();
  std::atomic<bool> whole{true};
  graph.world().team().for_range(narrow->size(), kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t e = a; e < b && whole.load(std::memory_order_relaxed); ++e)
      if (std::trunc((*narrow)[e]) != (*narrow)[e]) whole = false;
  });
  return graph.world().all(whole);
}

double longest_whole_path(const Graph& graph) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  if (!graph.weighted()) return kNone;
  const EdgeWeights<double> weights("sssp", graph, graph.out());
  Team& team = graph.world().team();
  std::vector<double> greatest(static_cast<std::size_t>(team.size()), 0), sums(greatest);
  team.for_range(weights.size(), std::size_t{1} << 16, [&](int thread, std::size_t a, std::size_t b) {
    double most = 0, sum = 0;
    bool whole = true;
    for (std::size_t e = a; e < b; ++e) {
      const double w = weights[e];
      whole &= w >= 0 && w == std::floor(w);
      most = std::max(most, w);
      sum += w;
    }
    double& mine = greatest[thread];
    mine = whole ? std::max(mine, most) : kNone;
    sums[thread] += sum;
  });
  const double most = graph.world().max(*std::max_element(greatest.begin(), greatest.end()));
  const double sum = graph.world().sum(std::accumulate(sums.begin(), sums.end(), 0.0));
  return std::isinf(most) ? kNone : std::min(most * static_cast<double>(std::max<Vertex>(graph.vertices(), 1)), sum);
}

}  // namespace atl
