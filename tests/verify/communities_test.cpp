// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/verify/communities/communities.hpp>

#include "verify/mutations.hpp"

using namespace mutations;

namespace {

using Labels = std::vector<Vertex>;

std::vector<std::string> said_of_communities(const char* text, const std::vector<Labels>& answers,
                                             const CommunitiesClaim& claim) {
  const Sample sample{samples::from_text(text), false, Duplicates::merge_min};
  return said_of(sample, answers, [&](const Graph& graph, std::span<const Vertex> labels) {
    return verify_communities(graph, labels, claim);
  });
}

}  // namespace

TEST_CASE("communities: names that are not the smallest id of a member are found") {
  const auto said = said_of_communities("path:6",
                                        {{0, 0, 0, 3, 3, 3},
                                         {0, 0, 0, 3, 3, 5},
                                         {0, 0, 2, 2, 5, 5},
                                         {0, 0, 0, 2, 2, 2},
                                         {-1, 0, 0, 3, 3, 3},
                                         {0, 0, 0, 3, 3, 7}},
                                        {.connected = true});
  CHECK(said[0] == "");
  CHECK(said[1].find("rule 4: the communities 3 and 5 together") == 0);
  CHECK(said[2].find("rule 1: vertex 4 has the label 5") == 0);
  CHECK(said[3] == "rule 1: a vertex has the label 2, but vertex 2 itself has the label 0");
  CHECK(said[4].find("rule 1: a vertex has the label -1") == 0);
  CHECK(said[5].find("rule 1: vertex 5 has the label 7") == 0);
}

TEST_CASE("communities: a wrong modularity is found") {
  const double q = 4.0 / 5 - 2 * 0.25;
  for (const auto& [claimed, what] :
       {std::pair{q, ""}, {q + 1e-12, ""}, {q + 1e-6, "rule 2: the modularity is said to be"}}) {
    const auto said = said_of_communities("path:6", {{0, 0, 0, 3, 3, 3}}, {.modularity = claimed});
    CHECK((*what ? said[0].find(what) == 0 : said[0].empty()));
  }
}

TEST_CASE("communities: one that is not connected is found where it has to be") {
  // 0-1-2 and 6-7-8 in one community, with no edge between.
  const Labels labels{0, 0, 0, 3, 3, 3, 0, 0, 0};
  const auto connected = said_of_communities("path:9", {labels}, {.connected = true});
  CHECK(connected[0] == "rule 3: vertex 6 is in the community 0, but no path inside it joins it and vertex 0");
  CHECK(said_of_communities("path:9", {labels}, {})[0] == "");
}

TEST_CASE("communities: the resolution says which may stay apart") {
  const Labels alone{0, 1, 2, 3, 4, 5};
  CHECK(said_of_communities("ring:6", {alone}, {.resolution = 10})[0] == "");
  CHECK(said_of_communities("ring:6", {alone}, {})[0].find("rule 4") == 0);
}

TEST_CASE("communities: answers of another size, and directed graphs, are refused") {
  Plan plan;
  plan.threads = 1;
  run_ranks(3, plan, [](World& world) {
    const Graph graph = Graph::build(world, generate(world, "path:9"));
    const Labels few(static_cast<std::size_t>(graph.owned()) + (world.rank() == 1), 0);
    CHECK_THROWS_AS(verify_communities(graph, few, {}), InputError);
    CHECK_THROWS_AS(CommunityWeightTable(graph, few, EdgeWeighting::of_edges), InputError);
    EdgeList edges = generate(world, "path:9");
    edges.directed = true;
    const Graph directed = Graph::build(world, std::move(edges));
    CHECK_THROWS_AS(verify_communities(directed, few, {}), InputError);
  });
}
