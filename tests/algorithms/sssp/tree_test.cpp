// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/sssp/sssp.hpp>
#include <cmath>
#include <unordered_map>

#include "algorithms/spread_samples.hpp"

using namespace atl;
using samples::Spread;

namespace {

// The weight of the i-th edge: nearly all are 0, or all.
float light_weight(std::size_t i, bool all_zero) { return all_zero || i % 5 != 0 ? 0.0f : static_cast<float>(i % 3); }

// The number of reached vertices whose parent has no tight edge to them, or whose parents do not lead to the source.
std::size_t tree_faults(const cases::Case& c, bool directed, bool all_zero, std::size_t source,
                        const std::vector<float>& distance, const std::vector<Vertex>& parent) {
  const std::size_t n = distance.size();
  std::unordered_map<std::size_t, float> lightest;
  const auto add = [&](Vertex u, Vertex v, float w) {
    const auto [at, fresh] = lightest.try_emplace(static_cast<std::size_t>(u) * n + static_cast<std::size_t>(v), w);
    if (!fresh) at->second = std::min(at->second, w);
  };
  for (std::size_t i = 0; i < c.edges.size(); ++i) {
    const auto& [u, v] = c.edges[i];
    add(u, v, light_weight(i, all_zero));
    if (!directed) add(v, u, light_weight(i, all_zero));
  }
  std::size_t faults = 0;
  for (std::size_t v = 0; v < n; ++v) {
    if ((parent[v] == kNoVertex) != std::isinf(distance[v])) ++faults;
    if (v == source || parent[v] == kNoVertex) continue;
    const auto above = static_cast<std::size_t>(parent[v]);
    const auto edge = lightest.find(above * n + v);
    faults += edge == lightest.end() || distance[above] + edge->second != distance[v];
    std::size_t at = v, steps = 0;
    while (at != source && parent[at] != kNoVertex && steps++ <= n) at = static_cast<std::size_t>(parent[at]);
    faults += at != source;
  }
  return faults;
}

}  // namespace

TEST_CASE("parents along edges of weight 0 form a tree over any ranks, cut and partition") {
  std::uint64_t number = 0;
  for (const char* text : {"path:60", "grid:13x11", "kron:8", "star:200", "ring:50"})
    for (const bool directed : {false, true})
      for (const bool all_zero : {false, true})
        for (const Spread& spread : samples::kSpreads) {
          if (random_at(31, ++number) % (shapes::kSanitized ? 16 : 3) != 0) continue;
          CAPTURE(text);
          CAPTURE(directed);
          CAPTURE(all_zero);
          CAPTURE(spread.ranks);
          CAPTURE(static_cast<int>(spread.cut));
          const cases::Case c = samples::from_text(text);
          Plan plan;
          plan.threads = spread.threads;
          plan.domains = spread.domains;
          plan.route = spread.route;
          run_ranks(spread.ranks, plan, [&](World& world) {
            EdgeList list = cases::slice(c, directed, cases::Weight::narrow, false, world.rank(), world.size(),
                                         cases::Distribution::spread);
            auto& column = std::get<Array<float>>(list.weight);
            for (std::size_t i = 0, k = 0; i < c.edges.size(); ++i)
              if (cases::is_on_rank(i, world.rank(), world.size(), cases::Distribution::spread))
                column[k++] = light_weight(i, all_zero);
            const Graph graph =
                Graph::build(world, std::move(list),
                             {.placement = {.partition = spread.partition, .cut = spread.cut, .heavy = spread.heavy}});
            Sssp<float> sssp(graph);
            SsspResult<float> result;
            for (const std::size_t source : {std::size_t{0}, c.ids().size() / 2}) {
              sssp.run(static_cast<Vertex>(source), result);
              const auto distance = samples::by_id(graph, result.distance);
              const auto parent = samples::by_id(graph, result.parent);
              if (world.rank() == 0) CHECK(tree_faults(c, directed, all_zero, source, distance, parent) == 0);
            }
          });
        }
}

TEST_CASE("a long path of edges of weight 0 takes linear time on one rank, and a round for each rank that it crosses") {
  for (const auto& [ranks, vertices] : {std::pair{1, 1000000}, {3, 200000}}) {
    const int length = shapes::kSanitized ? vertices / 100 : vertices;
    Plan plan;
    plan.threads = 1;
    run_ranks(ranks, plan, [&](World& world) {
      EdgeList list = generate(world, "path:" + std::to_string(length));
      list.weight = Array<float>(list.size(), 0.0f);
      const Graph graph = Graph::build(world, std::move(list));
      Sssp<float> sssp(graph);
      SsspResult<float> result;
      sssp.run(0, result);
      CHECK(result.reached == length);
      const auto parent = samples::by_id(graph, result.parent);
      std::size_t wrong = 0;
      for (std::size_t v = 1; v < parent.size(); ++v) wrong += parent[v] != static_cast<Vertex>(v) - 1;
      CHECK(wrong == 0);
    });
  }
}
