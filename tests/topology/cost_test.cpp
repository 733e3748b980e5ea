// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/base/random.hpp>
#include <atoll/topology/cost.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

using namespace atl;
using nlohmann::json;

namespace {

// The results of a ping-pong between every two ranks: the cost of their level plus up to `noise`.
std::vector<double> measured(const Hierarchy& h, const Cost& cost, double noise, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> matrix;
  for (Rank a = 0; a < h.size(); ++a)
    for (Rank b = 0; b < h.size(); ++b)
      matrix.push_back(a == b ? 0 : cost.between(h, a, b) * (1 + noise * random.unit()));
  return matrix;
}

}  // namespace

TEST_CASE("the paper's example: 2 U inside a leaf, 22 U from C1 to C4 of its figure 2") {
  const Hierarchy h = Hierarchy::parse("2x2x3");  // 12 nodes, 4 leaf domains, 2 domains of level 1, 1 of level 2
  const std::vector<double> inter{10, 100};
  const Cost u = Cost::of_steps(1, inter);
  const Rank c1 = 0, c2 = 1, c4 = 3, c7 = 6;
  CHECK(u.intra() == 1);
  CHECK(u.inter(1) == 10);
  CHECK(u.between(h, c1, c2) == 1 + 1);
  CHECK(u.between(h, c1, c4) == 1 + 1 + 10 + 10);
  CHECK(u.between(h, c1, c7) == 1 + 1 + 10 + 10 + 100 + 100);
}

TEST_CASE("definition 3.2 is the end-to-end latency at every level, and symmetric") {
  const Hierarchy h = Hierarchy::parse("2x3x2x2");
  const Cost cost = Cost::paper(4);
  for (Rank a = 0; a < h.size(); ++a)
    for (Rank b = 0; b < h.size(); ++b) {
      CHECK(cost.between(h, a, b) == doctest::Approx(cost.at(h.level_between(a, b)).latency_s));
      CHECK(cost.between(h, a, b) == cost.between(h, b, a));
    }
}

TEST_CASE("one message costs overhead, latency and its bytes") {
  const Cost cost({{1e-6, 1e9, 1e-7}, {5e-6, 5e8, 2e-7}});
  CHECK(cost.seconds(0, 0) == doctest::Approx(1.1e-6));
  CHECK(cost.seconds(0, 1000) == doctest::Approx(2.1e-6));
  CHECK(cost.seconds(1, 1000) == doctest::Approx(7.2e-6));
}

TEST_CASE("the paper's machine has latencies 1 : 2 : 15") {
  const Cost cost = Cost::paper();
  CHECK(cost.depth() == 3);
  CHECK(cost.at(1).latency_s / cost.at(0).latency_s == doctest::Approx(2));
  CHECK(cost.at(2).latency_s / cost.at(0).latency_s == doctest::Approx(15));
  CHECK(Cost::paper(1).depth() == 1);
  CHECK(Cost::paper(6).depth() == 6);
  CHECK_THROWS_AS(Cost::paper(0), InputError);
}

TEST_CASE("equation 1 sums equation 2 over all pairs, and equation 4 splits it into intra and inter costs") {
  const Hierarchy h = Hierarchy::parse("2x2x3");
  const std::vector<double> inter{10, 100};
  const Cost u = Cost::of_steps(1, inter);
  std::vector<Flow> all;
  double pairwise = 0;
  for (Rank i = 0; i < h.size(); ++i)
    for (Rank j = 0; j < h.size(); ++j) {
      all.push_back({i, j, 1, 0});
      pairwise += u.between(h, i, j);
    }
  const TotalCost total = u.total(h, all);
  CHECK(total.seconds() == pairwise);
  CHECK(total.intra_s == 144 * 2);                            // every pair pays 1 U at each end
  CHECK(total.inter_s == 12 * 9 * (10 + 10) + 12 * 6 * 200);  // 9 partners are across a leaf, 6 of them across the top
}

TEST_CASE("a total counts messages and bytes as single messages do") {
  const Hierarchy h = Hierarchy::parse("2x2");
  const Cost cost({{1e-6, 1e9, 1e-7}, {5e-6, 5e8, 2e-7}});
  const std::vector<Flow> traffic{{0, 1, 3, 3 * 64}, {0, 2, 2, 2 * 4096}, {3, 3, 0, 0}};
  CHECK(cost.total(h, traffic).seconds() == doctest::Approx(3 * cost.seconds(0, 64) + 2 * cost.seconds(1, 4096)));
  CHECK_THROWS_AS(cost.total(Hierarchy::parse("2x2x2"), traffic), InputError);
}

TEST_CASE("a cost survives JSON, with its provenance") {
  const Cost cost({{1e-6, 1e9, 1e-7}, {5e-6, 5e8, 2e-7}}, "ping-pong, 64 nodes, 2026-01-01");
  const json j = cost.to_json();
  CHECK(Cost::from_json(j).to_json() == j);
  CHECK(Cost::from_json(json::parse(j.dump())).provenance() == cost.provenance());
  const std::vector<double> inter{10};
  const Cost u = Cost::of_steps(1, inter);  // infinite bandwidth
  CHECK(Cost::from_json(json::parse(u.to_json().dump())).seconds(1, 1 << 30) == 22);
  for (const char* text :
       {"3", "{}", R"({"levels":[]})", R"({"levels":[{}]})", R"({"levels":[{"latency_s":-1,"bytes_per_second":1}]})",
        R"({"levels":[{"latency_s":1,"bytes_per_second":0}]})",
        R"({"levels":[{"latency_s":2,"bytes_per_second":1},{"latency_s":1,"bytes_per_second":1}]})"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(Cost::from_json(json::parse(text)), InputError);
  }
}

TEST_CASE("clustering finds the domains that made the costs, also under noise") {
  const std::vector<double> boundary_latency{1.4e-6, 5e-6};
  for (const char* text : {"2x3x4", "3x1x2", "2x2x1", "1x3x3"})
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      CAPTURE(text);
      CAPTURE(seed);
      const Hierarchy h = Hierarchy::parse(text);
      const std::vector<double> cost = measured(h, Cost::paper(), 0.3, seed);
      const Hierarchy found = cluster(cost, boundary_latency);
      REQUIRE(found.size() == h.size());
      // Thresholds that join no further ranks give no level, so only the order of distances is the same.
      for (Rank a = 0; a < h.size(); ++a)
        for (Rank b = 0; b < h.size(); ++b) {
          CHECK((found.level_between(a, b) == 0) == (h.level_between(a, b) == 0));
          for (Rank c = 0; c < h.size(); ++c)
            if (h.level_between(a, b) < h.level_between(a, c))
              CHECK(found.level_between(a, b) < found.level_between(a, c));
        }
      CHECK(cluster(cost, boundary_latency).to_json() == found.to_json());
      const Hierarchy leaves = cluster(cost, boundary_latency[0]);
      for (Rank a = 0; a < h.size(); ++a)
        for (Rank b = 0; b < h.size(); ++b) CHECK((leaves.level_between(a, b) == 0) == (h.level_between(a, b) == 0));
    }
}

TEST_CASE("a chain of close ranks is one leaf, and a long measurement in one direction splits no domain") {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> chain{0, 1, 9, 9, 1, 0, 1, 9, 9, 1, 0, 9, 9, 9, 9, 0};
  const Hierarchy h = cluster(chain, 2.0);
  CHECK(h.level_between(0, 2) == 0);
  CHECK(h.level_between(2, 3) == 1);
  const std::vector<double> one_way{0, 1, inf, 0};
  CHECK(cluster(one_way, 2.0).depth() == 1);
  CHECK(cluster(one_way, 0.5).depth() == 2);
  CHECK(cluster(one_way, std::vector<double>{}).depth() == 1);
}

TEST_CASE("invalid cost matrices are rejected") {
  const std::vector<double> three{0, 1, 1}, negative{0, -1, 1, 0}, square{0, 1, 1, 0};
  CHECK_THROWS_AS(cluster(three, 1.0), InputError);
  CHECK_THROWS_AS(cluster({}, 1.0), InputError);
  CHECK_THROWS_AS(cluster(negative, 1.0), InputError);
  CHECK_THROWS_AS(cluster(square, 0.0), InputError);
  CHECK_THROWS_AS(cluster(square, std::vector<double>{2, 1}), InputError);
}
