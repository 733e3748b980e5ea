// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/coloring/coloring.hpp>
#include <atoll/base/error.hpp>
#include <atoll/verify/greedy/colors.hpp>
#include <numeric>

#include "algorithms/neighbour_sets.hpp"

using namespace atl;
using samples::Sample;

namespace {

// Takes vertices one after another; each has the least colour that no neighbour has yet.
std::vector<Vertex> serial(const Sample& sample, const ColoringOptions& options) {
  const auto ids = sample.edges.ids();
  const auto sets = samples::neighbour_sets(sample);
  std::vector<std::size_t> order(ids.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t u, std::size_t v) {
    if (options.order == ColoringOrder::largest_first) return sets[u].size() > sets[v].size();
    return random_at(options.seed, static_cast<std::uint64_t>(ids[u])) >
           random_at(options.seed, static_cast<std::uint64_t>(ids[v]));
  });
  std::vector<Vertex> color(ids.size(), -1);
  for (const std::size_t v : order) {
    std::set<Vertex> taken;
    for (const std::size_t u : sets[v]) taken.insert(color[u]);
    Vertex least = 0;
    while (taken.contains(least)) ++least;
    color[v] = least;
  }
  return color;
}

void check_run(const Sample& sample, const Graph& graph) {
  Coloring coloring(graph);
  ColoringResult result;
  const std::vector<ColoringOptions> runs{{},
                                          {.order = ColoringOrder::random, .seed = 1},
                                          {.order = ColoringOrder::random, .seed = 5},
                                          {.order = ColoringOrder::largest_first, .seed = 5}};
  for (const ColoringOptions& options : runs) {
    coloring.run(options, result);
    const auto expected = serial(sample, options);
    CHECK(samples::by_id(graph, result.color) == expected);
    CHECK(result.colors == (expected.empty() ? 0 : *std::max_element(expected.begin(), expected.end()) + 1));
    CHECK(verify_colors(graph, {result.color.data(), result.color.size()}).what == "");
  }
}

}  // namespace

TEST_CASE("colours are those of a serial algorithm for any ranks, routes and partitions") {
  samples::for_each_spread(cases::Weight::none, [](const Sample& sample, const Graph& graph) {
    if (sample.directed) {
      CHECK_THROWS_AS(Coloring{graph}, InputError);
      return;
    }
    check_run(sample, graph);
  });
}

TEST_CASE("colours of larger graphs, by several threads, are those of a serial algorithm") {
  samples::for_each_larger({"kron:12:8", "uniform:12:9", "grid:31x47", "path:601", "complete:90", "star:4000"},
                           check_run);
}
