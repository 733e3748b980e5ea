// SPDX-License-Identifier: Apache-2.0
// Builds the shortest-path tree from the distances, and writes both by owned index.
#include <atoll/algorithms/sssp/distributed.hpp>
#include <atoll/algorithms/sssp/edge_weights.hpp>

namespace atl {
namespace {

constexpr std::size_t kTreeGrain = 1024;

}  // namespace

// A neighbour u with dist(u) < dist(v) and a tight edge, dist(u) + w == dist(v); -1 if every tight edge comes from a
// vertex of v's own distance. The recorded predecessor qualifies even if its distance has fallen since: the new sum was
// rounded to the same value, otherwise dist(v) would have fallen too.
template <class Real, class Sum>
Local DistributedSssp<Real, Sum>::parent_of(Local v) const {
  const Sum distance = distance_[v];
  const Predecessor predecessor = predecessor_[v];
  if (predecessor.vertex >= 0 && predecessor.reached == distance) return predecessor.vertex;
  const Csr& in = graph_.in();
  const EdgeWeights<Real> weights("sssp", graph_, in);
  for (auto e = static_cast<std::size_t>(in.offsets[v]); e < static_cast<std::size_t>(in.offsets[index(v) + 1]); ++e)
    if (const Sum before = distance_[in.targets[e]];
        before < distance && before + static_cast<Sum>(weights[e]) == distance)
      return in.targets[e];
  return -1;
}

template <class Real, class Sum>
void DistributedSssp<Real, Sum>::write(Local source, SsspResult<Real>& result) {
  const auto owned = index(graph_.owned());
  if (result.distance.size() != owned) {
    result.distance = Array<Real>(owned);
    result.parent = Array<Vertex>(owned);
  }
  for (Thread& t : threads_) {
    t.reached = 0;
    t.equal_distance.clear();
  }
  auto fill = [&](const auto& ids, int t, std::size_t a, std::size_t b) {
    Thread& thread = threads_[t];
    for (std::size_t v = a; v < b; ++v) {
      const Local local = graph_.local_of(static_cast<Vertex>(v));
      const Sum distance = distance_[local];
      result.distance[v] = distance == kUnreached ? kSsspUnreached<Real> : static_cast<Real>(distance);
      result.parent[v] = kNoVertex;
      if (distance == kUnreached) continue;
      ++thread.reached;
      const Local parent = local == source ? source : parent_of(local);
      if (parent >= 0) {
        result.parent[v] = static_cast<Vertex>(ids[parent]);
      } else {
        thread.equal_distance.push_back(local);
      }
    }
  };
  refuse_rounded<Real, Sum>(graph_, [&](Vertex v) { return distance_[graph_.local_of(v)]; });
  std::visit(
      [&](const auto& ids) {
        team_.for_range(owned, kTreeGrain, [&](int t, std::size_t a, std::size_t b) { fill(ids, t, a, b); });
      },
      graph_.id_column());
  struct Sums {
    Vertex reached = 0, equal_distance = 0;
  } mine;
  for (const Thread& t : threads_) {
    mine.reached += t.reached;
    mine.equal_distance += static_cast<Vertex>(t.equal_distance.size());
  }
  const Sums all = world_.fold(mine, [](const Sums& a, const Sums& b) {
    return Sums{a.reached + b.reached, a.equal_distance + b.equal_distance};
  });
  result.reached = all.reached;
  if (all.equal_distance > 0) assign_zero_weight_parents(result);
}

// Assigns parents to vertices whose tight edges all come from the same distance (weights of 0, or too small to change
// the sum). In each round a vertex may take as parent only a vertex that had a parent before the round, so the tree has
// no cycle.
template <class Real, class Sum>
void DistributedSssp<Real, Sum>::assign_zero_weight_parents(SsspResult<Real>& result) {
  MirrorExchange<char, MinOf> exchange(graph_);
  const Csr& in = graph_.in();
  const EdgeWeights<Real> weights("sssp", graph_, in);
  Array<char> has_parent(index(graph_.locals()));
  std::fill(has_parent.begin(), has_parent.end(), 1);
  std::vector<Local> equal_distance, newly_parented, rest;
  struct Left {
    bool some, progress;
  } left;
  for (const Thread& t : threads_)
    equal_distance.insert(equal_distance.end(), t.equal_distance.begin(), t.equal_distance.end());
  changed_.clear();
  for (const Local v : equal_distance) {
    has_parent[v] = 0;
    changed_.set(v);
  }
  do {
    exchange.broadcast({has_parent.data(), has_parent.size()}, changed_);
    changed_.clear();
    newly_parented.clear();
    rest.clear();
    for (const Local v : equal_distance) {
      const Sum distance = distance_[v];
      const auto end = static_cast<std::size_t>(in.offsets[index(v) + 1]);
      auto e = static_cast<std::size_t>(in.offsets[v]);
      while (e < end &&
             !(has_parent[in.targets[e]] != 0 && distance_[in.targets[e]] + static_cast<Sum>(weights[e]) == distance))
        ++e;
      if (e == end) {
        rest.push_back(v);
        continue;
      }
      result.parent[graph_.owned_index_of(v)] = graph_.id_of(in.targets[e]);
      newly_parented.push_back(v);
    }
    for (const Local v : newly_parented) {
      has_parent[v] = 1;
      changed_.set(v);
    }
    equal_distance.swap(rest);
    left = world_.fold(Left{!equal_distance.empty(), !newly_parented.empty()},
                       [](const Left& a, const Left& b) { return Left{a.some || b.some, a.progress || b.progress}; });
    check(!left.some || left.progress, "sssp: {}: a distance is made by no edge (a fault of this program). Report it.",
          graph_.name());
  } while (left.some);
}

template void DistributedSssp<float>::write(Local, SsspResult<float>&);
template void DistributedSssp<double>::write(Local, SsspResult<double>&);
template void DistributedSssp<double, std::uint32_t>::write(Local, SsspResult<double>&);
template void DistributedSssp<double, std::uint64_t>::write(Local, SsspResult<double>&);

}  // namespace atl
