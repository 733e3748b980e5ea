// SPDX-License-Identifier: Apache-2.0
#include "reference/betweenness.hpp"

#include <doctest/doctest.h>

#include <atoll/algorithms/betweenness/betweenness.hpp>
#include <atoll/base/error.hpp>
#include <cmath>

#include "algorithms/spread_samples.hpp"

using namespace atl;
using samples::Sample;

namespace {

std::vector<double> brandes(const Sample& sample, const std::vector<std::size_t>& sources) {
  auto arcs = sample.arcs();
  for (samples::Arc& a : arcs) a.weight = 1;
  return reference::betweenness(sample.vertices(), arcs, sources);
}

}  // namespace

TEST_CASE("betweenness equals Brandes' algorithm for any ranks, routes and partitions") {
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

TEST_CASE("betweenness accepts any number of sources, also repeated ones, for any ranks and threads") {
  struct Machine {
    Rank ranks;
    const char* domains;
    const char* route;
    int threads;
  };
  cases::Case parts = samples::from_text("kron:7");  // with a path that nothing leads to
  parts.range.reset();
  for (Vertex v = 1000; v < 1020; ++v) parts.edges.emplace_back(v, v + 1);
  for (const cases::Case& c : {parts, samples::from_text("complete:40"), samples::from_text("star:300")})
    for (const bool directed : {false, true}) {
      const Sample sample{c, directed, Duplicates::merge_min};
      const std::vector<Vertex> ids = sample.edges.ids();
      std::vector<std::size_t> numbers;
      for (std::size_t i = 0; i < 10; ++i) numbers.push_back(i * i * 7 % ids.size());
      numbers[6] = numbers[4];  // in one batch
      numbers[9] = ids.size() - 1;
      for (const Machine& m : {Machine{1, "", "direct", 2},
                               {2, "", "direct", 2},
                               {3, "", "direct", 1},
                               {5, "3+2", "domain", 2},
                               {8, "2x4", "mst", 1}})
        for (const std::size_t count : {0U, 1U, 2U, 4U, 5U, 10U}) {
          if (shapes::kSanitized && count % 5 != 0) continue;
          CAPTURE(c.name);
          CAPTURE(directed);
          CAPTURE(m.ranks);
          CAPTURE(count);
          const std::vector<std::size_t> first(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(count));
          std::vector<Vertex> sources;
          for (const std::size_t v : first) sources.push_back(ids[v]);
          const auto expected = brandes(sample, first);
          Plan plan;
          plan.threads = m.threads;
          plan.domains = m.domains;
          plan.route = m.route;
          run_ranks(m.ranks, plan, [&](World& world) {
            const Graph graph = Graph::build(world, cases::slice(c, directed, cases::Weight::none, false, world.rank(),
                                                                 world.size(), cases::Distribution::spread));
            BetweennessResult result;
            Betweenness(graph).run(sources, result);
            const auto score = samples::by_id(graph, result.score);
            REQUIRE(score.size() == expected.size());
            for (std::size_t v = 0; v < score.size(); ++v)
              REQUIRE(std::abs(score[v] - expected[v]) <= 1e-9 * (1 + std::abs(expected[v])));
          });
        }
    }
}

namespace {

// Consecutive layers, each fully connected to the next: the number of paths grows by a factor of `width` per layer. A
// separate path of the same length makes the counts differ as much as possible.
cases::Case layers(Vertex width, Vertex depth) {
  cases::Case c{"layers", {}, {}, {}};
  const auto at = [&](Vertex layer, Vertex k) { return 1 + layer * width + k; };
  const Vertex last = at(depth, 0), beside = last + 1;
  for (Vertex k = 0; k < width; ++k) {
    c.edges.emplace_back(0, at(0, k));
    c.edges.emplace_back(at(depth - 1, k), last);
  }
  for (Vertex d = 0; d + 1 < depth; ++d)
    for (Vertex k = 0; k < width; ++k)
      for (Vertex m = 0; m < width; ++m) c.edges.emplace_back(at(d, k), at(d + 1, m));
  for (Vertex d = 0; d <= depth; ++d) c.edges.emplace_back(d == 0 ? 0 : beside + d - 1, d == depth ? last : beside + d);
  return c;
}

// Compares with counts of 64 bits and a 15-bit exponent from these sources, by hops and by equal weights.
void check_wide(const cases::Case& c, const std::vector<std::size_t>& sources, Rank ranks, const Plan& plan,
                PartitionOptions placement) {
  CAPTURE(c.name);
  CAPTURE(ranks);
  const Sample sample{c, false, Duplicates::merge_min};
  auto arcs = sample.arcs();
  for (samples::Arc& a : arcs) a.weight = 1;
  const auto expected = reference::betweenness<long double>(sample.vertices(), arcs, sources);
  const std::vector<Vertex> ids = sample.edges.ids();
  std::vector<Vertex> starts;
  for (const std::size_t v : sources) starts.push_back(ids[v]);
  run_ranks(ranks, plan, [&](World& world) {
    EdgeList list =
        cases::slice(c, false, cases::Weight::narrow, false, world.rank(), world.size(), cases::Distribution::spread);
    auto& weights = std::get<Array<float>>(list.weight);
    std::fill(weights.begin(), weights.end(), 1.0F);
    const Graph graph = Graph::build(world, std::move(list), {.placement = placement});
    for (const PathLength length : {PathLength::edges, PathLength::weights}) {
      Betweenness betweenness(graph, length);
      BetweennessResult result;
      betweenness.run(starts, result);
      const auto score = samples::by_id(graph, result.score);
      std::size_t wrong = 0;
      for (std::size_t v = 0; v < score.size(); ++v)
        wrong += !(std::abs(score[v] - expected[v]) <= 1e-9 * (1 + std::abs(expected[v])));
      CHECK(score.size() == expected.size());
      CHECK(wrong == 0);
    }
  });
}

}  // namespace

TEST_CASE("betweenness counts more paths than a double can hold, for any ranks, routes and partitions") {
  cases::Case squares{"squares", {}, {}, {}};  // 1030 in a row, corner to corner: each doubles the paths
  for (Vertex k = 0; k < 1030; ++k)
    for (const Vertex middle : {Vertex{1}, Vertex{2}}) {
      squares.edges.emplace_back(3 * k, 3 * k + middle);
      squares.edges.emplace_back(3 * k + middle, 3 * k + 3);
    }
  const cases::Case wide = layers(8, 350);
  for (const samples::Spread& spread : samples::kSpreads) {
    if ((shapes::kSanitized || spread.cut != Cut::edge) && spread.ranks != 3) continue;
    Plan plan;
    plan.threads = spread.threads;
    plan.domains = spread.domains;
    plan.route = spread.route;
    const PartitionOptions placement{.partition = spread.partition, .cut = spread.cut};
    check_wide(squares, {0}, spread.ranks, plan, placement);
    check_wide(wide, {1500, 0, 1500, 1, 2801}, spread.ranks, plan, placement);  // counts from the middle fit a double
  }
  Plan many;  // threads that share one source
  many.threads = 5;
  check_wide(squares, {0}, 1, many, {});
}

TEST_CASE("betweenness of a grid with more paths than a double can hold, over ranks") {
  if (shapes::kSanitized) return;
  Plan plan;
  plan.threads = 1;
  check_wide(samples::from_text("grid:530x520"), {0, 137800}, 2, plan, {.partition = Partition::blocked});
}
