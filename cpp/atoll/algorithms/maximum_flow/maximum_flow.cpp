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
  Vertex source, target;
  double capacity;
};

// This rank's edges but self-loops, an undirected one once.
std::vector<CapacityEdge> own_edges(const Graph& graph) {
  std::vector<CapacityEdge> edges;
  check(graph.weighted(), "maximum_flow: {} has no weights, which are its capacities. Give its edges some.",
        graph.name());
  for (Local v = 0; v < graph.active(); ++v)
    graph.out().for_edges(v, [&](Local u, auto w) {
      const Vertex from = graph.id_of(v), to = graph.id_of(u);
      check(w >= 0, "maximum_flow: {}: the edge between {} and {} weighs {} (a capacity is 0 or more). Correct it.",
            graph.name(), from, to, w);
      if (from < to || (graph.directed() && from != to)) edges.push_back({from, to, static_cast<double>(w)});
    });
  return edges;
}

template <class T>
MaximumFlow solve(const Graph& graph, const std::vector<CapacityEdge>& edges, const std::vector<Vertex>& ids,
                  std::pair<Vertex, Vertex> ends, double unlimited) {
  const auto number = [&](Vertex id) { return static_cast<Local>(std::ranges::lower_bound(ids, id) - ids.begin()); };
  std::vector<Capacity<T>> arcs;
  arcs.reserve(edges.size());
  for (const CapacityEdge& e : edges) {
    const auto capacity = static_cast<T>(std::isinf(e.capacity) ? unlimited : e.capacity);
    arcs.push_back({number(e.source), number(e.target), capacity, graph.directed() ? T{} : capacity});
  }
  PushRelabel<T> flow(static_cast<Local>(ids.size()), arcs);
  flow.run(number(ends.first), number(ends.second), [&] { graph.world().team().cancellation_point(); });
  MaximumFlow found;
  found.value = static_cast<double>(flow.value());
  found.source = Array<Vertex>(edges.size());
  found.target = Array<Vertex>(edges.size());
  found.flow = Array<double>(edges.size());
  for (std::size_t k = 0; k < edges.size(); ++k) {
    found.source[k] = edges[k].source;
    found.target[k] = edges[k].target;
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
  const std::vector<CapacityEdge> mine = world.collective_try([&] { return own_edges(graph); });
  std::vector<CapacityEdge> edges = world.all_gather_varying(std::span<const CapacityEdge>(mine));
  std::ranges::sort(edges, {}, [](const CapacityEdge& e) { return std::tuple(e.source, e.target, e.capacity); });
  std::vector<Vertex> ids{source, target};
  double finite = 0;
  bool whole = true;
  for (const CapacityEdge& e : edges) {
    ids.insert(ids.end(), {e.source, e.target});
    if (std::isinf(e.capacity)) continue;
    finite += e.capacity;
    whole &= std::trunc(e.capacity) == e.capacity;
  }
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
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
