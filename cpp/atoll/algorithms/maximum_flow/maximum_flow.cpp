// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/maximum_flow/maximum_flow.hpp>
#include <atoll/algorithms/maximum_flow/push_relabel.hpp>
#include <cmath>
#include <limits>
#include <tuple>

namespace atl {
namespace {

// Sums of whole capacities are exact as doubles up to here.
constexpr double kExactSum = 0x1p53;

struct CapacityEdge {
  Local source, target;  // positions among all ids
  double capacity;
};

// The ids of all vertices with an edge, and of both ends, ascending; the same on all ranks. Collective.
std::vector<Vertex> ids_of_network(const Graph& graph, Vertex source, Vertex target) {
  std::vector<Vertex> mine{source, target};
  for (Local v = 0; v < graph.active(); ++v) mine.push_back(graph.id_of(v));
  std::vector<Vertex> ids = graph.world().all_gather_varying(std::span<const Vertex>(mine));
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

std::size_t position_of(const std::vector<Vertex>& ids, Vertex id) {
  return static_cast<std::size_t>(std::ranges::lower_bound(ids, id) - ids.begin());
}

// This rank's edges but self-loops, an undirected one once.
std::vector<CapacityEdge> own_edges(const Graph& graph, const std::vector<Vertex>& ids) {
  std::vector<CapacityEdge> edges;
  check(graph.weighted(), "maximum_flow: {} has no weights, which are its capacities. Give its edges some.",
        graph.name());
  check(ids.size() <= static_cast<std::size_t>(std::numeric_limits<Local>::max()),
        "maximum_flow: {}: {} vertices have edges (one process numbers at most 2^31 - 1). Cut the graph down.",
        graph.name(), ids.size());
  edges.reserve(graph.directed() ? graph.out().size() : graph.out().size() / 2 + 1);
  std::vector<Local> position(index(graph.locals()), 0);
  for (Local v = 0; v < graph.locals(); ++v)
    if (v < graph.active() || v >= graph.mirrors().begin[0])
      position[index(v)] = static_cast<Local>(position_of(ids, graph.id_of(v)));
  for (Local v = 0; v < graph.active(); ++v)
    graph.out().for_edges(v, [&](Local u, auto w) {
      if (!(w >= 0))
        throw InputError(
            fmt::format("maximum_flow: {}: the edge between {} and {} weighs {} (a capacity is 0 or more). Correct it.",
                        graph.name(), graph.id_of(v), graph.id_of(u), w));
      const Local from = position[index(v)], to = position[index(u)];
      if (from < to || (graph.directed() && from != to)) edges.push_back({from, to, static_cast<double>(w)});
    });
  return edges;
}

// Sorts by source, then target and capacity: counts the edges of each source, since sorting all took most of the time.
std::vector<CapacityEdge> in_order(const std::vector<CapacityEdge>& edges, std::size_t vertices) {
  std::vector<std::size_t> end(vertices + 1, 0);
  for (const CapacityEdge& e : edges) ++end[index(e.source) + 1];
  for (std::size_t v = 0; v < vertices; ++v) end[v + 1] += end[v];
  std::vector<CapacityEdge> sorted(edges.size());
  for (const CapacityEdge& e : edges) sorted[end[index(e.source)]++] = e;
  for (std::size_t v = 0, begin = 0; v < vertices; begin = end[v++])
    std::sort(sorted.begin() + static_cast<std::ptrdiff_t>(begin), sorted.begin() + static_cast<std::ptrdiff_t>(end[v]),
              [](const CapacityEdge& a, const CapacityEdge& b) {
                return std::tie(a.target, a.capacity) < std::tie(b.target, b.capacity);
              });
  return sorted;
}

template <class T>
MaximumFlow solve(const Graph& graph, const std::vector<CapacityEdge>& edges, const std::vector<Vertex>& ids,
                  std::pair<Vertex, Vertex> ends, double unlimited) {
  std::vector<Capacity<T>> arcs;
  arcs.reserve(edges.size());
  for (const CapacityEdge& e : edges) {
    const auto capacity = static_cast<T>(std::isinf(e.capacity) ? unlimited : e.capacity);
    arcs.push_back({e.source, e.target, capacity, graph.directed() ? T{} : capacity});
  }
  PushRelabel<T> flow(static_cast<Local>(ids.size()), arcs);
  const auto source = static_cast<Local>(position_of(ids, ends.first));
  const auto target = static_cast<Local>(position_of(ids, ends.second));
  flow.run(source, target, [&] { graph.world().team().cancellation_point(); });
  MaximumFlow found;
  found.value = static_cast<double>(flow.value());
  found.source = Array<Vertex>(edges.size());
  found.target = Array<Vertex>(edges.size());
  found.flow = Array<double>(edges.size());
  for (std::size_t k = 0; k < edges.size(); ++k) {
    found.source[k] = ids[index(edges[k].source)];
    found.target[k] = ids[index(edges[k].target)];
    // Sums that were rounded may be a little beyond a capacity.
    found.flow[k] =
        std::clamp(static_cast<double>(flow.flow(k)), graph.directed() ? 0 : -edges[k].capacity, edges[k].capacity);
  }
  for (std::size_t v = 0; v < ids.size(); ++v)
    if (flow.reaches_target(static_cast<Local>(v))) found.target_side.push_back(ids[v]);
  return found;
}

}  // namespace

MaximumFlow maximum_flow(const Graph& graph, Vertex source, Vertex target) {
  World& world = graph.world();
  graph.find(source);
  graph.find(target);
  world.agree(source != target,
              fmt::format("maximum_flow: {}: {} is the source and the target (nothing has to flow). Give two vertices.",
                          graph.name(), source));
  const std::vector<Vertex> ids = ids_of_network(graph, source, target);
  const std::vector<CapacityEdge> mine = world.collective_try([&] { return own_edges(graph, ids); });
  const std::vector<CapacityEdge> edges =
      in_order(world.all_gather_varying(std::span<const CapacityEdge>(mine)), ids.size());
  double finite = 0;
  bool whole = true;
  for (const CapacityEdge& e : edges) {
    if (std::isinf(e.capacity)) continue;
    finite += e.capacity;
    whole &= std::trunc(e.capacity) == e.capacity;
  }
  // Far more than all others together: a flow that is greater than those follows a path of infinite ones.
  const double unlimited = 2 * finite + 1;
  const auto infinite = std::ranges::count_if(edges, [](const CapacityEdge& e) { return std::isinf(e.capacity); });
  const double all = finite + unlimited * static_cast<double>(infinite);
  return world.collective_try([&] {
    MaximumFlow found = whole && all < kExactSum ? solve<std::int64_t>(graph, edges, ids, {source, target}, unlimited)
                                                 : solve<double>(graph, edges, ids, {source, target}, unlimited);
    check(!(found.value > 1.5 * finite + 0.5),
          "maximum_flow: {}: a path of infinite capacity leads from {} to {} (the flow has no bound). Limit an edge of "
          "it.",
          graph.name(), source, target);
    return found;
  });
}

}  // namespace atl
