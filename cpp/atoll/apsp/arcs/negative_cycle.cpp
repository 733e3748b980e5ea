// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/apsp/arcs/negative_cycle.hpp>
#include <atoll/apsp/arcs/path_sum.hpp>
#include <deque>

namespace atl {
namespace {

template <class T>
T weight_of(const ReplicatedCsr<T>& arcs, Local tail, Local head) {
  const auto heads = arcs.heads_of(tail);
  const auto at = std::lower_bound(heads.begin(), heads.end(), head);
  return arcs.weights_of(tail)[at - heads.begin()];
}

template <class T>
PathSum<T> cycle_weight(const ReplicatedCsr<T>& arcs, const std::vector<Local>& cycle) {
  PathSum<T> sum{};
  for (std::size_t i = 0; i < cycle.size(); ++i)
    sum += static_cast<PathSum<T>>(weight_of(arcs, cycle[i], cycle[(i + 1) % cycle.size()]));
  return sum;
}

/// A cycle of parents, in the direction of its arcs; empty if there is none.
std::vector<Local> cycle_among(const std::vector<Local>& parent) {
  std::vector<Local> walk(parent.size(), -1);  // [vertex] the walk that has visited it
  for (std::size_t start = 0; start < parent.size(); ++start) {
    auto v = static_cast<Local>(start);
    const auto number = static_cast<Local>(start);
    for (; v >= 0 && walk[v] < 0; v = parent[v]) walk[v] = number;
    if (v < 0 || walk[v] != number) continue;
    std::vector<Local> cycle{v};
    for (Local u = parent[v]; u != v; u = parent[u]) cycle.push_back(u);
    std::reverse(cycle.begin(), cycle.end());
    std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
    return cycle;
  }
  return {};
}

/// Bellman-Ford from an artificial vertex with an arc of weight 0 to every vertex, so that every cycle is reached.
/// Returns a cycle of parents if there is one. The search for it runs after every n improvements and costs no more than
/// they do.
template <class T>
std::vector<Local> bellman_ford(const ReplicatedCsr<T>& arcs, std::vector<PathSum<T>>& distance) {
  const auto n = static_cast<std::size_t>(arcs.vertices());
  distance.assign(n, PathSum<T>{});
  if (!arcs.has_negative()) return {};
  std::vector<Local> parent(n, -1);
  std::vector<char> queued(n, 1);
  std::deque<Local> queue;
  for (std::size_t v = 0; v < n; ++v) queue.push_back(static_cast<Local>(v));
  std::size_t improved = 0;
  while (!queue.empty()) {
    const Local v = queue.front();
    queue.pop_front();
    queued[v] = 0;
    const auto heads = arcs.heads_of(v);
    const auto weights = arcs.weights_of(v);
    for (std::size_t k = 0; k < heads.size(); ++k) {
      const auto head = static_cast<std::size_t>(heads[k]);
      const auto through = distance[v] + static_cast<PathSum<T>>(weights[k]);
      if (!(through < distance[head])) continue;
      distance[head] = through;
      parent[head] = v;
      if (!queued[head]) queue.push_back(heads[k]), queued[head] = 1;
      if (++improved % n != 0) continue;
      if (std::vector<Local> cycle = cycle_among(parent); !cycle.empty()) return cycle;
    }
  }
  return {};
}

}  // namespace

template <class T>
std::vector<Local> find_negative_cycle(const ReplicatedCsr<T>& arcs) {
  std::vector<PathSum<T>> distance;
  std::vector<Local> cycle = bellman_ford(arcs, distance);
  // Rounding can also close a cycle of weight 0.
  if (!cycle.empty() && cycle_weight(arcs, cycle) >= 0) cycle.clear();
  return cycle;
}

template <class T>
std::vector<PathSum<T>> potentials(const ReplicatedCsr<T>& arcs) {
  std::vector<PathSum<T>> distance;
  if (!bellman_ford(arcs, distance).empty()) refuse_negative_cycle(arcs);
  return distance;
}

template <class T>
void refuse_negative_cycle(const ReplicatedCsr<T>& arcs, const std::vector<Local>& cycle) {
  constexpr std::size_t kShown = 12;
  std::string text;
  for (std::size_t i = 0; i < std::min(cycle.size(), kShown); ++i) text += fmt::format("{} -> ", arcs.ids[cycle[i]]);
  if (cycle.size() > kShown) text += fmt::format("{} more -> ", cycle.size() - kShown);
  throw InputError(fmt::format("{}: the cycle {}{} weighs {} (around a negative one paths get ever shorter). {}",
                               arcs.name, text, arcs.ids[cycle.front()], cycle_weight(arcs, cycle),
                               arcs.directed || cycle.size() > 2
                                   ? "Raise its weights or remove an edge of it."
                                   : "Each undirected edge is a cycle: use weights of 0 and above, or --directed."));
}

template <class T>
void refuse_negative_cycle(const ReplicatedCsr<T>& arcs) {
  if (const auto cycle = find_negative_cycle(arcs); !cycle.empty()) refuse_negative_cycle(arcs, cycle);
  throw InputError(
      fmt::format("{}: a vertex is closer to itself than 0 (a cycle's weight is 0 but for rounding). Use "
                  "float64, or whole weights as int32.",
                  arcs.name));
}

#define ATOLL_NEGATIVE_CYCLE(T)                                                               \
  template std::vector<Local> find_negative_cycle<T>(const ReplicatedCsr<T>&);                \
  template std::vector<PathSum<T>> potentials<T>(const ReplicatedCsr<T>&);                    \
  template void refuse_negative_cycle<T>(const ReplicatedCsr<T>&, const std::vector<Local>&); \
  template void refuse_negative_cycle<T>(const ReplicatedCsr<T>&);
ATOLL_NEGATIVE_CYCLE(float)
ATOLL_NEGATIVE_CYCLE(double)
ATOLL_NEGATIVE_CYCLE(std::int32_t)
ATOLL_NEGATIVE_CYCLE(std::uint16_t)
ATOLL_NEGATIVE_CYCLE(std::uint8_t)
#undef ATOLL_NEGATIVE_CYCLE

}  // namespace atl
