// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/verify/centrality/closeness_samples.hpp>

#include "verify/mutations.hpp"

using namespace mutations;

namespace {

struct Centrality {
  std::vector<double> closeness, harmonic;
  std::vector<Vertex> farness, reached;
};

// From all vertices, or from those of even index.
Centrality centrality(const Sample& s, bool from_all) {
  const auto out = lists(s);
  const std::size_t n = out.size();
  Centrality c{std::vector<double>(n, 0.0), std::vector<double>(n, 0.0), std::vector<Vertex>(n, 0),
               std::vector<Vertex>(n, 0)};
  double sources = 0;
  for (std::size_t u = 0; u < n; u += from_all ? 1 : 2) {
    ++sources;
    std::vector<Vertex> depth(n, -1);
    std::vector<std::size_t> queue{u};
    depth[u] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (const std::size_t v : out[queue[i]])
        if (depth[v] < 0) {
          depth[v] = depth[queue[i]] + 1;
          queue.push_back(v);
          ++c.reached[v];
          c.farness[v] += depth[v];
          c.harmonic[v] += 1.0 / static_cast<double>(depth[v]);
        }
  }
  for (std::size_t v = 0; v < n; ++v) {
    if (c.reached[v] == 0) continue;
    const auto r = static_cast<double>(c.reached[v]);
    const double others = sources - (from_all || v % 2 == 0 ? 1 : 0);
    c.closeness[v] = r / static_cast<double>(c.farness[v]) * r / others;
    c.harmonic[v] *= static_cast<double>(n - 1) / others;
  }
  return c;
}

template <class T>
using Column = std::span<const T> ClosenessValues::*;

// The verdicts on answers for one column, beside which no other is given.
template <class T>
std::vector<std::string> said_alone(const Sample& s, Column<T> column, const std::vector<std::vector<T>>& answers,
                                    bool from_all, Vertex samples) {
  std::vector<Vertex> even;
  const std::vector<Vertex> ids = s.edges.ids();
  for (std::size_t i = 0; i < ids.size(); i += 2) even.push_back(ids[i]);
  return said_of(s, answers, [&](const Graph& g, std::span<const T> v) {
    ClosenessValues values;
    values.*column = v;
    ClosenessTerms terms{.samples = samples};
    if (!from_all) terms.sources = even;
    return verify_closeness(g, values, terms);
  });
}

}  // namespace

TEST_CASE("closeness: correct values pass, and any change of one is found") {
  const auto larger = [](double x, std::size_t, std::size_t i) { return i % 2 == 0 ? x + 0.001 : x * 0.999 - 1e-6; };
  const auto other = [](Vertex x, std::size_t, std::size_t i) { return i % 2 == 0 ? x + 1 : x - 1; };
  bool from_all = false;
  for_each_sample([&](const Sample& s) {
    from_all = !from_all;
    const Centrality right = centrality(s, from_all);
    const bool is_small = s.vertices() <= 32;  // every vertex is searched from
    const auto check = [&](auto column, const auto& values, auto&& change) {
      const auto said = said_alone(s, column, mutants(values, is_small ? 2 : 0, change), from_all, is_small ? 32 : 3);
      check_only_first_passes(said);
    };
    check(&ClosenessValues::closeness, right.closeness, larger);
    check(&ClosenessValues::harmonic, right.harmonic, larger);
    check(&ClosenessValues::farness, right.farness, other);
    check(&ClosenessValues::reached, right.reached, other);
  });
}

TEST_CASE("closeness: the check names the rule, the vertex and the bounds") {
  const Sample s = two_triangles();  // 1 2 3 - 4 5 6, 8 - 9
  const Centrality right = centrality(s, true);
  const auto with = [&](auto column, auto values, std::size_t k, auto value, Vertex samples = 0) {
    values[k] = value;
    return said_alone(s, column, std::vector<decltype(values)>(1, values), true, samples)[0];
  };
  CHECK(with(&ClosenessValues::closeness, right.closeness, 0, 1.5) ==
        "rule 1: vertex 1 has closeness 1.5 (from 0 to 1, and 0 only of a vertex that none enters)");
  CHECK(with(&ClosenessValues::harmonic, right.harmonic, 6, 0.0) ==
        "rule 1: vertex 8 has harmonic 0 (from 0 to 7, and 0 only of a vertex that none enters)");
  CHECK(with(&ClosenessValues::reached, right.reached, 3, Vertex{6}) ==
        "rule 2: vertex 3 has reached 5 (by a neighbour's, from 6 to 7)");
  CHECK(with(&ClosenessValues::harmonic, right.harmonic, 7, 3.0) ==
        "rule 2: vertex 8 has harmonic 1 (by a neighbour's, from 2 to 7)");
  CHECK(with(&ClosenessValues::closeness, right.closeness, 2, 0.5) == "");  // only samples detect this
  CHECK(with(&ClosenessValues::closeness, right.closeness, 2, 0.5, 8) ==
        "rule 4: vertex 3 has closeness 0.5 (by a search: 0.5102040816326531)");
  CHECK(said(s, cases::Weight::none, std::vector{right},
             [&](const Graph& graph, const Centrality& c) {
               const auto ids = s.edges.ids();
               auto farness = c.farness;
               farness[1] += 1;
               const Array<double> closeness = by_owned_index(graph, ids, c.closeness);
               const Array<Vertex> f = by_owned_index(graph, ids, farness), r = by_owned_index(graph, ids, c.reached);
               return verify_closeness(graph, {.closeness = span(closeness), .farness = span(f), .reached = span(r)},
                                       {.samples = 0});
             })[0]
            .find("rule 3: vertex 2 has closeness 0.3571428571428") == 0);
}
