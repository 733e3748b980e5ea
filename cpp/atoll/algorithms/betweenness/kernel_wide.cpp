// SPDX-License-Identifier: Apache-2.0
// Betweenness where the number of shortest paths to a vertex overflows a double: on grids, and in chains of squares, it
// grows exponentially with the level. The levels are known; paths are counted again, each count with a mantissa and
// an exponent. Dependencies use only ratios of counts, and those of neighbours on shortest paths are at most 1.
#include <atoll/algorithms/betweenness/kernel.hpp>
#include <cmath>

namespace atl {
namespace {

constexpr std::size_t kWideGrain = 256;

}  // namespace

// paths_[v] becomes the mantissa, between 1/2 and 1.
void BetweennessKernel::count_wide() {
  if (exponent_.size() != state_.size()) {
    exponent_ = Array<std::int32_t>(state_.size());
    level_of_ = Array<std::int32_t>(state_.size());
  }
  std::fill(level_of_.begin(), level_of_.end(), -1);
  for (std::size_t d = 0; d < levels_.size(); ++d)
    for_vertices(levels_[d], kWideGrain, [&](Thread&, Local v) { level_of_[v] = static_cast<std::int32_t>(d); });
  const Local source = queue_[0];
  paths_[source] = std::frexp(1.0, &exponent_[source]);
  for (std::size_t d = 1; d < levels_.size(); ++d)
    for_vertices(levels_[d], kWideGrain, [&](Thread&, Local v) {
      const auto above = static_cast<std::int32_t>(d) - 1;
      std::int32_t most = std::numeric_limits<std::int32_t>::min();
      for (const Local u : graph_.in().neighbours(v))
        if (level_of_[u] == above) most = std::max(most, exponent_[u]);
      double sum = 0;  // counts far below the largest vanish, as they would in a double
      for (const Local u : graph_.in().neighbours(v))
        if (level_of_[u] == above) sum += std::ldexp(paths_[u], exponent_[u] - most);
      int more = 0;
      paths_[v] = std::frexp(sum, &more);
      exponent_[v] = most + more;
    });
}

void BetweennessKernel::accumulate_wide(std::size_t depth) {
  for_vertices(levels_[depth], kWideGrain, [&](Thread&, Local u) {
    const double paths = paths_[u];
    const std::int32_t exponent = exponent_[u], below = static_cast<std::int32_t>(depth) + 1;
    double dependency = 0;
    for (const Local v : graph_.out().neighbours(u))
      if (level_of_[v] == below)
        dependency += std::ldexp(paths / paths_[v], exponent - exponent_[v]) * (1 + dependency_[v]);
    dependency_[u] = dependency;
  });
}

}  // namespace atl
