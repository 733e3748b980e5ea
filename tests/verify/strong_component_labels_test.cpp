// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/verify/components/strong_component_labels.hpp>

#include "reference/strong_components.hpp"
#include "verify/mutations.hpp"

using namespace mutations;

namespace {

using Labels = std::vector<Vertex>;

Labels strong_labels(const Sample& s) {
  std::vector<std::pair<std::size_t, std::size_t>> arcs;
  for (const auto& a : s.arcs()) arcs.emplace_back(static_cast<std::size_t>(a.from), static_cast<std::size_t>(a.to));
  const auto ids = s.edges.ids();
  Labels labels;
  for (const std::size_t least : reference::strong_components(ids.size(), arcs)) labels.push_back(ids[least]);
  return labels;
}

std::vector<std::string> said_of_labels(const Sample& s, const std::vector<Labels>& answers) {
  return mutations::said_of<Vertex>(
      s, answers, [](const Graph& g, std::span<const Vertex> v) { return verify_strong_components(g, v); });
}

}  // namespace

TEST_CASE("strongly connected components: correct labels pass, and any change of one is found") {
  for_each_sample([](const Sample& s) {
    const auto ids = s.edges.ids();
    check_only_first_passes(
        said_of_labels(s, mutants(strong_labels(s), 12, [&](Vertex, std::size_t at, std::size_t i) {
                         return i % 3 == 0 ? ids[random_at(8, i) % ids.size()] : i % 3 == 1 ? ids[at] : -1;
                       })));
  });
}

TEST_CASE("strongly connected components: labels that part a component, and labels that join two") {
  // Two cycles, 1 2 3 and 4 5 6, an edge from one to the other, and 7 behind.
  Sample s{{"two cycles", {{1, 2}, {2, 3}, {3, 1}, {3, 4}, {4, 5}, {5, 6}, {6, 4}, {6, 7}}, {}, {}},
           true,
           Duplicates::merge_min};
  const auto of = [&](const Labels& labels) { return said_of_labels(s, {labels})[0]; };
  CHECK(of({1, 1, 1, 4, 4, 4, 7}) == "");
  CHECK(of({1, 1, 1, 5, 4, 4, 7}) ==
        "rule 1: vertex 4 has the label 5 (the smallest id of its component is at most its own)");
  CHECK(of({1, 1, 1, 1, 1, 1, 7}) == "rule 2: vertex 4 has the label 1, but no path leads from it to vertex 1");
  CHECK(of({1, 1, 1, 4, 4, 4, 4}) == "rule 2: vertex 7 has the label 4, but no path leads from it to vertex 4");
  CHECK(of({1, 2, 3, 4, 4, 4, 7}) ==
        "rule 3: vertex 1 has the label 1 (a cycle passes vertices of that label and of another one, or such a cycle "
        "leads to it)");
  s.edges.edges.emplace_back(6, 1);
  CHECK(of({1, 1, 1, 1, 1, 1, 7}) == "");
  CHECK(of({1, 1, 1, 4, 4, 4, 7}).starts_with("rule 3: vertex 1 "));
}
