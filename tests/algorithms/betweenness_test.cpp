// SPDX-License-Identifier: Apache-2.0
#include "reference/betweenness.hpp"

#include <doctest/doctest.h>

#include <atoll/algorithms/betweenness.hpp>
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

TEST_CASE("betweenness takes any number of sources, one twice too, on any ranks and threads") {
  struct Machine {
    Rank ranks;
    const char* domains;
    const char* route;
    int threads;
  };
  cases::Case parts = samples::from_text("kron:7");  // and a path that nothing leads to
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
                                                                 world.size(), cases::Dealing::spread));
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

TEST_CASE("betweenness over ranks refuses more paths than a double counts, on all of them, and goes on") {
  // 1030 squares in a row, corner to corner: the paths double 1030 times.
  cases::Case squares{"squares", {}, {}, {}};
  for (Vertex k = 0; k < 1030; ++k)
    for (const Vertex middle : {Vertex{1}, Vertex{2}}) {
      squares.edges.emplace_back(3 * k, 3 * k + middle);
      squares.edges.emplace_back(3 * k + middle, 3 * k + 3);
    }
  Plan plan;
  plan.threads = 1;
  run_ranks(3, plan, [&](World& world) {
    const Graph graph = Graph::build(world, cases::slice(squares, false, cases::Weight::none, false, world.rank(),
                                                         world.size(), cases::Dealing::spread));
    Betweenness betweenness(graph);
    BetweennessResult result;
    const auto refused = [&](const std::vector<Vertex>& sources) {
      std::string why;
      try {
        betweenness.run(sources, result);
      } catch (const InputError& e) {
        why = e.what();
      }
      return why;
    };
    CHECK(refused({0}).find("from vertex 0 than") != std::string::npos);
    CHECK(refused({1545, 0, 1545}).find("from vertex 0 than") != std::string::npos);
    betweenness.run(std::vector<Vertex>{1545, 1545}, result);
    // Half of what is on either side goes through each of two middles; twice.
    CHECK(samples::by_id(graph, result.score)[1] == doctest::Approx(1));
  });
}
