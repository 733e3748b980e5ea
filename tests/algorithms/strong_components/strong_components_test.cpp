// SPDX-License-Identifier: Apache-2.0
#include "reference/strong_components.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/algorithms/strong_components/strong_components.hpp>
#include <utility>
#include <vector>

#include "algorithms/spread_samples.hpp"

using namespace atl;
using samples::Sample;

namespace {

std::vector<Vertex> expected_labels(const Sample& sample) {
  std::vector<std::pair<std::size_t, std::size_t>> arcs;
  for (const auto& a : sample.arcs())
    arcs.emplace_back(static_cast<std::size_t>(a.from), static_cast<std::size_t>(a.to));
  const auto ids = sample.edges.ids();
  std::vector<Vertex> labels;
  for (const std::size_t least : reference::strong_components(ids.size(), arcs)) labels.push_back(ids[least]);
  return labels;
}

Vertex count_of(std::vector<Vertex> labels) {
  std::sort(labels.begin(), labels.end());
  return std::unique(labels.begin(), labels.end()) - labels.begin();
}

// Edges that lead back close cycles of a chain: components of all sizes, whose condensation is a long path. With other
// numbers than along the chain, so that ranks own parts of it that are scattered.
cases::Case chain_of_cycles(Vertex vertices, Vertex step) {
  cases::Case c{"chain of cycles", {}, IdRange{0, vertices}, {}};
  const auto name = [&](Vertex v) { return v * step % vertices; };
  for (Vertex v = 0; v + 1 < vertices; ++v) c.edges.emplace_back(name(v), name(v + 1));
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(vertices) / 20; ++i) {
    const auto from = static_cast<Vertex>(random_at(5, 2 * i) % static_cast<std::uint64_t>(vertices));
    const auto length = static_cast<Vertex>(random_at(5, 2 * i + 1) % 30);
    c.edges.emplace_back(name(from), name(std::max<Vertex>(0, from - length)));
  }
  return c;
}

// A core of random edges with trees that lead to it, trees that it leads to, and small cycles beside it.
cases::Case bow_tie(Vertex core) {
  cases::Case c{"bow tie", {}, IdRange{0, 5 * core}, {}};
  auto random = [&, i = std::uint64_t{0}](Vertex below) mutable {
    return static_cast<Vertex>(random_at(3, i++) % static_cast<std::uint64_t>(below));
  };
  for (Vertex e = 0; e < 6 * core; ++e) c.edges.emplace_back(random(core), random(core));
  for (Vertex v = core; v < 2 * core; ++v) c.edges.emplace_back(v, random(v));
  for (Vertex v = 2 * core; v < 3 * core; ++v)
    c.edges.emplace_back(v % 3 ? random(core) : 2 * core + random(v - 2 * core + 1), v);
  for (Vertex v = 3 * core; v < 5 * core; ++v) c.edges.emplace_back(v, v % 5 ? v - 1 : std::min(v + 4, 5 * core - 1));
  return c;
}

void check_on_ranks(const Sample& sample, const std::vector<std::pair<Rank, int>>& sizes) {
  const auto expected = expected_labels(sample);
  const Vertex components = count_of(expected);
  for (const auto& [ranks, threads] : sizes) {
    CAPTURE(sample.edges.name);
    CAPTURE(ranks);
    CAPTURE(threads);
    // Over ranks rank 0 searches what is left, or rounds of coloring do until that fits there.
    for (const std::size_t replicated_bytes : {std::size_t{2000}, std::size_t{1} << 30}) {
      if (ranks == 1 && replicated_bytes == 2000) continue;
      CAPTURE(replicated_bytes);
      Plan plan;
      plan.threads = threads;
      plan.replicated_bytes = replicated_bytes;
      run_ranks(ranks, plan, [&](World& world) {
        for (const Cut cut : {Cut::edge, Cut::cartesian, Cut::hybrid}) {
          if (cut != Cut::edge && world.size() == 1) continue;
          const Graph graph = Graph::build(world,
                                           cases::slice(sample.edges, sample.directed, cases::Weight::none, false,
                                                        world.rank(), world.size(), cases::Distribution::spread),
                                           {.placement = {.partition = Partition::balanced, .cut = cut, .heavy = 20}});
          StrongComponents search(graph);
          StrongComponentsResult result;
          for (int turn = 0; turn < 2; ++turn) {
            search.run(result);
            CHECK(samples::by_id(graph, result.component) == expected);
            CHECK(result.components == components);
          }
        }
      });
    }
  }
}

}  // namespace

TEST_CASE("strongly connected components equal those of two depth-first searches for any ranks, routes and cuts") {
  samples::for_each_spread(cases::Weight::none, [](const Sample& sample, const Graph& graph) {
    const auto expected = expected_labels(sample);
    const StrongComponentsResult result = strong_components(graph);
    CHECK(samples::by_id(graph, result.component) == expected);
    CHECK(result.components == count_of(expected));
  });
}

TEST_CASE("strongly connected components of long chains of cycles") {
  for (const Vertex step : {Vertex{1}, Vertex{1999}})
    check_on_ranks({chain_of_cycles(4001, step), true, Duplicates::merge_min}, {{1, 1}, {1, 2}, {1, 4}, {3, 1}});
}

TEST_CASE("strongly connected components of a giant one with what leads to it and away") {
  for (const Vertex core : {Vertex{3}, Vertex{700}})
    check_on_ranks({bow_tie(core), true, Duplicates::merge_min}, {{1, 1}, {1, 2}, {1, 4}, {2, 2}, {3, 1}, {8, 1}});
}

TEST_CASE("strongly connected components of directed Kronecker and uniform graphs") {
  for (const char* text : {"kron:12:8", "uniform:12:2", "uniform:12:1"})
    check_on_ranks({samples::from_text(text), true, Duplicates::merge_min}, {{1, 2}, {1, 4}, {3, 2}});
}
