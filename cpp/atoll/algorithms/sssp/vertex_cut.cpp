// SPDX-License-Identifier: Apache-2.0
// Shortest paths by delta-stepping [1] over a vertex-cut, as a vertex program: each rank follows the edges here of the
// vertices in the bucket, mirrors too, until it has no more, then ranks tell each other. The bucket is done when none of its
// vertices waits on any rank.
//
//   in the paper     here               meaning
//   tent(v)          distance_          best distance known
//   B[i]             below the horizon  vertices that wait, and are closer than the end of the bucket
//   relax            the sum in settle
//
// Deviation: light and heavy edges are followed at once. Distances only fall, and to the least over all paths of the
// sums as they are rounded: the order does not matter.
//
// [1] U. Meyer, P. Sanders. "Delta-stepping: a parallelizable shortest path algorithm." J. Algorithms 49(1), 2003.
#include <atoll/algorithms/sssp/edge_weights.hpp>
#include <atoll/algorithms/sssp/vertex_cut.hpp>
#include <cmath>

namespace atl {
namespace {

constexpr std::size_t kGrain = 1024;
constexpr Vertex kNoneYet = kUnreachable;

std::size_t index(Local v) { return static_cast<std::size_t>(v); }

}  // namespace

template <class Real, class Sum>
SsspCut<Real, Sum>::SsspCut(const Graph& graph, const SsspOptions& options)
    : graph_(graph),
      world_(graph.world()),
      team_(world_.team()),
      distance_(graph),
      cut_(*distance_.cut()),
      parents_(SharedVertices::along_edges(cut_)),
      locals_(index(cut_.locals())),
      id_(locals_, kNoVertex),
      parent_(locals_),
      hangs_(locals_),
      changed_(cut_.locals()) {
  // A bucket as wide as the heaviest edge: each costs a round at least, and what is followed too early costs no message.
  Real heaviest = 0;
  const EdgeWeights<Real> weights("sssp", graph, graph.out());
  for (std::size_t e = 0; e < weights.size(); ++e) heaviest = std::max(heaviest, weights[e]);
  heaviest = world_.max(heaviest);
  delta_ = options.delta.value_or(heaviest > 0 ? static_cast<double>(heaviest) : 1);
  for (Local v = 0; v < graph.owned(); ++v) id_[index(v)] = graph.id_of(v);
  parents_.broadcast_all({id_.data(), locals_});
}

template <class Real, class Sum>
void SsspCut<Real, Sum>::run(Vertex source, SsspResult<Real>& result) {
  const auto [owner, natural] = graph_.find(source);
  const Local from = owner == world_.rank() ? graph_.local_of(natural) : -1;
  distance_.start(kFar);
  if (from >= 0) distance_.update(from, 0);
  for (Sum horizon = 0;;) {
    distance_.synchronize();
    Sum least = kFar;
    distance_.for_active([&](Sum distance) { least = std::min(least, distance); });
    least = world_.min(least);
    if (least == kFar) break;
    if (!(least < horizon)) horizon = end_of_bucket(least);
    distance_.relax_until([](Sum distance, const auto& edge) { return distance + static_cast<Sum>(edge.weight); },
                          [=](Sum distance) { return distance < horizon; });
  }
  find_parents(from);
  write(result);
}

template <class Real, class Sum>
Sum SsspCut<Real, Sum>::end_of_bucket(Sum distance) const {
  const double edge = (std::floor(static_cast<double>(distance) / delta_) + 1) * delta_;
  const auto end = static_cast<Sum>(std::min(edge, static_cast<double>(kFar)));
  if (end > distance) return end;
  if constexpr (std::is_integral_v<Sum>) {
    return distance + 1;
  } else {
    return std::nextafter(distance, kFar);
  }
}

// A parent of v is closer and tight, dist(u) + w == dist(v); the least id of those. Where weights of 0, or too small to
// change the sum, leave none, vertices take one of the same distance that has had a parent since the round before: so
// nobody's way back ends in a circle.
template <class Real, class Sum>
void SsspCut<Real, Sum>::find_parents(Local source) {
  distance_.synchronize_mirrors();
  changed_.clear();
  std::fill(parent_.begin(), parent_.end(), kNoneYet);
  std::fill(hangs_.begin(), hangs_.end(), 0);
  propose_parents([&](std::size_t u, std::size_t v) { return distance(u) < distance(v); });
  Vertex left = hang(source);
  if (left == 0) return;
  MirrorExchange<char, MinOf> hanging(SharedVertices::all_of(cut_));
  while (left > 0) {
    hanging.broadcast_all({hangs_.data(), locals_});
    propose_parents([&](std::size_t u, std::size_t v) { return hangs_[u] != 0 && hangs_[v] == 0; });
    const Vertex before = std::exchange(left, hang(source));
    check(left < before, "sssp: {}: a distance is made by no edge (a fault of this program). Report it.",
          graph_.name());
  }
}

// Tight edges u -> v for which f(u, v): their sources' ids go to their targets' masters.
template <class Real, class Sum>
template <class F>
void SsspCut<Real, Sum>::propose_parents(F&& f) {
  const Csr& out = cut_.rows();
  const EdgeWeights<Real> weights("sssp", graph_, out);
  team_.for_range(locals_, kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t u = a; u < b; ++u) {
      if (distance(u) == kFar) continue;
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

// Masters with a parent hang; returns how many of all ranks are reached and do not.
template <class Real, class Sum>
Vertex SsspCut<Real, Sum>::hang(Local source) {
  if (source >= 0) parent_[index(source)] = id_[index(source)];
  Vertex left = 0;
  for (std::size_t v = 0; v < index(graph_.owned()); ++v) {
    hangs_[v] = parent_[v] != kNoneYet;
    left += distance(v) != kFar && !hangs_[v];
  }
  return world_.sum(left);
}

template <class Real, class Sum>
void SsspCut<Real, Sum>::write(SsspResult<Real>& result) {
  const auto owned = index(graph_.owned());
  if (result.distance.size() != owned) {
    result.distance = Array<Real>(owned);
    result.parent = Array<Vertex>(owned);
  }
  refuse_rounded<Real, Sum>(graph_, [&](Vertex v) { return distance(index(graph_.local_of(v))); });
  Vertex reached = 0;
  for (std::size_t v = 0; v < owned; ++v) {
    const std::size_t local = index(graph_.local_of(static_cast<Vertex>(v)));
    result.distance[v] = distance(local) == kFar ? kSsspFar<Real> : static_cast<Real>(distance(local));
    result.parent[v] = distance(local) == kFar ? kNoVertex : parent_[local];
    reached += distance(local) != kFar;
  }
  result.reached = world_.sum(reached);
}

template <class Real, class Sum>
std::size_t SsspCut<Real, Sum>::memory_bytes() const {
  return locals_ * (2 * sizeof(Vertex) + 1) + distance_.memory_bytes() + parents_.memory_bytes();
}

template class SsspCut<float>;
template class SsspCut<double>;
template class SsspCut<double, std::uint64_t>;

}  // namespace atl
