// SPDX-License-Identifier: Apache-2.0
#include <atoll/algorithms/whole_weights.hpp>
#include <atomic>
#include <cmath>

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

}  // namespace atl
