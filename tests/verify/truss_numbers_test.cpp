// SPDX-License-Identifier: Apache-2.0
#include "reference/truss_numbers.hpp"

#include <doctest/doctest.h>

#include <atoll/algorithms/edge_order.hpp>
#include <atoll/base/error.hpp>
#include <atoll/verify/truss/truss_numbers.hpp>

#include "verify/mutations.hpp"

using namespace mutations;

namespace {

using Numbers = std::map<std::pair<std::size_t, std::size_t>, long>;

Numbers numbers_of(const Sample& s) {
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  for (const auto& a : s.arcs()) edges.emplace_back(static_cast<std::size_t>(a.from), static_cast<std::size_t>(a.to));
  return reference::truss_numbers(s.vertices(), edges);
}

std::vector<Vertex> greatest_of(const Sample& s, const Numbers& numbers) {
  std::vector<Vertex> greatest(s.vertices(), 0);
  for (const auto& [ends, number] : numbers)
    for (const std::size_t end : {ends.first, ends.second}) greatest[end] = std::max<Vertex>(greatest[end], number);
  return greatest;
}

std::vector<std::string> said_of_edges(const Sample& s, const std::vector<Numbers>& answers) {
  const auto ids = s.edges.ids();
  return said(s, cases::Weight::none, answers, [&](const Graph& graph, const Numbers& numbers) {
    const auto at = [&](Local v) {
      return static_cast<std::size_t>(std::lower_bound(ids.begin(), ids.end(), graph.id_of(v)) - ids.begin());
    };
    std::vector<Vertex> of_edge;
    for_each_edge(graph,
                  [&](Local v, Local u) { of_edge.push_back(v == u ? 0 : numbers.at(std::minmax(at(v), at(u)))); });
    const Array<Vertex> greatest = by_owned_index(graph, ids, greatest_of(s, numbers));
    return verify_truss_numbers(graph, {.greatest = span(greatest), .of_edge = of_edge});
  });
}

}  // namespace

TEST_CASE("truss numbers: the right ones pass, and any other number of an edge is found") {
  for_each_sample([](const Sample& s) {
    if (s.directed) return;
    const Numbers right = numbers_of(s);
    std::vector<Numbers> answers{right};
    for (std::size_t i = 0; i < 12 && !right.empty(); ++i) {
      Numbers wrong = right;
      const auto at = std::next(wrong.begin(), static_cast<std::ptrdiff_t>(random_at(41, i) % wrong.size()));
      at->second += i % 2 ? 1 : at->second > 2 ? -1 : 2;
      answers.push_back(std::move(wrong));
    }
    check_only_first_passes(said_of_edges(s, answers));
  });
}

TEST_CASE("truss numbers: those of vertices alone pass, and any other is found") {
  for_each_sample([](const Sample& s) {
    if (s.directed || s.vertices() == 0) return;
    const auto change = [](Vertex value, std::size_t, std::size_t i) { return i % 2 ? value + 1 : value - 1; };
    check_only_first_passes(mutations::said_of<Vertex>(
        s, mutants(greatest_of(s, numbers_of(s)), 8, change),
        [](const Graph& g, std::span<const Vertex> v) { return verify_truss_numbers(g, {.greatest = v}); }));
  });
}

TEST_CASE("truss numbers: the check says which rule is broken, and where") {
  const Sample s = two_triangles();
  const Numbers right = numbers_of(s);
  const auto with = [&](std::size_t u, std::size_t v, long number) {
    Numbers wrong = right;
    wrong.at({u, v}) = number;
    return said_of_edges(s, {wrong})[0];
  };
  CHECK(said_of_edges(s, {right})[0] == "");
  CHECK(with(0, 1, 1) ==
        "rule 1: the edge between 1 and 2 has the truss number 1 (2 or more, the same of parallel edges, 0 "
        "of a self-loop)");
  CHECK(
      with(2, 3, 3) ==
      "rule 2: the edge between 3 and 4 has the truss number 3 (too large, or another is too small: 0 of its triangles "
      "have edges of 3 or more)");
  Numbers twos = right;
  for (auto& [ends, number] : twos) number = 2;
  CHECK(said_of_edges(s, {twos})[0] ==
        "rule 3: the edge between 1 and 2 has the truss number 2 (too small: it is in a subgraph whose edges are in 1 "
        "triangles or more)");
  const auto alone = mutations::said_of<Vertex>(
      s, {{3, 3, 3, 3, 3, 3, 2, 3}},
      [](const Graph& g, std::span<const Vertex> v) { return verify_truss_numbers(g, {.greatest = v}); });
  CHECK(alone[0] == "rule 1: vertex 9 has the truss number 3 (the greatest of its edges is 2)");
}

TEST_CASE("truss numbers: a directed graph and too few values are refused the same on all ranks") {
  Plan plan;
  plan.threads = 1;
  run_ranks(3, plan, [](World& world) {
    EdgeList edges = generate(world, "path:9");
    edges.directed = true;
    const Graph directed = Graph::build(world, std::move(edges));
    const Array<Vertex> greatest(index(directed.owned()), 0);
    CHECK_THROWS_AS(verify_truss_numbers(directed, {.greatest = span(greatest)}), InputError);
    const Graph graph = Graph::build(world, generate(world, "path:9"));
    const std::vector<Vertex> one(world.rank() == 1 ? 1 : 0, 0);
    CHECK_THROWS_AS(verify_truss_numbers(graph, {.of_edge = one}), InputError);
    CHECK_THROWS_AS(verify_truss_numbers(graph, {.greatest = one}), InputError);
    CHECK(world.sum(1) == 3);
  });
}
