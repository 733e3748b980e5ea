// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/topology/measured_costs.hpp>
#include <cmath>
#include <limits>

namespace atl {
namespace {

constexpr double kLeast = 1e-12;  // seconds, where a simulated message takes none

std::size_t ranks_of(std::span<const double> cost) {
  const auto ranks = static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(cost.size()))));
  check(ranks > 0 && ranks * ranks == cost.size(),
        "a matrix of {} costs (ranks x ranks are needed). Give one for each pair.", cost.size());
  return ranks;
}

struct TreeEdge {
  std::size_t from, to;
  double cost;
};

// The edges of a minimum spanning tree, by Prim's algorithm: each joins its `to` to the ranks before it.
std::vector<TreeEdge> spanning_tree(std::span<const double> cost) {
  const std::size_t n = ranks_of(cost);
  std::vector<TreeEdge> nearest(n, {0, 0, std::numeric_limits<double>::infinity()});  // [rank] to the tree
  std::vector<char> joined(n, 0);
  std::vector<TreeEdge> tree;
  for (std::size_t last = 0; tree.size() + 1 < n;) {
    joined[last] = 1;
    std::size_t next = n;
    for (std::size_t r = 0; r < n; ++r) {
      if (joined[r]) continue;
      if (cost[last * n + r] < nearest[r].cost) nearest[r] = {last, r, cost[last * n + r]};
      if (next == n || nearest[r].cost < nearest[next].cost) next = r;
    }
    check(std::isfinite(nearest[next].cost),
          "no measured chain from rank 0 to rank {} (all must have one). Measure it.", next);
    tree.push_back(nearest[next]);
    last = next;
  }
  return tree;
}

}  // namespace

void infer_costs(std::span<double> cost) {
  const std::size_t n = ranks_of(cost);
  std::vector<double> chain(cost.size(), 0);
  std::vector<std::size_t> joined{0};
  for (const TreeEdge& edge : spanning_tree(cost)) {
    for (const std::size_t r : joined)
      chain[edge.to * n + r] = chain[r * n + edge.to] = std::max(chain[edge.from * n + r], edge.cost);
    joined.push_back(edge.to);
  }
  for (std::size_t i = 0; i < cost.size(); ++i)
    if (!std::isfinite(cost[i])) cost[i] = chain[i];
}

std::vector<double> clustering_thresholds(std::span<const double> cost, double jump) {
  std::vector<double> heights;
  for (const TreeEdge& edge : spanning_tree(cost)) heights.push_back(edge.cost);
  std::ranges::sort(heights);
  std::vector<double> thresholds;
  for (std::size_t i = 1; i < heights.size(); ++i)
    if (const double below = std::max(heights[i - 1], kLeast); heights[i] > jump * below)
      thresholds.push_back(std::sqrt(below * heights[i]));
  return thresholds;
}

}  // namespace atl
