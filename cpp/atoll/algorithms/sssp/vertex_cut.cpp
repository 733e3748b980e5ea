// SPDX-License-Identifier: Apache-2.0
// Shortest paths by delta-stepping [1] over a vertex-cut, as a vertex program: each rank relaxes its own edges of the
// vertices in the bucket, mirrors included, until its part of the bucket is empty; then ranks synchronize. The bucket
// is finished when no rank has an active vertex in it.
//
//   in the paper     here               meaning
//   tent(v)          distance_          best distance known
//   B[i]             below the horizon  active vertices with a distance below the end of the bucket
//   relax            the message passed to relax_until
//
// Deviation: light and heavy edges are relaxed at once. Distances only fall, and end at the minimum over all paths of
// the rounded sums, so the order of relaxations does not matter.
//
// [1] U. Meyer, P. Sanders. "Delta-stepping: a parallelizable shortest path algorithm." J. Algorithms 49(1), 2003.
#include <atoll/algorithms/sssp/edge_weights.hpp>
#include <atoll/algorithms/sssp/vertex_cut.hpp>
#include <cmath>

namespace atl {

template <class Real, class Sum>
VertexCutSssp<Real, Sum>::VertexCutSssp(const Graph& graph, const SsspOptions& options)
    : graph_(graph),
      world_(graph.world()),
      tree_(options.tree),
      distance_(graph),
      edge_cut_(graph),
      edge_cut_distance_(index(graph.locals()), kUnreached) {
  // A bucket as wide as the heaviest edge: each bucket costs at least one round, and a premature relaxation costs no
  // message.
  Real heaviest = 0;
  const EdgeWeights<Real> weights("sssp", graph, graph.out());
  for (std::size_t e = 0; e < weights.size(); ++e) heaviest = std::max(heaviest, weights[e]);
  heaviest = world_.max(heaviest);
  delta_ = options.delta.value_or(heaviest > 0 ? static_cast<double>(heaviest) : 1);
}

template <class Real, class Sum>
void VertexCutSssp<Real, Sum>::run(Vertex source, SsspResult<Real>& result) {
  const Local from = graph_.master_of(source).value_or(-1);
  distance_.start(kUnreached);
  if (from >= 0) distance_.update(from, 0);
  for (Sum horizon = 0;;) {
    distance_.synchronize();
    Sum least = kUnreached;
    distance_.for_active([&](Sum distance) { least = std::min(least, distance); });
    least = world_.min(least);
    if (least == kUnreached) break;
    if (!(least < horizon)) horizon = end_of_bucket(least);
    distance_.relax_until([](Sum distance, const auto& edge) { return distance + static_cast<Sum>(edge.weight); },
                          [=](Sum distance) { return distance < horizon; });
  }
  // Over the edge-cut a vertex has all its entering edges on its owner, and a tree needs no more than distances there.
  for (Local v = 0; v < graph_.owned(); ++v) edge_cut_distance_[v] = distance_[v];
  if (tree_) edge_cut_.broadcast_all({edge_cut_distance_.data(), edge_cut_distance_.size()});
  write_paths<Real, Sum>(graph_, from, {{edge_cut_distance_.data(), edge_cut_distance_.size()}, {}}, tree_, result);
}

template <class Real, class Sum>
Sum VertexCutSssp<Real, Sum>::end_of_bucket(Sum distance) const {
  const double edge = (std::floor(static_cast<double>(distance) / delta_) + 1) * delta_;
  const auto end = static_cast<Sum>(std::min(edge, static_cast<double>(kUnreached)));
  if (end > distance) return end;
  if constexpr (std::is_integral_v<Sum>) {
    return distance + 1;
  } else {
    return std::nextafter(distance, kUnreached);
  }
}

template <class Real, class Sum>
std::size_t VertexCutSssp<Real, Sum>::memory_bytes() const {
  return distance_.memory_bytes() + edge_cut_.memory_bytes() + edge_cut_distance_.size() * sizeof(Sum);
}

template class VertexCutSssp<float>;
template class VertexCutSssp<double>;
template class VertexCutSssp<double, std::uint32_t>;
template class VertexCutSssp<double, std::uint64_t>;

}  // namespace atl
