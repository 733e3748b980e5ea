// SPDX-License-Identifier: Apache-2.0
// Checks of independent sets, colours and matchings: right answers pass, and wrong ones are named.
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/verify/greedy/colors.hpp>
#include <atoll/verify/greedy/independent_set.hpp>
#include <atoll/verify/greedy/matching.hpp>
#include <map>

#include "verify/mutations.hpp"

using namespace mutations;

namespace {

// Answers for the triangles 1 2 3 and 4 5 6, the edge 3 - 4, and the edge 8 - 9, by ascending id.
const std::vector<Vertex> kMembers{1, 0, 0, 1, 0, 0, 1, 0};
const std::vector<Vertex> kColors{1, 2, 0, 1, 0, 2, 0, 1};
const std::vector<Vertex> kMates{2, 1, 4, 3, 6, 5, 9, 8};

std::string said_of_change(const std::vector<Vertex>& right, const std::map<std::size_t, Vertex>& changes,
                           Verdict (*verify)(const Graph&, std::span<const Vertex>)) {
  auto answer = right;
  for (const auto& [at, value] : changes) answer[at] = value;
  return said_of(two_triangles(), std::vector<std::vector<Vertex>>(1, answer), verify)[0];
}

Verdict verify_unweighted(const Graph& graph, std::span<const Vertex> mate) {
  return verify_matching(graph, mate, EdgeWeighting::ones);
}

}  // namespace

TEST_CASE("independent sets: the check names the rule and the vertices") {
  const auto with = [](const std::map<std::size_t, Vertex>& changes) {
    return said_of_change(kMembers, changes, verify_independent_set);
  };
  CHECK(with({}) == "");
  CHECK(with({{6, 0}, {7, 1}}) == "");  // 9 for 8
  CHECK(with({{1, 2}}) == "rule 1: vertex 2 has the value 2 (1 of a member, else 0)");
  CHECK(with({{1, 1}}) == "rule 2: vertices 1 and 2 are members (and neighbours)");
  CHECK(with({{6, 0}}) == "rule 3: vertex 8 is no member (and has no neighbour that is one)");
  CHECK(with({{0, 0}}) == "rule 3: vertex 1 is no member (and has no neighbour that is one)");
}

TEST_CASE("colours: the check names the rule and the vertices") {
  const auto with = [](const std::map<std::size_t, Vertex>& changes) {
    return said_of_change(kColors, changes, verify_colors);
  };
  CHECK(with({}) == "");
  CHECK(with({{6, 1}, {7, 0}}) == "");
  CHECK(with({{6, -1}}) == "rule 1: vertex 8 has the colour -1 (from 0 to 1, the number of its neighbours)");
  CHECK(with({{0, 3}}) == "rule 1: vertex 1 has the colour 3 (from 0 to 2, the number of its neighbours)");
  CHECK(with({{1, 1}}) == "rule 2: the neighbours 1 and 2 have the colour 1");
  CHECK(with({{2, 3}}) == "rule 3: vertex 1 has the colour 1 (no neighbour has 0)");
}

TEST_CASE("matchings: the check names the rule and the vertices") {
  const auto with = [](const std::map<std::size_t, Vertex>& changes) {
    return said_of_change(kMates, changes, verify_unweighted);
  };
  CHECK(with({}) == "");
  CHECK(with({{2, 1}, {0, 3}, {1, -1}, {3, 5}, {4, 4}, {5, -1}}) == "");  // 1 - 3, 4 - 5
  CHECK(with({{0, 4}}) == "rule 1: vertex 1 has the mate 4 (no neighbour of it)");
  CHECK(with({{0, 1}}) == "rule 1: vertex 1 has the mate 1 (no neighbour of it)");
  CHECK(with({{0, 77}}) == "rule 1: vertex 1 has the mate 77 (no neighbour of it)");
  CHECK(with({{0, 3}}) == "rule 2: vertex 1 has the mate 3 (which has 4)");
  CHECK(with({{1, -1}}) == "rule 2: vertex 1 has the mate 2 (which has none)");
  CHECK(with({{6, -1}, {7, -1}}) == "rule 3: the neighbours 8 and 9 have no mates");
}

TEST_CASE("matchings: an edge heavier than both beside it is found by weight") {
  const Sample path{{"path", {{1, 2}, {2, 3}, {3, 4}}, {}, {}}, false, Duplicates::merge_min};
  std::vector<double> weights;
  for (std::size_t i = 0; i < 3; ++i) weights.push_back(path.edges.weight(i));
  const std::vector<std::vector<Vertex>> answers{{2, 1, 4, 3}, {-1, 3, 2, -1}};
  const auto verdicts =
      said(path, cases::Weight::wide, answers, [](const Graph& graph, const std::vector<Vertex>& mate) {
        const Array<Vertex> values = by_owned_index(graph, std::vector<Vertex>{1, 2, 3, 4}, mate);
        return verify_matching(graph, span(values), EdgeWeighting::of_edges);
      });
  const bool outer = weights[1] <= std::max(weights[0], weights[2]);  // the middle edge is not heavier than both
  CHECK((verdicts[0] == "") == outer);
  CHECK((verdicts[1] == "") == (weights[0] <= weights[1] && weights[2] <= weights[1]));
  CHECK((verdicts[0] != "" || verdicts[1] != ""));
}

TEST_CASE("greedy answers: directed graphs and wrong sizes are refused") {
  run_ranks(2, {}, [](World& world) {
    EdgeList edges = generate(world, "ring:9");
    edges.directed = true;
    const Graph directed = Graph::build(world, std::move(edges));
    const std::vector<Vertex> values(static_cast<std::size_t>(directed.owned()), 0);
    CHECK_THROWS_AS(verify_independent_set(directed, values), InputError);
    CHECK_THROWS_AS(verify_colors(directed, values), InputError);
    CHECK_THROWS_AS(verify_matching(directed, values, EdgeWeighting::ones), InputError);
    const Graph graph = Graph::build(world, generate(world, "ring:9"));
    const std::span<const Vertex> none;
    CHECK_THROWS_AS(verify_independent_set(graph, none), InputError);
    CHECK_THROWS_AS(verify_colors(graph, none), InputError);
    CHECK_THROWS_AS(verify_matching(graph, none, EdgeWeighting::ones), InputError);
  });
}
