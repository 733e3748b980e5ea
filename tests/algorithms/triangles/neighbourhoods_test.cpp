// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/kcore/coreness.hpp>
#include <atoll/algorithms/label_propagation/label_propagation.hpp>
#include <atoll/algorithms/triangles/clustering_coefficient.hpp>
#include <atoll/algorithms/triangles/kernel.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/random.hpp>
#include <map>
#include <queue>

#include "algorithms/spread_samples.hpp"

using namespace atl;
using samples::Sample;

namespace {

// The rounds of the specification, with a counter for each label.
std::vector<Vertex> labels(const Sample& sample, int iterations) {
  std::vector<Vertex> label = sample.edges.ids();
  const auto arcs = sample.arcs();
  for (int i = 0; i < iterations; ++i) {
    std::vector<std::map<Vertex, int>> count(label.size());
    for (const auto& a : arcs) {
      ++count[static_cast<std::size_t>(a.to)][label[static_cast<std::size_t>(a.from)]];
      if (sample.directed) ++count[static_cast<std::size_t>(a.from)][label[static_cast<std::size_t>(a.to)]];
    }
    std::vector<Vertex> next = label;
    for (std::size_t v = 0; v < label.size(); ++v) {
      int most = 0;
      for (const auto& [l, n] : count[v])
        if (n > most) {
          most = n;
          next[v] = l;
        }
    }
    label = std::move(next);
  }
  return label;
}

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

TEST_CASE("labels equal those of synchronous propagation for any ranks, routes and partitions") {
  samples::for_each_spread(cases::Weight::none, [](const Sample& sample, const Graph& graph) {
    LabelPropagation communities(graph);
    LabelPropagationResult result;
    for (const int iterations : {0, 1, 5}) {
      communities.run({.iterations = iterations}, result);
      CHECK(samples::by_id(graph, result.label) == labels(sample, iterations));
    }
    CHECK_THROWS_AS(communities.run({.iterations = -1}, result), InputError);
  });
}

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
            const Graph graph = Graph::build(world, generate(world, text), {.duplicates = duplicates});
            Coreness peeling(graph);
            CorenessResult result;
            for (int turn = 0; turn < 2; ++turn) {
              peeling.run(result);
              CHECK(samples::by_id(graph, result.core) == expected);
            }
          });
        }
      }
  }
}

TEST_CASE("triangles of hubs by bitmap rows equal those by lists, for any ranks") {
  // In a complete graph an 8-bit counter overflows.
  for (const char* text : {"kron:12:24", "complete:400", "uniform:10:200"}) {
    std::vector<Vertex> by_rows;
    for (const int ranks : {1, 2, 4}) {
      CAPTURE(text);
      CAPTURE(ranks);
      Plan plan;
      plan.threads = ranks == 1 ? 3 : 1;
      run_ranks(ranks, plan, [&](World& world) {
        const Graph graph = Graph::build(world, generate(world, text));
        CHECK(LocalTriangles::of(graph).has_value() == (ranks == 1));
        const auto triangles = samples::by_id(graph, clustering_coefficient(graph).triangles);
        if (ranks == 1) by_rows = triangles;
        CHECK(triangles == by_rows);
      });
    }
  }
}

TEST_CASE("triangle kernels of every instruction set agree") {
  std::uint64_t seed = 0;
  const auto plain = LocalTriangles::kernels(Isa::portable);
  for (const Isa isa : samples::every_isa()) {
    const auto kernels = LocalTriangles::kernels(isa);
    for (const std::size_t count : {0, 1, 2, 15, 16, 17, 40}) {
      std::vector<std::uint64_t> row(200), bits(count);
      std::vector<std::uint32_t> words(count), marks(300);
      std::vector<std::uint8_t> tally(count * 64, 3), expected_tally = tally;
      for (auto& r : row) {
        ++seed;
        r = random_at(1, seed) | random_at(2, seed);
      }
      for (auto& m : marks) m = static_cast<std::uint32_t>(random_at(3, ++seed));
      std::vector<Local> list(count), found(count + 16), expected(count + 16);
      for (std::size_t k = 0; k < count; ++k) {
        bits[k] = random_at(4, ++seed);
        words[k] = static_cast<std::uint32_t>(k * 5);
        list[k] = static_cast<Local>(k * 200 + random_at(5, seed) % 200);
      }
      CHECK(kernels.match_row(row.data(), words.data(), bits.data(), count, tally.data()) ==
            plain.match_row(row.data(), words.data(), bits.data(), count, expected_tally.data()));
      CHECK(tally == expected_tally);
      const std::size_t n = kernels.match_list(marks.data(), list.data(), count, found.data());
      REQUIRE(n == plain.match_list(marks.data(), list.data(), count, expected.data()));
      found.resize(n);
      expected.resize(n);
      CHECK(found == expected);
    }
  }
}

TEST_CASE("clustering coefficients and triangles equal those by all pairs of neighbours, for any ranks") {
  samples::for_each_spread(cases::Weight::none, [](const Sample& sample, const Graph& graph) {
    const std::size_t n = sample.vertices();
    std::vector<std::map<Vertex, int>> out(n), near(n);
    for (const auto& a : sample.arcs()) {
      if (a.from == a.to) continue;
      out[static_cast<std::size_t>(a.from)][a.to] = 1;
      near[static_cast<std::size_t>(a.from)][a.to] = near[static_cast<std::size_t>(a.to)][a.from] = 1;
    }
    const ClusteringResult result = clustering_coefficient(graph);
    const auto coefficient = samples::by_id(graph, result.coefficient);
    const auto triangles = samples::by_id(graph, result.triangles);
    Vertex total = 0;
    for (std::size_t v = 0; v < n; ++v) {
      double edges = 0;
      Vertex corners = 0;
      for (const auto& [a, _] : near[v])
        for (const auto& [b, _] : near[v]) {
          edges += static_cast<double>(out[static_cast<std::size_t>(a)].count(b));
          corners += a < b && near[static_cast<std::size_t>(a)].count(b);
        }
      const auto d = static_cast<double>(near[v].size());
      CHECK(coefficient[v] == doctest::Approx(d < 2 ? 0 : edges / (d * (d - 1))));
      CHECK(triangles[v] == corners);
      total += corners;
    }
    CHECK(result.total == total / 3);
  });
}
