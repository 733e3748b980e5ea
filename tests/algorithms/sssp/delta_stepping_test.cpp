// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/sssp/delta_stepping.hpp>
#include <cmath>
#include <limits>
#include <set>

#include "algorithms/local_samples.hpp"

using namespace atl;
using samples::Arc;
using samples::Sample;

namespace {

// Dijkstra's algorithm in Real, with a set as the queue.
template <class Real>
std::vector<Real> dijkstra(const std::vector<Arc>& arcs, std::size_t n, std::size_t source) {
  std::vector<std::vector<std::pair<std::size_t, Real>>> out(n);
  for (const Arc& a : arcs)
    out[static_cast<std::size_t>(a.from)].emplace_back(static_cast<std::size_t>(a.to), static_cast<Real>(a.weight));
  std::vector<Real> distance(n, std::numeric_limits<Real>::infinity());
  distance[source] = 0;
  std::set<std::pair<Real, std::size_t>> queue{{Real(0), source}};
  while (!queue.empty()) {
    const auto u = queue.begin()->second;
    queue.erase(queue.begin());
    for (const auto& [v, w] : out[u]) {
      if (!(distance[u] + w < distance[v])) continue;
      queue.erase({distance[v], v});
      distance[v] = distance[u] + w;
      queue.emplace(distance[v], v);
    }
  }
  return distance;
}

template <class Real>
void check_tree(const std::vector<Arc>& arcs, const std::vector<Vertex>& ids, std::size_t source,
                const SsspResult<Real>& result) {
  const auto expected = dijkstra<Real>(arcs, ids.size(), source);
  REQUIRE(result.distance.size() == ids.size());
  REQUIRE(result.parent.size() == ids.size());
  std::set<std::tuple<std::size_t, std::size_t, Real>> edges;
  for (const Arc& a : arcs)
    edges.emplace(static_cast<std::size_t>(a.from), static_cast<std::size_t>(a.to), static_cast<Real>(a.weight));
  std::size_t wrong = 0, reached = 0;
  std::vector<std::size_t> parent(ids.size(), ids.size());
  for (std::size_t v = 0; v < ids.size(); ++v) {
    wrong += result.distance[v] != expected[v];
    const bool far = expected[v] == std::numeric_limits<Real>::infinity();
    reached += !far;
    wrong += far != (result.parent[v] == kNoVertex);
    if (far) continue;
    const auto at = std::lower_bound(ids.begin(), ids.end(), result.parent[v]);
    REQUIRE((at != ids.end() && *at == result.parent[v]));
    parent[v] = static_cast<std::size_t>(at - ids.begin());
    if (v == source) {
      wrong += parent[v] != source;
      continue;
    }
    // Some edge from the parent must give exactly this distance.
    bool tight = false;
    for (auto e = edges.lower_bound({parent[v], v, Real(0)}); e != edges.end(); ++e) {
      if (std::get<0>(*e) != parent[v] || std::get<1>(*e) != v) break;
      tight |= expected[parent[v]] + std::get<2>(*e) == expected[v];
    }
    wrong += !tight;
  }
  CHECK(wrong == 0);
  CHECK(result.reached == static_cast<Vertex>(reached));
  // Every chain of parents must end at the source.
  std::size_t lost = 0;
  for (std::size_t v = 0; v < ids.size(); ++v) {
    if (parent[v] == ids.size()) continue;
    std::size_t u = v, steps = 0;
    while (u != source && steps++ <= ids.size()) u = parent[u];
    lost += u != source;
  }
  CHECK(lost == 0);
}

template <class Real>
void check_sample(const Sample& sample, const Graph& graph, const SsspOptions& options = {}) {
  const auto ids = sample.edges.ids();
  const auto arcs = sample.arcs();
  DeltaStepping<Real> sssp(graph, options);
  SsspResult<Real> result;
  for (std::size_t s = 0; s < ids.size(); s += 1 + ids.size() / 3) {
    CAPTURE(s);
    sssp.run(ids[s], result);
    check_tree(arcs, ids, s, result);
  }
}

// A sample's graph with given weights, which depend only on the edge.
template <class Real, class Sum = Real, class Weight>
void check_weights(const Sample& sample, int threads, Weight&& weight, const SsspOptions& options = {}) {
  Plan plan;
  plan.threads = threads;
  const auto world = World::alone(plan);
  EdgeList list =
      cases::slice(sample.edges, sample.directed, cases::Weight::none, false, 0, 1, cases::Distribution::spread);
  Array<Real> weights(list.size());
  std::vector<Arc> arcs;
  const auto ids = sample.edges.ids();
  auto index_of = [&](Vertex id) { return std::lower_bound(ids.begin(), ids.end(), id) - ids.begin(); };
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] = static_cast<Real>(weight(i));
    const auto& [u, v] = sample.edges.edges[i];
    arcs.push_back({index_of(u), index_of(v), static_cast<double>(weights[i])});
    if (!sample.directed) arcs.push_back({index_of(v), index_of(u), static_cast<double>(weights[i])});
  }
  list.weight = std::move(weights);
  const Graph graph = Graph::build(*world, std::move(list), {.duplicates = sample.duplicates});
  DeltaStepping<Real, Sum> sssp(graph, options);
  SsspResult<Real> result;
  for (std::size_t s = 0; s < ids.size(); s += 1 + ids.size() / 4) {
    CAPTURE(s);
    sssp.run(ids[s], result);
    check_tree(arcs, ids, s, result);
  }
}

double unit_weight(std::size_t i) { return static_cast<double>(random_at(3, i) >> 40) * 0x1p-24; }

}  // namespace

TEST_CASE("sssp on one rank has Dijkstra's distances, bit for bit, and a tree of tight edges") {
  samples::for_each(cases::Weight::narrow, {machine_isa()},
                    [](const Sample& sample, const Graph& graph) { check_sample<float>(sample, graph); });
  samples::for_each(cases::Weight::wide, {machine_isa()},
                    [](const Sample& sample, const Graph& graph) { check_sample<double>(sample, graph); });
}

TEST_CASE("sssp is correct for weights of very different sizes, lost in rounding, and all 0") {
  std::uint64_t variant = 0;
  for (const char* text : {"kron:9", "kron:13:4", "uniform:10:8", "grid:40x30", "star:2000", "path:300"})
    for (const bool directed : {false, true})
      for (const int threads : {1, 2, 3}) {
        if (shapes::kSanitized && random_at(8, ++variant) % 6 != 0) continue;
        CAPTURE(text);
        CAPTURE(directed);
        CAPTURE(threads);
        const Sample sample{samples::from_text(text), directed, Duplicates::keep};
        check_weights<float>(sample, threads, unit_weight);
        check_weights<double>(sample, threads, unit_weight);
        check_weights<float>(sample, threads, [](std::size_t i) { return i % 3 == 0 ? 1.0 : 1e-12 * unit_weight(i); });
        check_weights<float>(sample, threads, [](std::size_t i) { return std::pow(10.0, 30 * unit_weight(i) - 25); });
        check_weights<float>(sample, threads, [](std::size_t) { return 0.0; });
        check_weights<double>(sample, threads, [](std::size_t i) { return i % 2 == 0 ? 0.0 : 255 * unit_weight(i); });
      }
}

TEST_CASE("sssp chooses its method by the degrees, and any bucket width gives the same result") {
  const Sample kron{samples::from_text("kron:13:4"), false, Duplicates::merge_min};
  const Sample grid{samples::from_text("grid:30x30"), false, Duplicates::merge_min};
  Plan plan;
  plan.threads = 2;
  const auto world = World::alone(plan);
  auto build = [&](const Sample& s) {
    return Graph::build(*world,
                        cases::slice(s.edges, false, cases::Weight::narrow, false, 0, 1, cases::Distribution::spread));
  };
  const Graph skewed = build(kron), flat = build(grid);
  CHECK(DeltaStepping<float>(skewed).pulls());
  CHECK(!DeltaStepping<float>(flat).pulls());
  for (const double delta : {1e-7, 0.01, 1.0, 1e9}) {
    check_sample<float>(kron, skewed, {.delta = delta});
    check_sample<float>(grid, flat, {.delta = delta});
    CHECK(DeltaStepping<float>(flat, {.delta = delta}).delta() == delta);
  }
}

TEST_CASE("sssp rejects unsupported input before any work") {
  const cases::Case c = samples::from_text("path:5");
  Plan plan;
  plan.threads = 1;
  const auto world = World::alone(plan);
  auto list = [&](cases::Weight weight) {
    return cases::slice(c, false, weight, false, 0, 1, cases::Distribution::spread);
  };
  const Graph bare = Graph::build(*world, list(cases::Weight::none));
  const Graph narrow = Graph::build(*world, list(cases::Weight::narrow));
  CHECK_THROWS_AS(Sssp<float>{bare}, InputError);
  const Graph wide = Graph::build(*world, list(cases::Weight::wide));
  CHECK_THROWS_AS(Sssp<float>{wide}, InputError);
  for (const double delta : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
    CHECK_THROWS_AS(Sssp<float>(narrow, {.delta = delta}), InputError);
  for (const float bad : {-1.0f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    EdgeList edges = list(cases::Weight::narrow);
    std::get<Array<float>>(edges.weight)[2] = bad;
    const Graph graph = Graph::build(*world, std::move(edges));
    CHECK_THROWS_WITH_AS(Sssp<float>{graph}, doctest::Contains("the edge between 2 and 3 weighs"), InputError);
  }
  Sssp<float> sssp(narrow);
  SsspResult<float> result;
  CHECK_THROWS_AS(sssp.run(5, result), InputError);
  sssp.run(4, result);
  CHECK(result.reached == 5);
}

TEST_CASE("sssp sums whole weights in 32 bits, including 0 and the longest paths, and agrees with double") {
  for (const char* text : {"kron:8", "uniform:8:3", "grid:11x9", "star:200", "path:60"})
    for (const bool directed : {false, true})
      for (const int threads : {1, 3}) {
        CAPTURE(text);
        CAPTURE(directed);
        const Sample sample{samples::from_text(text), directed, Duplicates::merge_min};
        check_weights<double, std::uint32_t>(sample, threads, [](std::size_t i) { return random_at(5, i) % 4; });
        check_weights<double, std::uint32_t>(sample, threads,
                                             [](std::size_t i) { return random_at(5, i) % 4'000'000; });
        check_weights<double, std::uint32_t>(sample, threads, [](std::size_t i) { return random_at(5, i) % 255 + 1; },
                                             {.delta = 1e9});
      }
}
