// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/sssp/delta_stepping.hpp>
#include <cmath>
#include <limits>
#include <queue>

#include "algorithms/spread_samples.hpp"

using namespace atl;
using samples::Spread;

namespace {

const std::vector<Spread> kWays = {
    {1, "", "direct", 2, Partition::blocked},   {2, "", "direct", 1, Partition::hashed},
    {2, "", "direct", 2, Partition::blocked},   {3, "", "direct", 2, Partition::hashed},
    {5, "3+2", "domain", 1, Partition::hashed}, {5, "", "direct", 1, Partition::blocked},
    {8, "2x2x2", "mst", 1, Partition::hashed},  {8, "2x4", "domain", 2, Partition::hierarchy}};

// A generated graph with given weights, and its distances by Dijkstra's algorithm; ids are 0 .. n-1.
template <class Real>
struct Weighted {
  cases::Case edges;
  bool directed;
  std::vector<Real> weights;
  std::vector<std::vector<std::pair<std::size_t, Real>>> out;

  template <class F>
  Weighted(const char* text, bool directed, F&& weight)
      : edges(samples::from_text(text)), directed(directed), out(edges.ids().size()) {
    for (std::size_t i = 0; i < edges.edges.size(); ++i) {
      weights.push_back(static_cast<Real>(weight(i)));
      const auto u = static_cast<std::size_t>(edges.edges[i].first),
                 v = static_cast<std::size_t>(edges.edges[i].second);
      out[u].emplace_back(v, weights[i]);
      if (!directed) out[v].emplace_back(u, weights[i]);
    }
  }

  std::vector<Real> distances(std::size_t source) const {
    std::vector<Real> distance(out.size(), std::numeric_limits<Real>::infinity());
    std::priority_queue<std::pair<Real, std::size_t>, std::vector<std::pair<Real, std::size_t>>, std::greater<>> queue;
    queue.emplace(distance[source] = 0, source);
    while (!queue.empty()) {
      const auto [d, v] = queue.top();
      queue.pop();
      if (d > distance[v]) continue;
      for (const auto& [u, w] : out[v])
        if (d + w < distance[u]) queue.emplace(distance[u] = d + w, u);
    }
    return distance;
  }

  Graph build(World& world, Partition partition) const {
    EdgeList list = cases::slice(edges, directed, cases::Weight::none, false, world.rank(), world.size(),
                                 cases::Distribution::spread);
    std::vector<Real> mine;
    for (std::size_t i = 0; i < weights.size(); ++i)
      if (cases::is_on_rank(i, world.rank(), world.size(), cases::Distribution::spread)) mine.push_back(weights[i]);
    Array<Real> column(mine.size());
    std::copy(mine.begin(), mine.end(), column.begin());
    list.weight = std::move(column);
    return Graph::build(world, std::move(list), {.placement = {.partition = partition}});
  }

  // The number of vertices with a wrong distance or parent, or whose parents do not lead to the source.
  std::size_t wrong(std::size_t source, const std::vector<Real>& distance, const std::vector<Vertex>& parent) const {
    const auto expected = distances(source);
    std::size_t count = 0;
    for (std::size_t v = 0; v < expected.size(); ++v) {
      count += distance[v] != expected[v];
      if (expected[v] == std::numeric_limits<Real>::infinity()) {
        count += parent[v] != kNoVertex;
        continue;
      }
      std::size_t at = v, steps = 0;
      while (at != source && parent[at] != kNoVertex && steps++ <= expected.size())
        at = static_cast<std::size_t>(parent[at]);
      count += at != source;
      if (v == source || parent[v] == kNoVertex) continue;
      const auto above = static_cast<std::size_t>(parent[v]);
      count += std::none_of(out[above].begin(), out[above].end(), [&](const auto& edge) {
        return edge.first == v && expected[above] + edge.second == expected[v];
      });
    }
    return count;
  }
};

double unit(std::size_t i) { return static_cast<double>(random_at(3, i) >> 40) * 0x1p-24; }

// Each sample in a few of the ways; together they cover all.
template <class Real, class Sum = Real, class F>
void check_ways(const char* text, bool directed, std::uint64_t sample_number, F&& weight,
                const SsspOptions& options = {}) {
  const Weighted<Real> sample(text, directed, weight);
  const std::size_t n = sample.out.size();
  for (std::size_t i = 0; i < kWays.size(); ++i) {
    const Spread& way = kWays[i];
    if (random_at(sample_number, i) % (shapes::kSanitized ? 24 : 4) != 0) continue;
    Plan plan;
    plan.threads = way.threads;
    plan.domains = way.domains;
    plan.route = way.route;
    CAPTURE(text);
    CAPTURE(directed);
    CAPTURE(way.ranks);
    CAPTURE(way.route);
    run_ranks(way.ranks, plan, [&](World& world) {
      const Graph graph = sample.build(world, way.partition);
      DeltaStepping<Real, Sum> sssp(graph, options);
      SsspResult<Real> result;
      for (const std::size_t source : {std::size_t{1}, n / 3, n - 1}) {
        sssp.run(static_cast<Vertex>(source), result);
        const auto distance = samples::by_id(graph, result.distance);
        const auto parent = samples::by_id(graph, result.parent);
        if (world.rank() == 0) CHECK(sample.wrong(source, distance, parent) == 0);
      }
    });
  }
}

}  // namespace

TEST_CASE("shortest paths over ranks are correct for weights of very different sizes, lost in rounding, and all 0") {
  std::uint64_t number = 0;
  const std::vector<const char*> texts =
      shapes::kSanitized ? std::vector<const char*>{"kron:6", "uniform:6:4", "star:300"}
                         : std::vector<const char*>{"kron:9",     "kron:12:2", "kron:11:1", "uniform:9:8",
                                                    "grid:20x30", "star:1500", "path:200"};
  for (const char* text : texts)
    for (const bool directed : {false, true}) {
      const auto check = [&](auto real, auto&& weight) {
        check_ways<decltype(real)>(text, directed, ++number, weight);
      };
      check(0.0f, unit);
      check(0.0, unit);
      check(0.0f, [](std::size_t i) { return i % 3 == 0 ? 1.0 : 1e-12 * unit(i); });
      check(0.0f, [](std::size_t i) { return std::pow(10.0, 30 * unit(i) - 25); });
      check(0.0f, [](std::size_t) { return 0.0; });
      check(0.0, [](std::size_t i) { return i % 2 == 0 ? 0.0 : 255 * unit(i); });
      check(0.0f, [](std::size_t i) { return static_cast<double>(i % 4); });
    }
}

TEST_CASE("shortest paths over ranks are the same in sums of 32 bits, up to the longest that fit") {
  std::uint64_t number = 200;
  for (const char* text : {"kron:9", "kron:12:2", "uniform:9:8", "grid:20x30", "star:1500", "path:200"})
    for (const bool directed : {false, true}) {
      const auto check = [&](auto&& weight) {
        check_ways<double, std::uint32_t>(text, directed, ++number, weight);
        check_ways<double>(text, directed, number, weight);  // in the same ways
      };
      check([](std::size_t i) { return static_cast<double>(1 + random_at(4, i) % 255); });
      check([](std::size_t i) { return static_cast<double>(random_at(4, i) % 3); });
      check([](std::size_t) { return 0.0; });
      check([](std::size_t i) { return static_cast<double>(1048575 - i % 2); });  // of 2048 vertices
    }
}

TEST_CASE("shortest paths over ranks are exact in sums of 64 bits") {
  std::uint64_t number = 300;
  for (const char* text : {"kron:9", "kron:12:2", "grid:20x30", "path:200"})
    for (const bool directed : {false, true}) {
      const auto check = [&](auto&& weight) { check_ways<double, std::uint64_t>(text, directed, ++number, weight); };
      check([](std::size_t i) { return static_cast<double>(random_at(4, i) % 3); });
      check([](std::size_t i) {
        return 0x1p44 + 1024 * static_cast<double>(random_at(4, i) % 1024);
      });  // all sums are exact
    }
}

TEST_CASE("shortest paths over ranks do not depend on the width of a bucket") {
  std::uint64_t number = 100;
  for (const char* text : {"kron:12:2", "grid:30x30"})
    for (const double delta : {1e-7, 0.01, 1.0, 1e9}) check_ways<float>(text, false, ++number, unit, {.delta = delta});
}

TEST_CASE("shortest paths over ranks use the same hubs as on one rank") {
  for (const auto& [text, pulls] :
       {std::pair{"kron:11", false}, {"kron:12:2", true}, {"kron:13:4", true}, {"grid:30x30", false}})
    for (const int ranks : {2, 3, 5}) {
      CAPTURE(text);
      Plan plan;
      plan.threads = 1;
      run_ranks(ranks, plan, [&](World& world) {
        const auto one = World::alone(plan);
        const auto build = [&](World& w) { return Graph::build(w, generate(w, text, {.weights = Weights::uniform})); };
        const Graph spread = build(world), whole = build(*one);
        CHECK(DeltaStepping<float>(whole).pulls() == pulls);
        CHECK(DeltaStepping<float>(spread).pulls() == pulls);
      });
    }
}

TEST_CASE("shortest paths over ranks send far fewer values than there are cut edges") {
  Plan plan;
  plan.threads = 1;
  plan.route = "direct";
  run_ranks(4, plan, [&](World& world) {
    const Graph graph = Graph::build(world, generate(world, "kron:13", {.weights = Weights::uniform}));
    double cut = 0;
    for (const Local u : graph.out().targets) cut += u >= graph.mirrors().begin[0];
    cut = world.sum(cut);
    DeltaStepping<float> sssp(graph);
    SsspResult<float> result;
    const auto before = world.counters();
    sssp.run(1, result);
    std::uint64_t bytes = 0;
    for (const LevelCount& level : world.counters().since(before).levels) bytes += level.bytes;
    CHECK(static_cast<double>(world.sum(bytes)) < 8 * cut / 2);
    CHECK(sssp.rounds() < 30);
  });
}
