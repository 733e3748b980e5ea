// SPDX-License-Identifier: Apache-2.0
// From distances over ranks to a tree of shortest paths, and both to natural order.
#include <atoll/algorithms/sssp/distributed.hpp>
#include <atoll/algorithms/sssp/edge_weights.hpp>

namespace atl {
namespace {

constexpr std::size_t kGrain = 1024;

std::size_t index(Local v) { return static_cast<std::size_t>(v); }

}  // namespace

// A neighbour u closer than v over a tight edge, dist(u) + w == dist(v); -1 if all such have v's own distance. Who gave
// the distance is one even if its own has fallen since: then the sum was rounded to the same, or v's would be lower.
template <class Real, class Sum>
Local DistributedSssp<Real, Sum>::parent_of(Local v) const {
  const Sum distance = distance_[index(v)];
  const Predecessor predecessor = predecessor_[index(v)];
  if (predecessor.vertex >= 0 && predecessor.reached == distance) return predecessor.vertex;
  const Csr& in = graph_.in();
  const EdgeWeights<Real> weights("sssp", graph_, in);
  for (auto e = static_cast<std::size_t>(in.offsets[index(v)]); e < static_cast<std::size_t>(in.offsets[index(v) + 1]);
       ++e)
    if (const Sum before = distance_[index(in.targets[e])];
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
    t.flat.clear();
  }
  auto fill = [&](const auto& ids, int t, std::size_t a, std::size_t b) {
    Thread& thread = threads_[static_cast<std::size_t>(t)];
    for (std::size_t v = a; v < b; ++v) {
      const Local local = graph_.local_of(static_cast<Vertex>(v));
      const Sum distance = distance_[index(local)];
      result.distance[v] = distance == kFar ? kSsspFar<Real> : static_cast<Real>(distance);
      result.parent[v] = kNoVertex;
      if (distance == kFar) continue;
      ++thread.reached;
      const Local parent = local == source ? source : parent_of(local);
      if (parent >= 0) {
        result.parent[v] = static_cast<Vertex>(ids[index(parent)]);
      } else {
        thread.flat.push_back(local);
      }
    }
  };
  refuse_rounded<Real, Sum>(graph_, [&](Vertex v) { return distance_[index(graph_.local_of(v))]; });
  std::visit(
      [&](const auto& ids) {
        team_.for_range(owned, kGrain, [&](int t, std::size_t a, std::size_t b) { fill(ids, t, a, b); });
      },
      graph_.id_column());
  struct Sums {
    Vertex reached = 0, flat = 0;
  } mine;
  for (const Thread& t : threads_) {
    mine.reached += t.reached;
    mine.flat += static_cast<Vertex>(t.flat.size());
  }
  const Sums all =
      world_.fold(mine, [](const Sums& a, const Sums& b) { return Sums{a.reached + b.reached, a.flat + b.flat}; });
  result.reached = all.reached;
  if (all.flat > 0) assign_zero_weight_parents(result);
}

// Vertices that weights of 0, or too small to change the sum, join to one of the same distance: round by round those take
// a parent that see one who has had one since the round before, so that nobody's way back ends in a circle.
template <class Real, class Sum>
void DistributedSssp<Real, Sum>::assign_zero_weight_parents(SsspResult<Real>& result) {
  MirrorExchange<char, MinOf> exchange(graph_);
  const Csr& in = graph_.in();
  const EdgeWeights<Real> weights("sssp", graph_, in);
  Array<char> hangs(index(graph_.locals()));
  std::fill(hangs.begin(), hangs.end(), 1);
  std::vector<Local> flat, hung, rest;
  struct Left {
    bool some, progress;
  } left;
  for (const Thread& t : threads_) flat.insert(flat.end(), t.flat.begin(), t.flat.end());
  told_.clear();
  for (const Local v : flat) {
    hangs[index(v)] = 0;
    told_.set(v);
  }
  do {
    exchange.broadcast({hangs.data(), hangs.size()}, told_);
    told_.clear();
    hung.clear();
    rest.clear();
    for (const Local v : flat) {
      const Sum distance = distance_[index(v)];
      const auto end = static_cast<std::size_t>(in.offsets[index(v) + 1]);
      auto e = static_cast<std::size_t>(in.offsets[index(v)]);
      while (e < end && !(hangs[index(in.targets[e])] != 0 &&
                          distance_[index(in.targets[e])] + static_cast<Sum>(weights[e]) == distance))
        ++e;
      if (e == end) {
        rest.push_back(v);
        continue;
      }
      result.parent[static_cast<std::size_t>(graph_.natural_of(v))] = graph_.id_of(in.targets[e]);
      hung.push_back(v);
    }
    for (const Local v : hung) {
      hangs[index(v)] = 1;
      told_.set(v);
    }
    flat.swap(rest);
    left = world_.fold(Left{!flat.empty(), !hung.empty()},
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
