// SPDX-License-Identifier: Apache-2.0
// Builds the shortest-path tree from the distances, and writes both by owned index.
#include <atoll/algorithms/sssp/kernel.hpp>

namespace atl {
namespace {

constexpr std::size_t kKernelTreeGrain = 1024;

}  // namespace

// A neighbour u with dist(u) < dist(v) and a tight edge, dist(u) + w == dist(v); -1 if every tight edge comes from a
// vertex of v's own distance. The recorded predecessor qualifies even if its distance has fallen since: the new sum was
// rounded to the same value, otherwise dist(v) would have fallen too.
template <class Real, class Sum>
Local SsspKernel<Real, Sum>::parent_of(Local v) const {
  const Sum distance = distance_[v];
  const Predecessor predecessor = predecessor_[v];
  if (predecessor.vertex >= 0 && predecessor.reached == distance) return predecessor.vertex;
  for (const Entry& e : in(v)) {
    if (skewed_ && e.weight > distance) break;
    const Sum before = distance_[e.vertex];
    if (before < distance && before + e.weight == distance) return e.vertex;
  }
  return -1;
}

template <class Real, class Sum>
void SsspKernel<Real, Sum>::write(Local source, SsspResult<Real>& result) {
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
      const Sum distance = local < graph_.active() ? distance_[local] : local == source ? Sum(0) : kUnreached;
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
  refuse_rounded<Real, Sum>(graph_, [&](Vertex v) {
    const Local local = graph_.local_of(v);
    return local < graph_.active() ? distance_[local] : kUnreached;
  });
  std::visit(
      [&](const auto& ids) {
        team_.for_range(owned, kKernelTreeGrain, [&](int t, std::size_t a, std::size_t b) { fill(ids, t, a, b); });
      },
      graph_.id_column());
  result.reached = 0;
  for (const Thread& t : threads_) result.reached += t.reached;
  assign_zero_weight_parents(result);
}

// Assigns parents to vertices whose tight edges all come from the same distance (weights of 0, or too small to change
// the sum). A breadth-first search along such edges, from vertices that have a parent, keeps the tree free of cycles.
template <class Real, class Sum>
void SsspKernel<Real, Sum>::assign_zero_weight_parents(SsspResult<Real>& result) {
  auto parent = [&](Local v) -> Vertex& { return result.parent[graph_.owned_index_of(v)]; };
  auto joins = [&](Local u, const Entry& e, Local v) {
    const Sum distance = distance_[v];
    return distance_[u] == distance && distance + e.weight == distance;
  };
  std::vector<Local> queue;
  for (const Thread& t : threads_)
    for (const Local v : t.equal_distance)
      for (const Entry& e : in(v))
        if (parent(v) == kNoVertex && parent(e.vertex) != kNoVertex && joins(e.vertex, e, v)) {
          parent(v) = graph_.id_of(e.vertex);
          queue.push_back(v);
        }
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const Local u = queue[i];
    for (const Entry& e : out(u))
      if (parent(e.vertex) == kNoVertex && joins(u, e, e.vertex)) {
        parent(e.vertex) = graph_.id_of(u);
        queue.push_back(e.vertex);
      }
  }
}

template void SsspKernel<float>::write(Local, SsspResult<float>&);
template void SsspKernel<double>::write(Local, SsspResult<double>&);
template void SsspKernel<double, std::uint32_t>::write(Local, SsspResult<double>&);
template void SsspKernel<double, std::uint64_t>::write(Local, SsspResult<double>&);

}  // namespace atl
