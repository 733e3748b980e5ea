// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/random_walks/random_walks.hpp>
#include <atoll/base/error.hpp>
#include <atoll/verify/draws/walks.hpp>
#include <map>
#include <tuple>

#include "algorithms/chi_square.hpp"
#include "algorithms/spread_samples.hpp"

using namespace atl;
using samples::ChiSquare;
using samples::Sample;

namespace {

using Row = std::vector<Vertex>;

std::span<const Vertex> span(const Array<Vertex>& array) { return {array.data(), array.size()}; }

// All ranks' rows, those of the least start first. Collective.
std::vector<Row> gathered(World& world, const Array<Vertex>& rows, Edge length) {
  const std::vector<Vertex> all = world.all_gather_varying(span(rows));
  const auto width = static_cast<std::ptrdiff_t>(length + 1);
  std::vector<Row> list;
  for (auto at = all.begin(); at != all.end(); at += width) list.emplace_back(at, at + width);
  std::stable_sort(list.begin(), list.end(), [](const Row& a, const Row& b) { return a[0] < b[0]; });
  return list;
}

// Walks of first order on one rank, drawn without any table.
std::vector<Row> naive_walks(const Sample& sample, Edge length, Vertex walks, std::uint64_t seed) {
  const std::vector<Vertex> ids = sample.edges.ids();
  std::vector<std::vector<Vertex>> next(ids.size());
  for (const auto& arc : sample.arcs()) next[static_cast<std::size_t>(arc.from)].push_back(arc.to);
  for (auto& list : next) std::sort(list.begin(), list.end());
  std::vector<Row> rows;
  for (std::size_t v = 0; v < ids.size(); ++v)
    for (Vertex k = 0; k < walks; ++k) {
      Random random(random_at(seed, rows.size()));
      Row row{ids[v]};
      for (std::size_t at = v; static_cast<Edge>(row.size()) <= length;) {
        if (next[at].empty()) {
          row.push_back(kNoVertex);
          continue;
        }
        at = static_cast<std::size_t>(next[at][random.below(next[at].size())]);
        row.push_back(ids[at]);
      }
      rows.push_back(row);
    }
  return rows;
}

struct Kind {
  double p, q;
  EdgeWeighting weighting;
  auto operator<=>(const Kind&) const = default;
};
const std::vector<Kind> kKinds{{1, 1, EdgeWeighting::ones},         {1, 1, EdgeWeighting::of_edges},
                               {0.25, 4, EdgeWeighting::ones},      {4, 0.5, EdgeWeighting::ones},
                               {0.1, 0.3, EdgeWeighting::of_edges}, {2, 3, EdgeWeighting::of_edges}};

struct SmallEdge {
  Vertex from, to;
  double weight;
};
// Two triangles with a common edge, a parallel edge, a loop, a tail and an edge of weight 0.
const std::vector<SmallEdge> kSmall{{0, 1, 1},   {1, 2, 2}, {2, 0, 0.5}, {1, 3, 3}, {3, 2, 1}, {3, 4, 0.7},
                                    {0, 1, 1.5}, {2, 2, 1}, {4, 0, 2},   {4, 3, 1}, {0, 4, 0}, {1, 0, 0.3}};

Graph small_graph(World& world, bool directed) {
  const std::size_t m = world.rank() == 0 ? kSmall.size() : 0;
  Array<Vertex> source(m), target(m);
  Array<double> weight(m);
  for (std::size_t k = 0; k < m; ++k) {
    source[k] = kSmall[k].from;
    target[k] = kSmall[k].to;
    weight[k] = kSmall[k].weight;
  }
  EdgeList list;
  list.source = std::move(source);
  list.target = std::move(target);
  list.weight = std::move(weight);
  list.directed = directed;
  list.name = "small";
  return Graph::build(world, std::move(list), {.duplicates = Duplicates::keep});
}

// [from][to] the sum of what edges count.
std::vector<std::vector<double>> small_matrix(bool directed, EdgeWeighting weighting) {
  std::vector<std::vector<double>> matrix(5, std::vector<double>(5, 0.0));
  for (const SmallEdge& e : kSmall) {
    const double w = weighting == EdgeWeighting::ones ? 1 : e.weight;
    matrix[static_cast<std::size_t>(e.from)][static_cast<std::size_t>(e.to)] += w;
    if (!directed && e.from != e.to) matrix[static_cast<std::size_t>(e.to)][static_cast<std::size_t>(e.from)] += w;
  }
  return matrix;
}

}  // namespace

TEST_CASE("walks of first order are the naive ones, for any ranks, routes and partitions") {
  samples::for_each_spread(cases::Weight::none, [](const Sample& sample, const Graph& graph) {
    const auto expected = naive_walks(sample, 9, 2, 5);
    RandomWalks walks(graph, EdgeWeighting::ones);
    const auto starts = starts_at_all(graph, 2);
    CHECK(gathered(graph.world(), walks.run(starts, {.length = 9, .seed = 5}), 9) == expected);
    CHECK(gathered(graph.world(), walks.run(starts, {.length = 0, .seed = 5}), 0).size() == expected.size());
  });
}

TEST_CASE("walks follow edges and are the same for any ranks, routes and partitions") {
  std::map<std::tuple<std::string, bool, std::size_t>, std::vector<Row>> first;
  samples::for_each_spread(cases::Weight::wide, [&](const Sample& sample, const Graph& graph) {
    for (std::size_t k = 0; k < kKinds.size(); ++k) {
      if (shapes::kSanitized && k % 2 == 1) continue;
      CAPTURE(k);
      RandomWalks walks(graph, kKinds[k].weighting);
      const Array<Vertex> rows =
          walks.run(starts_at_all(graph, 1),
                    {.length = 7, .return_parameter = kKinds[k].p, .in_out_parameter = kKinds[k].q, .seed = 3});
      const Verdict verdict = verify_walks(graph, span(rows), 7, kKinds[k].weighting);
      CHECK_MESSAGE(verdict.ok, verdict.what);
      const std::vector<Row> all = gathered(graph.world(), rows, 7);
      if (graph.world().rank() == 0) {
        const auto [at, fresh] = first.try_emplace({sample.edges.name, sample.directed, k}, all);
        CHECK(at->second == all);
      }
    }
  });
}

TEST_CASE("starts that ranks give are one list") {
  const std::vector<Vertex> starts{5, 5, 9, 0, 31, 5, 200, 17, 64};
  std::vector<Row> expected;
  for (const Rank ranks : shapes::kRanks)
    for (const int threads : {1, 2}) {
      Plan plan;
      plan.threads = threads;
      run_ranks(ranks, plan, [&](World& world) {
        const Graph graph = Graph::build(world, generate(world, "uniform:8:6"));
        const std::size_t n = starts.size(), r = static_cast<std::size_t>(world.rank()),
                          p = static_cast<std::size_t>(world.size());
        const std::vector<Vertex> mine(starts.begin() + static_cast<std::ptrdiff_t>(n * r / p),
                                       starts.begin() + static_cast<std::ptrdiff_t>(n * (r + 1) / p));
        RandomWalks walks(graph, EdgeWeighting::ones);
        const Array<Vertex> rows =
            walks.run(starts_at(graph, mine, 3), {.length = 20, .return_parameter = 0.5, .in_out_parameter = 2});
        REQUIRE(rows.size() == mine.size() * 3 * 21);
        for (std::size_t k = 0; k < mine.size() * 3; ++k) CHECK(rows[k * 21] == mine[k / 3]);
        const std::vector<Row> all = gathered(world, rows, 20);
        if (world.rank() != 0) return;
        if (expected.empty()) expected = all;
        CHECK(all == expected);
      });
    }
  CHECK(expected.size() == 27);
  std::sort(expected.begin(), expected.end());
  CHECK(std::adjacent_find(expected.begin(), expected.end()) == expected.end());  // walks from one start differ
}

TEST_CASE("steps have the chances of node2vec") {
  Plan plan;
  plan.threads = 2;
  for (const bool directed : {false, true})
    for (const Kind& kind : kKinds) {
      CAPTURE(directed);
      CAPTURE(kind.p);
      CAPTURE(kind.q);
      const auto world = World::alone(plan);
      const Graph graph = small_graph(*world, directed);
      RandomWalks walks(graph, kind.weighting);
      constexpr Edge kLength = 40;
      const Array<Vertex> rows =
          walks.run(starts_at_all(graph, shapes::kSanitized ? 400 : 4000),
                    {.length = kLength, .return_parameter = kind.p, .in_out_parameter = kind.q, .seed = 11});
      const auto matrix = small_matrix(directed, kind.weighting);
      const auto edges = small_matrix(directed, EdgeWeighting::ones);
      ChiSquare test;
      std::map<std::pair<Vertex, Vertex>, std::vector<double>> counts;  // of (before, here): [next]
      for (std::size_t first = 0; first < rows.size(); first += kLength + 1)
        for (std::size_t k = first; k < first + kLength; ++k) {
          if (rows[k + 1] == kNoVertex) break;
          auto& next = counts[{k == first ? kNoVertex : rows[k - 1], rows[k]}];
          next.resize(5);
          ++next[static_cast<std::size_t>(rows[k + 1])];
        }
      for (const auto& [ends, next] : counts) {
        const auto [before, here] = ends;
        std::vector<double> chances = matrix[static_cast<std::size_t>(here)];
        double sum = 0;
        for (std::size_t x = 0; x < 5; ++x) {
          if (before != kNoVertex)
            chances[x] *= static_cast<Vertex>(x) == before                 ? 1 / kind.p
                          : edges[static_cast<std::size_t>(before)][x] > 0 ? 1
                                                                           : 1 / kind.q;
          sum += chances[x];
        }
        for (double& chance : chances) chance /= sum;
        test.add(next, chances);
      }
      CAPTURE(test.statistic());
      CAPTURE(test.freedom());
      CHECK(test.is_likely());
    }
}

TEST_CASE("the draws do not take one of few weights of extreme sizes for another") {
  const auto world = World::alone();
  EdgeList list;
  Array<Vertex> source(4), target(4);
  Array<double> weight(4);
  const double weights[] = {1e308, 1e308, 0, 1e-300};
  for (std::size_t k = 0; k < 4; ++k) {
    source[k] = 0;
    target[k] = static_cast<Vertex>(k) + 1;
    weight[k] = weights[k];
  }
  list.source = std::move(source);
  list.target = std::move(target);
  list.weight = std::move(weight);
  list.directed = true;
  list.name = "extreme";
  const Graph graph = Graph::build(*world, std::move(list));
  RandomWalks walks(graph, EdgeWeighting::of_edges);
  const std::vector<Vertex> start{0};
  const Array<Vertex> rows = walks.run(starts_at(graph, start, 4000), {.length = 1});
  std::vector<double> counts(5, 0.0);
  for (std::size_t k = 1; k < rows.size(); k += 2) ++counts[static_cast<std::size_t>(rows[k])];
  ChiSquare test;
  test.add(counts, {0, 0.5, 0.5, 0, 0});
  CHECK(test.is_likely());
}

TEST_CASE("what walks cannot be made from is refused by all ranks") {
  for (const Rank ranks : {1, 3})
    run_ranks(ranks, {}, [](World& world) {
      const Graph graph = Graph::build(world, generate(world, "ring:9"));
      CHECK_THROWS_AS(RandomWalks(graph, EdgeWeighting::of_edges), InputError);
      RandomWalks walks(graph, EdgeWeighting::ones);
      const std::vector<Vertex> strange{world.rank() == world.size() - 1 ? 9 : 3};
      CHECK_THROWS_WITH_AS(walks.run(starts_at(graph, strange, 1), {}), doctest::Contains("vertex 9 does not exist"),
                           InputError);
      const std::vector<Vertex> none{-1};
      CHECK_THROWS_AS(walks.run(starts_at(graph, none, 1), {}), InputError);
      CHECK_THROWS_AS(walks.run({}, {.length = -1}), InputError);
      for (const double wrong : {0.0, -1.0, 2000.0, 1.0 / 2000, std::nan("")}) {
        CHECK_THROWS_AS(walks.run({}, {.return_parameter = wrong}), InputError);
        CHECK_THROWS_AS(walks.run({}, {.in_out_parameter = wrong}), InputError);
      }
      CHECK_THROWS_AS(walks.run(starts_at_all(graph, 1), {.length = Edge{1} << 50}), InputError);
      CHECK_THROWS_AS(starts_at_all(graph, -1), InputError);
      CHECK(walks.run({}, {}).size() == 0);
      EdgeList list;
      list.source = Array<Vertex>(1, 2);
      list.target = Array<Vertex>(1, 4);
      list.weight = Array<double>(1, -0.5);
      list.name = "negative";
      const Graph negative = Graph::build(world, std::move(list));
      CHECK_THROWS_AS(RandomWalks(negative, EdgeWeighting::of_edges), InputError);
    });
}
