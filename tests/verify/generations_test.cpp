// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/verify/generations.hpp>

#include "verify/mutations.hpp"

using namespace mutations;

namespace {

using Generations = std::vector<Vertex>;

std::vector<std::string> said_of_generations(const Sample& s, const std::vector<Generations>& answers) {
  return mutations::said_of<Vertex>(s, answers,
                                    [](const Graph& g, std::span<const Vertex> v) { return verify_generations(g, v); });
}

Generations right_generations(const Sample& s) {
  Generations of(s.vertices(), 0);
  const auto arcs = s.arcs();
  const auto n = static_cast<Vertex>(of.size());
  // Around a cycle they grow without end.
  for (Vertex pass = 0; pass <= 3 * n; ++pass)
    for (const auto& a : arcs) {
      Vertex& head = of[static_cast<std::size_t>(a.to)];
      head = std::max(head, of[static_cast<std::size_t>(a.from)] + 1);
    }
  for (Vertex& g : of)
    if (g >= n) g = -1;
  for (Vertex pass = 0; pass < n; ++pass)
    for (const auto& a : arcs)
      if (of[static_cast<std::size_t>(a.from)] == -1) of[static_cast<std::size_t>(a.to)] = -1;
  return of;
}

}  // namespace

TEST_CASE("generations: the right ones pass, and any change of one is found") {
  for_each_sample([](const Sample& s) {
    check_only_first_passes(
        said_of_generations(s, mutants(right_generations(s), 12, [&](Vertex g, std::size_t, std::size_t i) {
                              return i % 3 == 0 ? g + 1 : i % 3 == 1 ? Vertex{-1} : Vertex{77000};
                            })));
  });
}

TEST_CASE("generations: a cycle, what is behind it, and longest paths") {
  Sample s{{"cycle", {{1, 2}, {2, 3}, {1, 3}, {4, 5}, {5, 4}, {5, 6}, {3, 6}}, {}, {}}, true, Duplicates::merge_min};
  const auto of = [&](const Generations& g) { return said_of_generations(s, {g})[0]; };
  CHECK(of({0, 1, 2, -1, -1, -1}) == "");
  CHECK(of({0, 1, 1, -1, -1, -1}) == "rule 2: vertex 3 is of generation 1 (the tails of its edges make 2)");
  CHECK(of({0, 1, 2, 1, 0, 3}) == "rule 2: vertex 5 is of generation 0 (the tails of its edges make 2)");
  CHECK(of({0, 1, 2, -1, -1, 3}) ==
        "rule 1: vertex 6 is of generation 3, but an edge enters it from a vertex of generation -1");
  CHECK(of({-1, -1, -1, -1, -1, -1}) ==
        "rule 1: vertex 1 is of generation -1, but no edge enters it from such a vertex");
}
