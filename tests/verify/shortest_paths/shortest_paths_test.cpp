// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <atoll/base/error.hpp>
#include <atoll/verify/dense.hpp>
#include <atoll/verify/shortest_paths/shortest_paths.hpp>
#include <cmath>
#include <limits>

#include "verify/mutations.hpp"

using namespace mutations;

namespace {

constexpr float kUnreached = std::numeric_limits<float>::infinity();

struct Answer {
  std::vector<float> distance;
  std::vector<Vertex> parent;  // ids
  bool operator==(const Answer&) const = default;
};

// Relaxes all arcs until nothing changes; a vertex is attached to a parent that already has one.
Answer bellman_ford(const Sample& s, std::size_t source) {
  const auto arcs = s.arcs();
  const auto ids = s.edges.ids();
  Answer a{std::vector<float>(ids.size(), kUnreached), std::vector<Vertex>(ids.size(), kNoVertex)};
  a.distance[source] = 0;
  for (bool any = true; any;) {
    any = false;
    for (const auto& arc : arcs) {
      const float sum = a.distance[static_cast<std::size_t>(arc.from)] + static_cast<float>(arc.weight);
      float& d = a.distance[static_cast<std::size_t>(arc.to)];
      if (sum < d) d = sum, any = true;
    }
  }
  a.parent[source] = ids[source];
  for (bool any = true; any;) {
    any = false;
    for (const auto& arc : arcs) {
      const auto u = static_cast<std::size_t>(arc.from), v = static_cast<std::size_t>(arc.to);
      if (a.parent[u] == kNoVertex || a.parent[v] != kNoVertex) continue;
      if (a.distance[u] + static_cast<float>(arc.weight) != a.distance[v]) continue;
      a.parent[v] = ids[u];
      any = true;
    }
  }
  return a;
}

enum class Given { both, distances };

// This rank's slice of the sample, in dense numbers.
EdgeList tuples_of(const Graph& graph, const Sample& s) {
  World& world = graph.world();
  EdgeList edges = cases::slice(s.edges, s.directed, cases::Weight::narrow, /*wide=*/true, world.rank(), world.size(),
                                cases::Distribution::spread);
  for (IdColumn* column : {&edges.source, &edges.target}) {
    const auto& ids = std::get<Array<Vertex>>(*column);
    *column = dense_of(world, graph.ids(), span(ids));
  }
  return edges;
}

std::vector<std::string> verdicts_by_input(const Sample& s, Vertex source, const std::vector<Answer>& answers) {
  const auto ids = s.edges.ids();
  return said(s, cases::Weight::narrow, answers, [&](const Graph& graph, const Answer& a) {
    const Array<float> distance = by_owned_index(graph, ids, a.distance);
    const Array<Vertex> parent = by_owned_index(graph, ids, a.parent);
    Verdict verdict = verify_sssp(graph, source, span(distance), span(parent), tuples_of(graph, s));
    verdict.what.resize(
        std::min<std::size_t>(verdict.what.size(), 6));  // messages name vertices in the order of dense numbers
    return verdict;
  });
}

std::vector<std::string> verdicts(const Sample& s, Vertex source, const std::vector<Answer>& answers, Given given) {
  const auto ids = s.edges.ids();
  return said(s, cases::Weight::narrow, answers, [&](const Graph& graph, const Answer& a) {
    const Array<float> distance = by_owned_index(graph, ids, a.distance);
    const Array<Vertex> parent = given == Given::both ? by_owned_index(graph, ids, a.parent) : Array<Vertex>();
    return verify_sssp(graph, source, span(distance), span(parent));
  });
}

// 0 -(0)- 1 -(.3)- 2 ...: weights by position in the list, see cases::Case::weight.
Sample line() { return {{"line", {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {6, 7}}, {}, {}}, false, Duplicates::merge_min}; }

}  // namespace

TEST_CASE("correct distances and parents pass, and any change of one distance is found") {
  for_each_sample([](const Sample& s) {
    const auto ids = s.edges.ids();
    const std::size_t source = ids.size() / 2;
    const Answer right = bellman_ford(s, source);
    std::vector<Answer> answers{right};
    for (std::uint64_t i = 0; i < 12; ++i) {
      Answer a = right;
      float& d = a.distance[random_at(3, i) % ids.size()];
      d = i % 4 == 0   ? std::nextafter(d, kUnreached)
          : i % 4 == 1 ? std::nextafter(d, -1.0F)
          : i % 4 == 2 ? kUnreached
                       : 0.45F;
      if (i == 8) d = std::numeric_limits<float>::quiet_NaN();
      if (i == 9) d = -1;
      if (i != 8 && a == right) continue;
      answers.push_back(a);
    }
    if (ids.size() == 1) answers.resize(1);
    for (const Given given : {Given::both, Given::distances})
      check_only_first_passes(verdicts(s, ids[source], answers, given));
    check_only_first_passes(verdicts_by_input(s, ids[source], answers));
  });
}

TEST_CASE("a wrong parent is found, and any of several correct ones passes") {
  for_each_sample([](const Sample& s) {
    const auto ids = s.edges.ids();
    const std::size_t source = ids.size() / 2;
    const Answer right = bellman_ford(s, source);
    const auto arcs = s.arcs();
    std::vector<Answer> answers{right};
    std::vector<bool> good{true};
    for (std::uint64_t i = 0; i < 12; ++i) {
      const std::size_t v = random_at(4, i) % ids.size(), p = random_at(5, i) % ids.size();
      Answer a = right;
      a.parent[v] = i % 5 == 0 ? kNoVertex : i % 7 == 0 ? Vertex{999999} : ids[p];
      // The chain of parents along tight edges ends at the source.
      bool holds = a.distance[v] != kUnreached && v != source;
      std::size_t at = v;
      for (std::size_t steps = 0; holds && at != source && steps <= ids.size(); ++steps) {
        const auto up = std::lower_bound(ids.begin(), ids.end(), a.parent[at]);
        holds = up != ids.end() && *up == a.parent[at];
        if (!holds) break;
        const auto u = static_cast<std::size_t>(up - ids.begin());
        holds = std::any_of(arcs.begin(), arcs.end(), [&](const auto& arc) {
          return static_cast<std::size_t>(arc.from) == u && static_cast<std::size_t>(arc.to) == at &&
                 a.distance[u] + static_cast<float>(arc.weight) == a.distance[at];
        });
        at = u;
      }
      good.push_back((holds && at == source) || a == right);
      answers.push_back(a);
    }
    const auto what = verdicts(s, ids[source], answers, Given::both);
    const auto by_input = verdicts_by_input(s, ids[source], answers);
    for (std::size_t i = 0; i < what.size(); ++i) {
      CAPTURE(i);
      CAPTURE(what[i]);
      CHECK((what[i] == "") == good[i]);
      CHECK(what[i].substr(0, 6) == by_input[i]);
    }
  });
}

TEST_CASE("each broken rule is reported with its vertex or edge") {
  const Sample s = line();
  const Answer right = bellman_ford(s, 0);
  const auto expect = [&](auto&& change, const std::string& both, const std::string& alone) {
    Answer a = right;
    change(a);
    CHECK(verdicts(s, 0, {a}, Given::both)[0] == both);
    CHECK(verdicts(s, 0, {a}, Given::distances)[0] == alone);
  };
  const auto w = [&](std::size_t i) { return static_cast<float>(s.edges.weight(i)); };
  expect([](Answer&) {}, "", "");
  expect([](Answer& a) { a.distance[0] = 1; }, "rule 2: the source 0 has the distance 1 (it is 0)",
         "rule 2: the source 0 has the distance 1 (it is 0)");
  expect([](Answer& a) { a.distance[2] = -1; }, "rule 2: vertex 2 has the distance -1 (it is 0 or more)",
         "rule 2: vertex 2 has the distance -1 (it is 0 or more)");
  expect([](Answer& a) { a.parent[2] = 4; }, "rule 5: no edge joins vertex 2 and its parent 4", "");
  expect([](Answer& a) { a.parent[0] = 1; }, "rule 1: the source 0 has 1 as parent (not itself)", "");
  expect([](Answer& a) { a.parent[5] = 7; }, "rule 1: vertex 6 has the parent 7 but was not reached", "");
  expect([](Answer& a) { a.parent[2] = kNoVertex; },
         fmt::format("rule 1: vertex 2 has the distance {} but no parent", right.distance[2]), "");
  expect([](Answer& a) { a.distance[4] = kUnreached, a.parent[4] = kNoVertex; },
         fmt::format("rule 4: edge 3 - 4 leaves what was reached: 3 has the distance {}, 4 none", right.distance[3]),
         fmt::format("rule 4: edge 3 - 4 leaves what was reached: 3 has the distance {}, 4 none", right.distance[3]));
  expect([](Answer& a) { a.distance[4] = 9; },
         fmt::format("rule 2: vertex 4 has the distance 9 (its parent 3 and the edge between them make {})",
                     right.distance[4]),
         "rule 2: vertex 4 has the distance 9 (no edge into it makes that)");
  CHECK(right.distance[4] == right.distance[3] + w(3));
}

TEST_CASE("cycles of weight 0 without a path from the source are found, with and without parents") {
  // All weights are 0: a path, and a separate ring.
  Sample s{{"rings", {{0, 1}, {1, 2}, {10, 11}, {11, 12}, {12, 10}}, {}, {}}, false, Duplicates::merge_min};
  const auto ids = s.edges.ids();
  for (const Setup& m : kSetups) {
    Plan plan;
    plan.threads = 1;
    run_ranks(m.ranks, plan, [&](World& world) {
      EdgeList edges = cases::slice(s.edges, false, cases::Weight::wide, false, world.rank(), world.size(),
                                    cases::Distribution::spread);
      for (double& w : std::get<Array<double>>(edges.weight)) w = 0;
      const Graph graph = Graph::build(world, std::move(edges), {.placement = {.partition = m.partition}});
      const auto distance = by_owned_index<double>(graph, ids, {0, 0, 0, 0, 0, 0});
      const auto ring = by_owned_index<Vertex>(graph, ids, {0, 0, 1, 11, 12, 10});
      CHECK(verify_sssp(graph, 0, span(distance), span(ring)).what ==
            "rule 1: the parents of vertex 10 never lead to the source 0 (a cycle)");
      CHECK(verify_sssp(graph, 0, span(distance)).what ==
            "rule 1: no path that makes the distances leads from the source 0 to vertex 10");
      const double far = std::numeric_limits<double>::infinity();
      const auto right = by_owned_index<double>(graph, ids, {0, 0, 0, far, far, far});
      CHECK(verify_sssp(graph, 0, span(right)).ok);
      EdgeList tuples = tuples_of(graph, s);
      for (float& w : std::get<Array<float>>(tuples.weight)) w = 0;
      CHECK(verify_sssp(graph, 0, span(distance), span(ring), tuples).what ==
            "rule 1: the parents of vertex 10 never lead to the source 0 (a cycle)");
      const auto tree = by_owned_index<Vertex>(graph, ids, {0, 0, 1, -1, -1, -1}),
                 swapped = by_owned_index<Vertex>(graph, ids, {0, 2, 1, -1, -1, -1});
      CHECK(verify_sssp(graph, 0, span(right), span(tree)).ok);
      CHECK(verify_sssp(graph, 0, span(right), span(swapped)).what ==
            "rule 1: the parents of vertex 1 never lead to the source 0 (a cycle)");
      CHECK(verify_sssp(graph, 0, span(right), span(tree), tuples).ok);
      CHECK_FALSE(verify_sssp(graph, 0, span(right), span(swapped), tuples).ok);
      const Array<float> narrow(static_cast<std::size_t>(graph.owned()), 0);
      CHECK_THROWS_AS(verify_sssp(graph, 0, span(narrow)), InputError);
      CHECK_THROWS_AS(verify_sssp(graph, 0, span(right).subspan(0, span(right).size() / 2)), InputError);
    });
  }
}

TEST_CASE("a weight changed in building the graph is found by the check against the input, not against the lists") {
  for (const Rank ranks : {1, 2, 3, 4}) {
    CAPTURE(ranks);
    Plan plan;
    plan.threads = ranks == 1 ? 2 : 1;
    run_ranks(ranks, plan, [&](World& world) {
      // 0 -(.5)- 1 -(.25)- 2, 0 -(1)- 2, and 1 - 2 again with a larger weight.
      const Vertex from[] = {0, 1, 0, 1}, to[] = {1, 2, 2, 2};
      const auto edges_of = [&](const std::array<float, 4>& weight) {
        std::vector<std::size_t> mine;
        for (std::size_t i = 0; i < 4; ++i)
          if (static_cast<Rank>(i) % world.size() == world.rank()) mine.push_back(i);
        Array<std::uint32_t> source(mine.size()), target(mine.size());
        Array<float> weights(mine.size());
        for (std::size_t k = 0; k < mine.size(); ++k) {
          source[k] = static_cast<std::uint32_t>(from[mine[k]]);
          target[k] = static_cast<std::uint32_t>(to[mine[k]]);
          weights[k] = weight[mine[k]];
        }
        EdgeList edges;
        edges.source = std::move(source);
        edges.target = std::move(target);
        edges.weight = std::move(weights);
        edges.range = IdRange{0, 3};
        return edges;
      };
      const EdgeList edges = edges_of({0.5F, 0.25F, 1, 0.75F});
      const std::vector<Vertex> ids{0, 1, 2}, parents{0, 0, 1};
      const auto check = [&](float changed, const std::vector<float>& distances, const std::string& what) {
        const Graph graph = Graph::build(world, edges_of({0.5F, changed, 1, 0.75F}));
        const auto distance = by_owned_index(graph, ids, distances);
        const auto parent = by_owned_index(graph, ids, parents);
        CHECK(verify_sssp(graph, 0, span(distance), span(parent)).ok);
        const PathsVerdict verdict = verify_sssp(graph, 0, span(distance), span(parent), edges);
        CHECK(verdict.what == what);
        if (verdict.ok) CHECK(verdict.edges_in_component == 4);
      };
      check(0.25F, {0, 0.5F, 0.75F}, "");
      check(0.125F, {0, 0.5F, 0.625F},
            "rule 2: vertex 2 has the distance 0.625 (its parent 1 and the edge between them make 0.75)");
      check(0.375F, {0, 0.5F, 0.875F},
            "rule 2: vertex 2 has the distance 0.875 (its parent 1 and the edge between them make 0.75)");
      // A shorter path that is missing in the lists.
      const Graph graph = Graph::build(world, edges_of({0.5F, 2, 1, 2}));
      const auto distance = by_owned_index<float>(graph, ids, {0, 0.5F, 1});
      const auto parent = by_owned_index<Vertex>(graph, ids, {0, 0, 0});
      CHECK(verify_sssp(graph, 0, span(distance), span(parent)).ok);
      CHECK(verify_sssp(graph, 0, span(distance), span(parent), edges).what ==
            "rule 3: edge 1 - 2 of length 0.25 joins the distances 0.5 and 1 (there is a shorter path)");
    });
  }
}

TEST_CASE("depths alone are checked, and any change of one is found") {
  for_each_sample([](const Sample& s) {
    const auto ids = s.edges.ids();
    const auto out = lists(s);
    std::vector<Vertex> depth(ids.size(), kUnreachable);
    std::vector<std::size_t> queue{0};
    depth[0] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (const std::size_t u : out[queue[i]])
        if (depth[u] == kUnreachable) depth[u] = depth[queue[i]] + 1, queue.push_back(u);
    const auto answers = mutants(depth, ids.size() == 1 ? 0 : 10, [](Vertex d, std::size_t, std::size_t i) {
      return i % 3 == 0   ? kUnreachable
             : i % 3 == 1 ? (d == kUnreachable ? 1 : d + 1)
                          : std::max<Vertex>(0, d == kUnreachable ? 2 : d - 1);
    });
    check_only_first_passes(said(s, cases::Weight::none, answers, [&](const Graph& g, const std::vector<Vertex>& a) {
      const auto d = by_owned_index(g, ids, a);
      return verify_depths(g, ids[0], span(d));
    }));
  });
}

TEST_CASE("distances by weights of both signs are checked, and any change of one is found") {
  // 0 -> 1 -> 2 -> 3, with cycles of sum 0 at 1 and beyond what is reached.
  constexpr double kFar = std::numeric_limits<double>::infinity();
  const std::vector<std::tuple<std::uint32_t, std::uint32_t, double>> list{{0, 1, 2}, {1, 2, -5}, {2, 1, 5}, {2, 3, 1},
                                                                           {0, 3, 0}, {4, 5, -1}, {5, 4, 1}};
  const std::vector<Vertex> ids{0, 1, 2, 3, 4, 5}, parents{0, 0, 1, 2, -1, -1};
  const std::vector<double> distances{0, 2, -3, -2, kFar, kFar};
  Plan plan;
  plan.threads = 1;
  for (const Rank ranks : {1, 2, 3})
    run_ranks(ranks, plan, [&](World& world) {
      EdgeList edges;
      const std::size_t m = world.rank() == 0 ? list.size() : 0;
      Array<std::uint32_t> source(m), target(m);
      Array<double> weight(m);
      for (std::size_t e = 0; e < m; ++e) std::tie(source[e], target[e], weight[e]) = list[e];
      edges.source = std::move(source);
      edges.target = std::move(target);
      edges.weight = std::move(weight);
      edges.directed = true;
      const Graph graph = Graph::build(world, std::move(edges));
      const auto verdict = [&](const std::vector<double>& d, const std::vector<Vertex>& p) {
        const auto distance = by_owned_index(graph, ids, d);
        const auto parent = p.empty() ? Array<Vertex>() : by_owned_index(graph, ids, p);
        return verify_bellman_ford(graph, 0, span(distance), span(parent)).what.substr(0, 6);
      };
      CHECK(verdict(distances, parents).empty());
      CHECK(verdict(distances, {}).empty());
      for (std::size_t v = 0; v < ids.size(); ++v)
        for (const double wrong : {-9.0, 1.5, kFar, -kFar, std::nan("")}) {
          if (wrong == distances[v]) continue;
          std::vector<double> changed = distances;
          changed[v] = wrong;
          CHECK(!verdict(changed, {}).empty());
        }
      // Both cycles, as if something led to them: their edges are tight, but no path comes from 0.
      CHECK(verdict({0, 1, -4, -3, kFar, kFar}, {}) == "rule 1");
      CHECK(verdict({0, 2, -3, -2, 7, 6}, {}) == "rule 1");
      CHECK(verdict(distances, {0, 2, 1, 2, -1, -1}) == "rule 1");
      CHECK(verdict(distances, {0, 0, 1, 0, -1, -1}) == "rule 2");
    });
}
