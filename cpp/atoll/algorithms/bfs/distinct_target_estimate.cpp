// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/bfs/distinct_target_estimate.hpp>
#include <cmath>

namespace atl {

template <class Id>
DistinctTargetEstimate::DistinctTargetEstimate(const TraversalView<Id>& view) {
  World& world = view.world();
  Edge edges = 0;
  for (Local v = 0; v < view.rows(); ++v) {
    const auto list = view.out().neighbours(v);
    edges += list.end() - std::lower_bound(list.begin(), list.end(), view.active());
  }
  Vertex mirrors = 0;
  for (std::size_t r = 0; r < static_cast<std::size_t>(world.size()); ++r) mirrors += view.count(r);
  const Edge all_edges = world.sum(view.out().size());
  all_mirrors_ = static_cast<double>(world.sum(mirrors));
  edges_to_mirrors_ = static_cast<double>(world.sum(edges));
  claims_ = world.savings().claims;
  mirror_edges_ = edges_to_mirrors_ / static_cast<double>(std::max<Edge>(1, all_edges));
  mean_active_ = static_cast<double>(world.sum(static_cast<Vertex>(view.active()))) / static_cast<double>(world.size());
}

template DistinctTargetEstimate::DistinctTargetEstimate(const TraversalView<std::uint32_t>&);
template DistinctTargetEstimate::DistinctTargetEstimate(const TraversalView<Vertex>&);

double DistinctTargetEstimate::records(const BfsLevel& frontier) const {
  const double edges = static_cast<double>(frontier.edges) * mirror_edges_;
  if (!claims_) return edges;
  return unclaimed_ > 0 ? -unclaimed_ * std::expm1(-edges / unclaimed_) : 0;
}

void DistinctTargetEstimate::note(const BfsLevel& found, Vertex unvisited) {
  if (!claims_) return;
  unclaimed_ -= static_cast<double>(found.records);
  if (found.records == 0 && unvisited > 0)  // pulled: bits were broadcast to the mirrors
    unclaimed_ *= 1 - static_cast<double>(found.vertices) / static_cast<double>(unvisited);
}

}  // namespace atl
