// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/algorithms/neighbor_sampling/importance_sampler.hpp>
#include <atoll/base/error.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <map>
#include <tuple>

#include "algorithms/spread_samples.hpp"

using namespace atl;
using samples::Sample;

namespace {

auto all_of(const NeighborSample& s) {
  return std::tie(s.vertices, s.source, s.target, s.weights, s.vertices_by_layer, s.edges_by_layer);
}

// The neighbours of one vertex with their shares, by counting in its walks.
std::vector<std::pair<double, Vertex>> counted_in_walks(RandomWalks& walks, Vertex from,
                                                        const ImportanceOptions& options, std::int64_t fanout) {
  std::vector<WalkStart> starts;
  const auto walks_of_one = static_cast<std::uint64_t>(options.walks);
  for (std::uint64_t k = 0; k < walks_of_one; ++k)
    starts.push_back({from, static_cast<std::uint64_t>(from) * walks_of_one + k});
  std::map<Vertex, double> visits;
  double total = 0;
  for (const Vertex id : walks.run(starts, {.length = options.length, .seed = options.seed}))
    if (id != kNoVertex && id != from) {
      ++visits[id];
      ++total;
    }
  std::vector<std::pair<double, Vertex>> shares;
  for (const auto& [id, count] : visits) shares.emplace_back(-count / total, id);
  std::ranges::sort(shares);
  if (fanout >= 0 && shares.size() > static_cast<std::size_t>(fanout)) shares.resize(static_cast<std::size_t>(fanout));
  return shares;
}

}  // namespace

TEST_CASE("the important neighbors are those that walks visit most, the same for any ranks and partitions") {
  std::map<std::tuple<std::string, bool, bool>, NeighborSample> first;
  samples::for_each_spread(cases::Weight::wide, [&](const Sample& of, const Graph& graph) {
    World& world = graph.world();
    const std::vector<Vertex> ids = of.edges.ids();
    std::vector<Vertex> seeds;
    for (std::size_t k = 0; k < ids.size(); k += 1 + k / 2) seeds.push_back(ids[k]);
    if (!ids.empty()) seeds.push_back(ids[0]);
    for (const bool all : {false, true}) {
      const ImportanceOptions options{.fanout = {all ? -1 : 3, 2}, .walks = 9, .length = 4, .seed = 6};
      ImportanceSampler sampler(graph, EdgeWeighting::ones);
      const NeighborSample sample = sampler.sample(seeds, options);
      if (world.rank() == 0) {
        const auto [at, fresh] = first.try_emplace({of.edges.name, of.directed, all}, sample);
        CHECK(all_of(at->second) == all_of(sample));
      }
      if (world.size() > 1) continue;
      // Each vertex's edges are what its own walks say.
      RandomWalks walks(graph, EdgeWeighting::ones);
      std::size_t e = 0, end = seeds.size();
      std::int64_t at = 0;
      for (std::size_t layer = 0; layer < options.fanout.size(); ++layer) {
        for (; at < static_cast<std::int64_t>(end); ++at) {
          const auto wanted =
              counted_in_walks(walks, sample.vertices[static_cast<std::size_t>(at)], options, options.fanout[layer]);
          for (const auto& [share, id] : wanted) {
            REQUIRE(e < sample.source.size());
            CHECK(sample.target[e] == at);
            CHECK(sample.vertices[static_cast<std::size_t>(sample.source[e])] == id);
            CHECK(sample.weights[e] == doctest::Approx(-share));
            ++e;
          }
        }
        end += static_cast<std::size_t>(sample.vertices_by_layer[layer + 1]);
      }
      CHECK(e == sample.source.size());
      CHECK(end == sample.vertices.size());
    }
  });
}

TEST_CASE("important neighbors of no walk, no step or a fanout below -1 are refused") {
  run_ranks(2, {}, [](World& world) {
    const Graph graph = Graph::build(world, generate(world, "ring:5"), {});
    ImportanceSampler sampler(graph, EdgeWeighting::ones);
    const std::vector<Vertex> seeds{0};
    CHECK_THROWS_AS(sampler.sample(seeds, {.fanout = {2}, .walks = 0}), InputError);
    CHECK_THROWS_AS(sampler.sample(seeds, {.fanout = {2}, .length = 0}), InputError);
    CHECK_THROWS_AS(sampler.sample(seeds, {.fanout = {-2}}), InputError);
    CHECK_THROWS_AS(sampler.sample(std::vector<Vertex>{7}, {.fanout = {2}}), InputError);
    CHECK_THROWS_AS(ImportanceSampler(graph, EdgeWeighting::of_edges), InputError);
  });
}
