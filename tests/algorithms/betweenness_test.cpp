// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/betweenness.hpp>
#include <atoll/base/error.hpp>
#include <cmath>

#include "algorithms/spread_samples.hpp"

using namespace atl;
using samples::Sample;

namespace {

// Brandes' algorithm, vertex by vertex.
std::vector<double> brandes(const Sample& sample, const std::vector<std::size_t>& sources) {
  const std::size_t n = sample.vertices();
  std::vector<std::vector<std::size_t>> lists(n);
  for (const auto& a : sample.arcs()) lists[static_cast<std::size_t>(a.from)].push_back(static_cast<std::size_t>(a.to));
  std::vector<double> score(n, 0);
  for (const std::size_t s : sources) {
    std::vector<int> depth(n, -1);
    std::vector<double> paths(n, 0), dependency(n, 0);
    std::vector<std::size_t> order{s};
    depth[s] = 0;
    paths[s] = 1;
    for (std::size_t i = 0; i < order.size(); ++i)
      for (const std::size_t u : lists[order[i]]) {
        if (depth[u] < 0) {
          depth[u] = depth[order[i]] + 1;
          order.push_back(u);
        }
        if (depth[u] == depth[order[i]] + 1) paths[u] += paths[order[i]];
      }
    for (std::size_t i = order.size(); i-- > 0;) {
      const std::size_t v = order[i];
      for (const std::size_t u : lists[v])
        if (depth[u] == depth[v] + 1) dependency[v] += paths[v] / paths[u] * (1 + dependency[u]);
      if (v != s) score[v] += dependency[v];
    }
  }
  return score;
}

}  // namespace

TEST_CASE("betweenness is Brandes' over any ranks, routes and partitions") {
  samples::for_each_spread(cases::Weight::none, [](const Sample& sample, const Graph& graph) {
    const std::vector<Vertex> ids = sample.edges.ids();
    std::vector<std::size_t> numbers;
    std::vector<Vertex> sources;
    for (std::size_t v = 0; v < ids.size(); v += 1 + ids.size() / 5) {
      numbers.push_back(v);
      sources.push_back(ids[v]);
    }
    const auto expected = brandes(sample, numbers);
    Betweenness betweenness(graph);
    BetweennessResult result;
    for (int again = 0; again < 2; ++again) {
      betweenness.run(sources, result);
      const auto score = samples::by_id(graph, result.score);
      REQUIRE(score.size() == expected.size());
      for (std::size_t v = 0; v < score.size(); ++v)
        REQUIRE(std::abs(score[v] - expected[v]) <= 1e-9 * (1 + std::abs(expected[v])));
    }
    Vertex stranger = 0;
    while (std::binary_search(ids.begin(), ids.end(), stranger)) ++stranger;
    const std::vector<Vertex> nobody{stranger};
    CHECK_THROWS_AS(betweenness.run(nobody, result), InputError);
  });
}
