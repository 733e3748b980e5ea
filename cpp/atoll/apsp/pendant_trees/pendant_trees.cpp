// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/apsp/arcs/negative_cycle.hpp>
#include <atoll/apsp/arcs/path_sum.hpp>
#include <atoll/apsp/pendant_trees/pendant_trees.hpp>
#include <numeric>

namespace atl {
namespace {

/// Neighbours in either direction, each listed once.
struct Neighbours {
  std::vector<Edge> offsets;
  std::vector<Local> list;

  template <class T>
  Neighbours(const ReplicatedCsr<T>& out, const ReplicatedCsr<T>& in) : offsets{0} {
    for (Vertex v = 0; v < out.vertices(); ++v) {
      const auto a = out.heads_of(v), b = in.heads_of(v);
      std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(list));
      offsets.push_back(static_cast<Edge>(list.size()));
    }
  }
  std::span<const Local> of(Local v) const {
    return {list.data() + offsets[v], static_cast<std::size_t>(offsets[index(v) + 1] - offsets[v])};
  }
};

template <class T>
T weight_or_none(const ReplicatedCsr<T>& arcs, Local tail, Local head) {
  const auto heads = arcs.heads_of(tail);
  const auto found = std::lower_bound(heads.begin(), heads.end(), head);
  if (found == heads.end() || *found != head) return kNoPath<T>;
  return arcs.weights_of(tail)[found - heads.begin()];
}

/// Fills [vertex] component, numbered by their smallest vertices; returns their number.
std::size_t number_components(const Neighbours& near, std::vector<Local>& component) {
  std::size_t count = 0;
  std::vector<Local> stack;
  for (std::size_t v = 0; v < component.size(); ++v) {
    if (component[v] >= 0) continue;
    const auto c = static_cast<Local>(count++);
    component[v] = c;
    stack.push_back(static_cast<Local>(v));
    while (!stack.empty()) {
      const Local u = stack.back();
      stack.pop_back();
      for (const Local w : near.of(u))
        if (component[w] < 0) component[w] = c, stack.push_back(w);
    }
  }
  return count;
}

/// Whether the graph is one core, tested without reversing the arcs: every vertex is reachable from vertex 0 and none
/// has a single neighbour. Dense graphs are, and extracting their core would cost a quarter of Floyd-Warshall (n =
/// 2048).
template <class T>
bool is_one_core(const ReplicatedCsr<T>& arcs) {
  const auto n = static_cast<std::size_t>(arcs.vertices());
  for (Vertex v = 0; v < arcs.vertices(); ++v)
    if (arcs.end(v) - arcs.begin(v) < 2) return false;
  std::vector<char> seen(n, 0);
  std::vector<Local> reached{0};
  seen[0] = 1;
  for (std::size_t next = 0; next < reached.size() && reached.size() < n; ++next)
    for (const Local head : arcs.heads_of(reached[next]))
      if (!seen[head]) seen[head] = 1, reached.push_back(head);
  return reached.size() == n;
}

}  // namespace

template <class T>
double PendantTrees<T>::work() const {
  double sum = 0;
  for (const auto& core : cores) {
    const auto n = static_cast<double>(core.size());
    sum += n * n * n;
  }
  return sum;
}

template <class T>
PendantTrees<T> without_removal(const ReplicatedCsr<T>& arcs) {
  PendantTrees<T> whole;
  whole.component.assign(static_cast<std::size_t>(arcs.vertices()), 0);
  whole.cores.emplace_back(whole.component.size());
  std::iota(whole.cores.front().begin(), whole.cores.front().end(), 0);
  whole.first_row.push_back(0);
  return whole;
}

template <class T>
PendantTrees<T> remove_pendant_trees(const ReplicatedCsr<T>& arcs) {
  if (arcs.vertices() > 0 && is_one_core(arcs)) return without_removal(arcs);
  const ReplicatedCsr<T> in = arcs.directed ? arcs.reversed() : ReplicatedCsr<T>{};
  const Neighbours near(arcs, arcs.directed ? in : arcs);
  const auto n = static_cast<std::size_t>(arcs.vertices());
  PendantTrees<T> trees;
  trees.component.assign(n, -1);
  trees.cores.resize(number_components(near, trees.component));

  std::vector<Local> degree(n), leaves;
  std::vector<char> peeled(n, 0);
  for (std::size_t v = 0; v < n; ++v) {
    degree[v] = static_cast<Local>(near.of(static_cast<Local>(v)).size());
    if (degree[v] == 1) leaves.push_back(static_cast<Local>(v));
  }
  for (std::size_t next = 0; next < leaves.size(); ++next) {
    const Local v = leaves[next];
    if (degree[v] == 0) continue;  // the last vertex of a tree component: it is the core
    const auto list = near.of(v);
    const Local anchor = *std::find_if(list.begin(), list.end(), [&](Local u) { return !peeled[u]; });
    const PendantVertex<T> pendant{v, anchor, weight_or_none(arcs, anchor, v), weight_or_none(arcs, v, anchor)};
    if (path_sum(pendant.there, pendant.back) < T{})
      refuse_negative_cycle(arcs, {std::min(v, anchor), std::max(v, anchor)});
    trees.pendants.push_back(pendant);
    peeled[v] = 1;
    if (--degree[anchor] == 1) leaves.push_back(anchor);
  }
  for (std::size_t v = 0; v < n; ++v)
    if (!peeled[v]) trees.cores[trees.component[v]].push_back(static_cast<Local>(v));
  std::int64_t rows = 0;
  for (const auto& core : trees.cores) {
    trees.first_row.push_back(rows);
    if (core.size() > 1) rows += std::ssize(core);
  }
  return trees;
}

template <class T>
ReplicatedCsr<T> core_arcs(const ReplicatedCsr<T>& arcs, const PendantTrees<T>& trees, std::size_t component) {
  const std::vector<Local>& core = trees.cores[component];
  // [vertex] its position in the core, or -1; small cores, of which there may be many, use binary search instead.
  std::vector<Local> positions;
  constexpr std::size_t kSmall = 16;
  if (core.size() * kSmall >= static_cast<std::size_t>(arcs.vertices())) {
    positions.assign(static_cast<std::size_t>(arcs.vertices()), -1);
    for (std::size_t k = 0; k < core.size(); ++k) positions[core[k]] = static_cast<Local>(k);
  }
  const auto position_of = [&](Local v) -> Local {
    if (!positions.empty()) return positions[v];
    const auto found = std::lower_bound(core.begin(), core.end(), v);
    return found == core.end() || *found != v ? Local{-1} : static_cast<Local>(found - core.begin());
  };
  ReplicatedCsr<T> cut;
  cut.name = arcs.name;
  cut.directed = arcs.directed;
  cut.ids.reserve(core.size());
  Edge most = 0;
  for (const Local v : core) {
    cut.ids.push_back(arcs.ids[v]);
    most += arcs.end(v) - arcs.begin(v);
  }
  // Positions ascend like vertices, so rows stay sorted.
  cut.offsets = Array<Edge>(core.size() + 1, 0);
  cut.heads = Array<Local>(static_cast<std::size_t>(most));
  cut.weights = Array<T>(static_cast<std::size_t>(most));
  std::size_t kept = 0;
  for (std::size_t k = 0; k < core.size(); ++k) {
    const auto heads = arcs.heads_of(core[k]);
    const auto weights = arcs.weights_of(core[k]);
    for (std::size_t e = 0; e < heads.size(); ++e) {
      const Local position = position_of(heads[e]);
      if (position < 0) continue;
      cut.heads[kept] = position;
      cut.weights[kept++] = weights[e];
    }
    cut.offsets[k + 1] = static_cast<Edge>(kept);
  }
  cut.heads.truncate(kept);
  cut.weights.truncate(kept);
  if (kept > 0) {
    const auto [least, greatest] = std::minmax_element(cut.weights.begin(), cut.weights.end());
    cut.least = *least;
    cut.greatest = *greatest;
  }
  return cut;
}

#define ATOLL_PEEL(T)                                                        \
  template double PendantTrees<T>::work() const;                             \
  template PendantTrees<T> remove_pendant_trees<T>(const ReplicatedCsr<T>&); \
  template PendantTrees<T> without_removal<T>(const ReplicatedCsr<T>&);      \
  template ReplicatedCsr<T> core_arcs<T>(const ReplicatedCsr<T>&, const PendantTrees<T>&, std::size_t);
ATOLL_PEEL(float)
ATOLL_PEEL(double)
ATOLL_PEEL(std::int32_t)
ATOLL_PEEL(std::uint16_t)
ATOLL_PEEL(std::uint8_t)
#undef ATOLL_PEEL

}  // namespace atl
