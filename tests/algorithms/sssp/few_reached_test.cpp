// SPDX-License-Identifier: Apache-2.0
// Searches that reach little write only what changes, into a result that holds what an earlier search found.
#include <doctest/doctest.h>

#include <atoll/algorithms/bfs/bfs.hpp>
#include <atoll/algorithms/sssp/sssp.hpp>
#include <atoll/base/random.hpp>

#include "algorithms/spread_samples.hpp"

using namespace atl;
using samples::Spread;

namespace {

// The path 0 -> 1 -> ... of so many vertices, and two without edges behind it.
Graph path(World& world, const Spread& spread, Vertex length) {
  EdgeList list = generate(world, "path:" + std::to_string(length));
  list.range = IdRange{0, length + 2};
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

// They reach few, all, few elsewhere, nothing else, half, few again.
std::vector<Vertex> sources(Vertex length) {
  return {length - 10, 0, length - 20, length - 1, length + 1, length / 2, length - 5, length - 5, length + 1, 10};
}

template <class T>
bool equal(const Array<T>& a, const Array<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace

TEST_CASE("searches one after the other into one result give what each gives alone") {
  std::uint64_t number = 0;
  for (const Spread& spread : samples::kSpreads) {
    if (shapes::kSanitized && number++ % 5 != 0) continue;
    CAPTURE(spread.ranks);
    CAPTURE(static_cast<int>(spread.cut));
    // A level of ranks that share a core takes a while.
    const Vertex length = spread.ranks == 1 ? 3000 : shapes::kSanitized ? 60 : 200;
    run_ranks(spread.ranks, plan_of(spread), [&](World& world) {
      const Graph graph = path(world, spread, length);
      Sssp<float> sssp(graph);
      SsspResult<float> lengths;
      Bfs with_depths(graph, {.depths = Depths::yes}), without(graph);
      BfsResult tree;
      for (const Vertex source : sources(length)) {
        SsspResult<float> alone;
        sssp.run(source, lengths);
        Sssp<float>(graph).run(source, alone);
        CHECK(lengths.reached == (source > length ? 1 : length - source));
        CHECK(equal(lengths.distance, alone.distance));
        CHECK(equal(lengths.parent, alone.parent));

        Bfs& search = source % 2 == 0 ? with_depths : without;
        BfsResult expected;
        Bfs(graph, {.depths = source % 2 == 0 ? Depths::yes : Depths::no}).run(source, expected);
        search.run(source, tree);
        CHECK(tree.reached == lengths.reached);
        CHECK(tree.edges == (source > length ? 0 : length - source - 1));
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
    constexpr Vertex kLength = 3000;
    const Graph graph = path(world, samples::kSpreads[0], kLength);
    Sssp<float> sssp(graph);
    SsspResult<float> lengths;
    BfsResult tree;
    Bfs bfs(graph);
    for (const Vertex source : sources(kLength)) {
      sssp.run(source, lengths);
      bfs.run(source, tree);
      CHECK(lengths.listed.has_value() == (source >= kLength - 20));
      CHECK(tree.listed.has_value() == (source >= kLength - 20));
    }
  });
}

TEST_CASE("a search that was interrupted leaves nothing to the next") {
  for (const int threads : {1, 2, 3}) {
    CAPTURE(threads);
    Plan plan;
    plan.threads = threads;
    run_ranks(1, plan, [](World& world) {
      EdgeList list = generate(world, shapes::kSanitized ? "kron:13" : "kron:15");
      Array<float> weights(list.size());
      for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(1 + random_at(4, i) % 255);
      list.weight = std::move(weights);
      const Graph graph = Graph::build(world, std::move(list));
      const Vertex source = graph.id_of(0);
      Sssp<float> sssp(graph);
      Bfs bfs(graph, {.direction = Direction::push, .depths = Depths::yes});
      SsspResult<float> lengths, expected_lengths;
      BfsResult tree, expected;
      sssp.run(source, expected_lengths);
      bfs.run(source, expected);
      const auto interrupt = [&](auto&& search) {
        world.team().ask_to_go_on([] { throw std::runtime_error("enough"); });
        CHECK_THROWS_AS(
            [&] {
              for (;;) search();
            }(),
            std::runtime_error);
        world.team().ask_to_go_on({});
      };
      for (int i = 0; i < 4; ++i) {
        interrupt([&] { sssp.run(source, lengths); });
        sssp.run(source, lengths);
        CHECK(equal(lengths.distance, expected_lengths.distance));
        interrupt([&] { bfs.run(source, tree); });
        bfs.run(source, tree);
        CHECK(equal(tree.depth, expected.depth));
        CHECK(tree.reached == expected.reached);
      }
    });
  }
}
