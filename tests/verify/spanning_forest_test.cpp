// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/spanning_forest/spanning_forest.hpp>
#include <atoll/base/error.hpp>
#include <atoll/verify/spanning_forest/spanning_forest.hpp>

#include "verify/mutations.hpp"

using namespace mutations;

namespace {

struct Forest {
  std::vector<Vertex> parent;
  std::vector<double> weight;
};

// A forest of the sample, by ascending id, from the algorithm on one rank.
Forest forest_of(const Sample& s, cases::Weight weight) {
  Forest forest;
  Plan plan;
  plan.threads = 1;
  const auto world = World::alone(plan);
  const Graph graph = Graph::build(
      *world, cases::slice(s.edges, false, weight, s.edges.ids().empty(), 0, 1, cases::Distribution::spread),
      {.duplicates = s.duplicates});
  SpanningForestResult result;
  SpanningForest(graph, EdgeWeighting::of_edges).run(ForestKind::minimum, result);
  forest.parent.assign(result.parent.begin(), result.parent.end());
  forest.weight.assign(result.weight.begin(), result.weight.end());
  return forest;
}

std::string verdict_on(const Graph& graph, const std::vector<Vertex>& ids, const Forest& forest, bool with_weights,
                       const SpanningForestTerms& terms) {
  const Array<Vertex> parent = by_owned_index(graph, ids, forest.parent);
  const Array<double> weights = by_owned_index(graph, ids, forest.weight);
  return verify_spanning_forest(graph, span(parent), with_weights ? span(weights) : std::span<const double>(), terms)
      .what;
}

// The verdicts, the same where every rank gathers the forest and where none may.
std::vector<std::string> said_of(const Sample& s, cases::Weight weight, const std::vector<Forest>& forests,
                                 bool with_weights, const SpanningForestTerms& terms = {}) {
  const auto ids = s.edges.ids();
  const auto verdicts = said(s, weight, forests, [&](const Graph& graph, const Forest& forest) {
    const std::string what = verdict_on(graph, ids, forest, with_weights, terms);
    return Verdict{what.empty(), what};
  });
  Plan plan;
  plan.threads = 1;
  plan.replicated_bytes = 300;  // a bit for each vertex, not much more
  for (const Rank ranks : {1, 2, 5})
    run_ranks(ranks, plan, [&](World& world) {
      const Graph graph = Graph::build(
          world, cases::slice(s.edges, false, weight, ids.empty(), world.rank(), ranks, cases::Distribution::spread),
          {.duplicates = s.duplicates, .placement = {.partition = Partition::hashed}});
      for (std::size_t k = 0; k < forests.size(); ++k)
        CHECK(verdict_on(graph, ids, forests[k], with_weights, terms) == verdicts[k]);
    });
  return verdicts;
}

}  // namespace

TEST_CASE("spanning forests: the right one passes, and any other parent is found") {
  for (const cases::Weight weight : {cases::Weight::none, cases::Weight::wide})
    for_each_sample([&](const Sample& s) {
      if (s.directed) return;
      const auto ids = s.edges.ids();
      std::vector<Forest> forests{forest_of(s, weight)};
      const auto adjacent = lists(s);
      for (std::size_t i = 0; i < 30; ++i) {
        Forest wrong = forests[0];
        const std::size_t at = random_at(21, i) % ids.size();
        const auto& near = adjacent[at];
        Vertex& parent = wrong.parent[at];
        const Vertex before = parent;
        // a neighbour, its own id, or any vertex
        parent = i % 3 == 0 && !near.empty() ? ids[near[random_at(22, i) % near.size()]]
                 : i % 3 == 1                ? ids[at]
                                             : ids[random_at(23, i) % ids.size()];
        if (parent != before) forests.push_back(std::move(wrong));
      }
      check_only_first_passes(said_of(s, weight, forests, false));
    });
}

TEST_CASE("spanning forests: a weight that is not the edge's is found") {
  for_each_sample([&](const Sample& s) {
    if (s.directed) return;
    std::vector<Forest> forests{forest_of(s, cases::Weight::wide)};
    for (std::size_t i = 0; i < 6; ++i) {
      Forest wrong = forests[0];
      wrong.weight[random_at(24, i) % wrong.weight.size()] += 0.05;
      forests.push_back(std::move(wrong));
    }
    check_only_first_passes(said_of(s, cases::Weight::wide, forests, true));
  });
}

TEST_CASE("spanning forests: the check says which rule is broken, and where") {
  const auto of = [](const std::vector<Vertex>& parent, const SpanningForestTerms& terms = {}) {
    return said_of(two_triangles(), cases::Weight::none, {{parent, std::vector<double>(8, 0)}}, false, terms)[0];
  };
  CHECK(of({1, 1, 1, 3, 4, 4, 8, 8}) == "");
  CHECK(of({1, 1, 1, 3, 4, 4, 8, 8}, {.first = FirstEdges::heaviest}) == "");
  CHECK(of({1, 1, 1, 1, 4, 4, 8, 8}) == "rule 1: vertex 4 has the parent 1, but no edge joins them");
  CHECK(of({1, 1, 1, 5, 6, 4, 8, 8}) == "rule 2: the parents of vertex 4 lead to no root");
  CHECK(of({1, 1, 1, 3, 4, 4, 9, 9}) ==
        "rule 2: the root of vertex 8 is larger than it (a root is the smallest id of its tree)");
  CHECK(of({1, 1, 1, 4, 4, 4, 8, 8}) == "rule 3: an edge joins vertices 3 and 4, which are in two trees");
  CHECK(of({1, 1, 2, 3, 4, 4, 8, 8}) ==
        "rule 4: the edge between 1 and 3, which weighs 1, comes before one of weight 1 on the path between them");
}

TEST_CASE("spanning forests: a directed graph and too few values are refused the same on all ranks") {
  Plan plan;
  plan.threads = 1;
  run_ranks(3, plan, [](World& world) {
    EdgeList edges = generate(world, "path:9");
    edges.directed = true;
    const Graph directed = Graph::build(world, std::move(edges));
    const Array<Vertex> parent(index(directed.owned()), 0);
    CHECK_THROWS_AS(verify_spanning_forest(directed, span(parent), {}), InputError);
    const Graph graph = Graph::build(world, generate(world, "path:9"));
    CHECK_THROWS_AS(verify_spanning_forest(graph, {}, {}), InputError);
    const std::vector<double> weight(world.rank() == 1 ? 1 : 0, 0.0);
    CHECK_THROWS_AS(verify_spanning_forest(graph, span(parent), weight), InputError);
    CHECK(world.sum(1) == 3);
  });
}
