// SPDX-License-Identifier: Apache-2.0
// Searches that reach little write only what changes, into a result that holds what an earlier search found.
#include <doctest/doctest.h>

#include <atoll/algorithms/bfs/bfs.hpp>
#include <atoll/algorithms/sssp/sssp.hpp>

#include "algorithms/spread_samples.hpp"

using namespace atl;
using samples::Spread;

namespace {

constexpr Vertex kLength = 3000, kAlone = 3001;

// The path 0 -> 1 -> ... -> 2999, and vertices without edges behind it.
Graph path(World& world, const Spread& spread) {
  EdgeList list = generate(world, "path:" + std::to_string(kLength));
  list.range = IdRange{0, kAlone + 1};
  Array<float> weights(list.size());
  std::visit(
      [&](const auto& sources) {
        for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(1 + sources[i] % 3);
      },
      list.source);
  list.weight = std::move(weights);
  list.directed = true;
  return Graph::build(world, std::move(list),
                      {.placement = {.partition = spread.partition, .cut = spread.cut, .heavy = spread.heavy}});
}

Plan plan_of(const Spread& spread) {
  Plan plan;
  plan.threads = spread.threads;
  plan.domains = spread.domains;
  plan.route = spread.route;
  return plan;
}

// Few, all, few elsewhere, nothing else, half, few again.
constexpr Vertex kSources[] = {2990, 0, 2980, 2999, kAlone, 1500, 2995, 2995, kAlone, 10};

template <class T>
bool equal(const Array<T>& a, const Array<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace

TEST_CASE("searches one after the other into one result give what each gives alone") {
  for (const Spread& spread : samples::kSpreads) {
    CAPTURE(spread.ranks);
    CAPTURE(static_cast<int>(spread.cut));
    run_ranks(spread.ranks, plan_of(spread), [&](World& world) {
      const Graph graph = path(world, spread);
      Sssp<float> sssp(graph);
      SsspResult<float> lengths;
      Bfs with_depths(graph, {.depths = Depths::yes}), without(graph);
      BfsResult tree;
      for (const Vertex source : kSources) {
        SsspResult<float> alone;
        sssp.run(source, lengths);
        Sssp<float>(graph).run(source, alone);
        CHECK(lengths.reached == (source == kAlone ? 1 : kLength - source));
        CHECK(equal(lengths.distance, alone.distance));
        CHECK(equal(lengths.parent, alone.parent));

        Bfs& search = source % 2 == 0 ? with_depths : without;
        BfsResult expected;
        Bfs(graph, {.depths = source % 2 == 0 ? Depths::yes : Depths::no}).run(source, expected);
        search.run(source, tree);
        CHECK(tree.reached == lengths.reached);
        CHECK(tree.edges == (source == kAlone ? 0 : kLength - source - 1));
        CHECK(equal(tree.parent, expected.parent));
        CHECK(equal(tree.depth, expected.depth));
        Vertex here = 0;
        for (const Vertex parent : tree.parent) here += parent != kNoVertex;
        CHECK(world.sum(here) == tree.reached);
        if (tree.listed) CHECK(static_cast<Vertex>(tree.listed->size()) == here);
      }
    });
  }
}

TEST_CASE("a search that reaches little lists it, one that reaches much does not") {
  run_ranks(1, plan_of(samples::kSpreads[0]), [&](World& world) {
    const Graph graph = path(world, samples::kSpreads[0]);
    Sssp<float> sssp(graph);
    SsspResult<float> lengths;
    BfsResult tree;
    Bfs bfs(graph);
    for (const Vertex source : kSources) {
      sssp.run(source, lengths);
      bfs.run(source, tree);
      CHECK(lengths.listed.has_value() == (source == kAlone || source >= 2900));
      CHECK(tree.listed.has_value() == (source == kAlone || source >= 2900));
    }
  });
}
