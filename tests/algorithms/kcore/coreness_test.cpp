// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/algorithms/kcore/coreness.hpp>
#include <atoll/base/error.hpp>
#include <functional>
#include <map>
#include <queue>
#include <utility>
#include <vector>

#include "algorithms/spread_samples.hpp"

using namespace atl;
using samples::Sample;

namespace {

// By repeatedly removing vertices of least degree.
std::vector<Vertex> cores(const Sample& sample) {
  const std::size_t n = sample.vertices();
  std::vector<std::map<Vertex, int>> lists(n);
  for (const auto& a : sample.arcs())
    if (a.from != a.to) lists[static_cast<std::size_t>(a.from)][a.to] = 1;
  std::vector<Vertex> core(n, -1);
  Vertex k = 0;
  for (std::size_t done = 0; done < n; ++done) {
    std::size_t least = n;
    for (std::size_t v = 0; v < n; ++v)
      if (core[v] < 0 && (least == n || lists[v].size() < lists[least].size())) least = v;
    k = std::max(k, static_cast<Vertex>(lists[least].size()));
    core[least] = k;
    for (const auto& [u, _] : lists[least]) lists[static_cast<std::size_t>(u)].erase(static_cast<Vertex>(least));
  }
  return core;
}

// The same with a heap of (neighbours left, vertex), skipping stale entries.
std::vector<Vertex> cores_by_heap(const Sample& sample) {
  std::vector<std::vector<std::size_t>> lists(sample.vertices());
  for (const auto& a : sample.arcs())
    if (a.from != a.to) lists[static_cast<std::size_t>(a.from)].push_back(static_cast<std::size_t>(a.to));
  using Entry = std::pair<Vertex, std::size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap;
  std::vector<Vertex> left, core(lists.size(), -1);
  for (std::size_t v = 0; v < lists.size(); ++v) heap.emplace(left.emplace_back(lists[v].size()), v);
  for (Vertex k = 0; !heap.empty();) {
    const auto [l, v] = heap.top();
    heap.pop();
    if (core[v] >= 0 || l != left[v]) continue;
    core[v] = k = std::max(k, l);
    for (const std::size_t u : lists[v])
      if (core[u] < 0) heap.emplace(--left[u], u);
  }
  return core;
}

}  // namespace

TEST_CASE("core numbers equal those of repeated removal for any ranks, routes and partitions") {
  samples::for_each_spread(cases::Weight::none, [](const Sample& sample, const Graph& graph) {
    if (sample.directed) {
      CHECK_THROWS_AS(coreness(graph), InputError);
      return;
    }
    const CorenessResult result = coreness(graph);
    const auto expected = cores(sample);
    CHECK(samples::by_id(graph, result.core) == expected);
    CHECK(result.degeneracy == (expected.empty() ? 0 : *std::max_element(expected.begin(), expected.end())));
  });
}

TEST_CASE("core numbers of larger graphs, peeled by all threads, equal those of a heap") {
  for (const char* text : {"kron:13:12", "uniform:13:9", "grid:131x77", "path:9001", "complete:90"}) {
    const Sample sample{samples::from_text(text), false, Duplicates::merge_min};
    const auto expected = cores_by_heap(sample);
    for (const int ranks : {1, 2, 3, 5})
      for (const int threads : {1, 3}) {
        for (const Duplicates duplicates : {Duplicates::merge_min, Duplicates::keep}) {
          CAPTURE(text);
          CAPTURE(ranks);
          CAPTURE(threads);
          Plan plan;
          plan.threads = threads;
          run_ranks(ranks, plan, [&](World& world) {
            for (const Cut cut : {Cut::edge, Cut::cartesian, Cut::hybrid}) {
              if (cut != Cut::edge && (world.size() != 3 || threads > 1)) continue;  // other sizes: above
              const Graph graph = Graph::build(
                  world, generate(world, text),
                  {.duplicates = duplicates, .placement = {.partition = Partition::balanced, .cut = cut, .heavy = 20}});
              Coreness peeling(graph);
              CorenessResult result;
              for (int turn = 0; turn < 2; ++turn) {
                peeling.run(result);
                CHECK(samples::by_id(graph, result.core) == expected);
              }
            }
          });
        }
      }
  }
}
