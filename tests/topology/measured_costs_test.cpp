// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/base/random.hpp>
#include <atoll/topology/cost.hpp>
#include <atoll/topology/measured_costs.hpp>
#include <limits>

using namespace atl;

namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

// By level of a hierarchy, each up to a tenth too long.
std::vector<double> noisy(const Hierarchy& h, const std::vector<double>& by_level, std::uint64_t seed) {
  Random random(seed);
  const auto n = static_cast<std::size_t>(h.size());
  std::vector<double> cost(n * n, 0);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const auto level = static_cast<std::size_t>(h.level_between(static_cast<Rank>(a), static_cast<Rank>(b)));
      cost[a * n + b] = cost[b * n + a] = by_level[level] * (1 + 0.1 * random.unit());
    }
  return cost;
}

}  // namespace

TEST_CASE("domains are found again from noisy costs, at any number of levels") {
  for (const char* text : {"5", "2x3", "3+2", "1+4", "2x2x4", "2x3x2x2"}) {
    CAPTURE(text);
    const Hierarchy truth = Hierarchy::parse(text);
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const std::vector<double> cost = noisy(truth, {1e-6, 2e-6, 15e-6, 1e-3}, seed);
      const std::vector<double> thresholds = clustering_thresholds(cost);
      CHECK(static_cast<int>(thresholds.size()) == truth.depth() - 1);
      const Hierarchy found = cluster(cost, thresholds);
      REQUIRE(found.depth() == truth.depth());
      for (Rank a = 0; a < truth.size(); ++a)
        for (Rank b = 0; b < truth.size(); ++b) CHECK(found.level_between(a, b) == truth.level_between(a, b));
    }
  }
}

TEST_CASE("a disturbed pair makes no level, and does not part those that others join") {
  const Hierarchy truth = Hierarchy::parse("2x4");
  std::vector<double> cost = noisy(truth, {1e-6, 10e-6}, 1);
  for (const auto& [a, b] : {std::pair<std::size_t, std::size_t>{0, 1}, {2, 3}, {1, 6}})
    cost[a * 8 + b] = cost[b * 8 + a] = 5e-3;
  const Hierarchy found = cluster(cost, clustering_thresholds(cost));
  REQUIRE(found.depth() == 2);
  CHECK(found.level_between(0, 1) == 0);
  CHECK(found.level_between(1, 6) == 1);
}

TEST_CASE("a pair that was not measured costs what the best chain's dearest pair does") {
  std::vector<double> cost{0, 1, kUnknown, 7, 1, 0, 3, kUnknown, kUnknown, 3, 0, 2, 7, kUnknown, 2, 0};
  infer_costs(cost);
  CHECK(cost == std::vector<double>{0, 1, 3, 7, 1, 0, 3, 3, 3, 3, 0, 2, 7, 3, 2, 0});
  std::vector<double> apart{0, 1, kUnknown, 1, 0, kUnknown, kUnknown, kUnknown, 0};
  CHECK_THROWS_WITH_AS(infer_costs(apart), "no measured chain from rank 0 to rank 2 (all must have one). Measure it.",
                       InputError);
}

TEST_CASE("one rank, and a list that is no matrix") {
  std::vector<double> one{0};
  infer_costs(one);
  CHECK(one[0] == 0);
  CHECK(clustering_thresholds(one).empty());
  CHECK_THROWS_AS(clustering_thresholds(std::vector<double>(3)), InputError);
}
