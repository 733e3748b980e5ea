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
namespace {

constexpr std::size_t kCutGrain = 1024;
constexpr Vertex kNoneYet = kUnreachable;

}  // namespace

template <class Real, class Sum>
VertexCutSssp<Real, Sum>::VertexCutSssp(const Graph& graph, const SsspOptions& options)
    : graph_(graph),
      world_(graph.world()),
      team_(world_.team()),
      distance_(graph),
      cut_(*distance_.cut()),
      parents_(GraphView::along_edges(cut_)),
      locals_(index(cut_.locals())),
      id_(locals_, kNoVertex),
      parent_(locals_),
      has_parent_(locals_),
      changed_(cut_.locals()) {
  // A bucket as wide as the heaviest edge: each bucket costs at least one round, and a premature relaxation costs no
  // message.
  Real heaviest = 0;
  const EdgeWeights<Real> weights("sssp", graph, graph.out());
  for (std::size_t e = 0; e < weights.size(); ++e) heaviest = std::max(heaviest, weights[e]);
  heaviest = world_.max(heaviest);
  delta_ = options.delta.value_or(heaviest > 0 ? static_cast<double>(heaviest) : 1);
  for (Local v = 0; v < graph.owned(); ++v) id_[v] = graph.id_of(v);
  parents_.broadcast_all({id_.data(), locals_});
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
  find_parents(from);
  write(result);
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

// The parent of v is the least id among neighbours u with dist(u) < dist(v) and dist(u) + w == dist(v). Where weights
// of 0, or too small to change the sum, leave none, v takes a neighbour of the same distance that had a parent before
// the round, so the tree has no cycle.
template <class Real, class Sum>
void VertexCutSssp<Real, Sum>::find_parents(Local source) {
  distance_.synchronize_mirrors();
  changed_.clear();
  std::fill(parent_.begin(), parent_.end(), kNoneYet);
  std::fill(has_parent_.begin(), has_parent_.end(), 0);
  propose_parents([&](std::size_t u, std::size_t v) { return distance(u) < distance(v); });
  Vertex without_parent = update_has_parent(source);
  if (without_parent == 0) return;
  MirrorExchange<char, MinOf> has_parent_exchange(GraphView::all_of(cut_));
  while (without_parent > 0) {
    has_parent_exchange.broadcast_all({has_parent_.data(), locals_});
    propose_parents([&](std::size_t u, std::size_t v) { return has_parent_[u] != 0 && has_parent_[v] == 0; });
    const Vertex before = std::exchange(without_parent, update_has_parent(source));
    check(without_parent < before, "sssp: {}: a distance is made by no edge (a fault of this program). Report it.",
          graph_.name());
  }
}

// Sends the id of u to the master of v for each tight edge u -> v with f(u, v).
template <class Real, class Sum>
template <class F>
void VertexCutSssp<Real, Sum>::propose_parents(F&& f) {
  const Csr& out = cut_.rows();
  const EdgeWeights<Real> weights("sssp", graph_, out);
  team_.for_range(locals_, kCutGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t u = a; u < b; ++u) {
      if (distance(u) == kUnreached) continue;
      for (auto e = static_cast<std::size_t>(out.offsets[u]); e < static_cast<std::size_t>(out.offsets[u + 1]); ++e) {
        const std::size_t v = index(out.targets[e]);
        if (distance(u) + static_cast<Sum>(weights[e]) != distance(v) || !f(u, v)) continue;
        if (combine_atomically(parent_[v], id_[u], MinOf{})) changed_.set(out.targets[e]);
      }
    }
  });
  parents_.reduce({parent_.data(), locals_}, changed_);
  changed_.clear();
}

// Marks the masters that have a parent; returns the number of reached vertices on all ranks that have none.
template <class Real, class Sum>
Vertex VertexCutSssp<Real, Sum>::update_has_parent(Local source) {
  if (source >= 0) parent_[source] = id_[source];
  Vertex without_parent = 0;
  for (std::size_t v = 0; v < index(graph_.owned()); ++v) {
    has_parent_[v] = parent_[v] != kNoneYet;
    without_parent += distance(v) != kUnreached && !has_parent_[v];
  }
  return world_.sum(without_parent);
}

template <class Real, class Sum>
void VertexCutSssp<Real, Sum>::write(SsspResult<Real>& result) {
  const auto owned = index(graph_.owned());
  if (result.distance.size() != owned) {
    result.distance = Array<Real>(owned);
    result.parent = Array<Vertex>(owned);
  }
  refuse_rounded<Real, Sum>(graph_, [&](Vertex v) { return distance(index(graph_.local_of(v))); });
  Vertex reached = 0;
  for (std::size_t v = 0; v < owned; ++v) {
    const std::size_t local = index(graph_.local_of(static_cast<Vertex>(v)));
    result.distance[v] = distance(local) == kUnreached ? kSsspUnreached<Real> : static_cast<Real>(distance(local));
    result.parent[v] = distance(local) == kUnreached ? kNoVertex : parent_[local];
    reached += distance(local) != kUnreached;
  }
  result.reached = world_.sum(reached);
}

template <class Real, class Sum>
std::size_t VertexCutSssp<Real, Sum>::memory_bytes() const {
  return locals_ * (2 * sizeof(Vertex) + 1) + distance_.memory_bytes() + parents_.memory_bytes();
}

template class VertexCutSssp<float>;
template class VertexCutSssp<double>;
template class VertexCutSssp<double, std::uint64_t>;

}  // namespace atl
