// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/apsp/model/apsp_time.hpp>
#include <atoll/base/error.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

using namespace atl;

namespace {

const ApspMachine kFrontier = ApspMachine::frontier();
constexpr int kFullFrontier = 9216 * 16;
constexpr double kExa = 1e18;

double operations(std::int64_t n) { return 2 * std::pow(static_cast<double>(n), 3); }

}  // namespace

TEST_CASE("equations 1 to 4, by hand") {
  ApspMachine m;
  m.rate_of_block = {8e9, 64};
  m.rate_of_size = {1e9, 0};
  m.broadcasts = {{"ring", BroadcastShape::ring, {2e9, 0}}, {"tree", BroadcastShape::tree, {1e9, 0}}};
  m.latency_s = 1e-3;
  m.validate();
  const ApspPlan plan{{2, 4, 1, 1}, 64, "ring"};
  const ApspTime t = time_of(m, 1024, plan, KernelRate::by_size);
  CHECK(t.compute_s == doctest::Approx(2 * std::pow(1024., 3) / 8 / 1e9));
  CHECK(t.transfer_s == doctest::Approx(1024. * 1024 * 4 * (1. / 2 + 1. / 4) / 2e9));
  CHECK(t.latency_s == doctest::Approx(16 * 1.5 * 2 * 1e-3));  // one and a half hops per side
  CHECK(t.ideal_s() == doctest::Approx(std::max(t.compute_s, t.latency_s + t.transfer_s)));
  CHECK(t.worst_s() == doctest::Approx(t.compute_s + t.latency_s + t.transfer_s));
  CHECK(t.place_of(t.ideal_s()) == doctest::Approx(0));
  CHECK(t.place_of(t.worst_s()) == doctest::Approx(1));
  CHECK(time_of(m, 1024, {plan.grid, 64, "tree"}, KernelRate::by_size).latency_s == doctest::Approx(t.latency_s));
  CHECK(t.steps == 16);
  CHECK(t.chain_s == doctest::Approx(16 * 2 * 2. * 64 * 64 * 512 / 1e9));  // two products of the longer panel
  CHECK(t.expected_s(1) == doctest::Approx(std::max(t.compute_s, t.communicate_s() + t.chain_s) +
                                           std::min(t.compute_s, t.communicate_s() + t.chain_s) / 16));
  CHECK(time_of(m, 1024, plan, KernelRate::by_block).compute_s == doctest::Approx(t.compute_s / 4));
  // One rank does not communicate; a row of ranks broadcasts along one dimension only.
  CHECK(time_of(m, 1024, {{1, 1, 1, 1}, 64, "ring"}).communicate_s() == 0);
  CHECK(time_of(m, 1024, {{1, 4, 1, 1}, 64, "ring"}).transfer_s == doctest::Approx(1024. * 1024 * 4 / 2e9));
  // 1025 = 16 blocks of 64 and one vertex: the first row of ranks has 9 blocks of rows.
  CHECK(time_of(m, 1025, plan, KernelRate::by_size).compute_s ==
        doctest::Approx(2. * 1025 * (9 * 64) * (5 * 64) / 1e9));
}

TEST_CASE("links come from the machine that routes and clocks know") {
  const Machine machine = *machine_preset("frontier");
  ApspMachine m = ApspMachine::frontier();
  m.take_links(machine, 8);
  CHECK(m.broadcasts.size() == 3);
  for (const char* name : {"tree", "ring", "ring2m"}) {
    CAPTURE(name);
    CHECK(m.broadcast(name).bytes_per_second.a == machine.cost.at(1).bytes_per_second);
    CHECK(m.broadcast(name).sends == 1);
  }
  CHECK(m.rank_bytes_per_second == machine.cost.at(0).bytes_per_second);
  CHECK((m.cards == 4 && m.ranks_per_node == 8));
  CHECK(m.latency_s == machine.cost.at(1).latency_s + machine.cost.at(1).overhead_s);
  CHECK_THROWS_AS(m.take_links(Cost::paper(1), 8), InputError);
}

TEST_CASE("steps of the broadcasts") {
  for (const auto& [ranks, tree, ring, two] :
       {std::array{1, 0, 0, 0}, {2, 1, 1, 1}, {3, 2, 2, 2}, {5, 3, 4, 3}, {8, 3, 7, 5}, {9, 4, 8, 5}}) {
    CAPTURE(ranks);
    CHECK(steps_among(BroadcastShape::tree, ranks) == tree);
    CHECK(steps_among(BroadcastShape::ring, ranks) == ring);
    CHECK(steps_among(BroadcastShape::ring2m, ranks) == two);
  }
}

TEST_CASE("a node sends a panel once for each edge of the broadcast that leaves it") {
  for (const auto shape : {BroadcastShape::tree, BroadcastShape::ring, BroadcastShape::ring2m})
    for (const int per_node : {1, 2, 3, 4, 8})
      for (int nodes = 1; nodes <= 9; ++nodes) {
        const int p = nodes * per_node;
        CAPTURE(name_of(shape));
        CAPTURE(p);
        CAPTURE(per_node);
        double root_sends = 0, all_sends = 0;
        for (int root = 0; root < per_node; ++root) {
          std::vector<int> of_node(static_cast<std::size_t>(nodes));
          const auto node_of = [&](int position) { return static_cast<std::size_t>((position + root) % p / per_node); };
          for (int at = 1; at < p; ++at) {
            const int parent = broadcast_neighbours(shape, p, at).parent;
            if (node_of(parent) != node_of(at)) ++of_node[node_of(parent)], ++all_sends;
          }
          root_sends += of_node[0];
          if (per_node == 1) CHECK(of_node[0] == *std::max_element(of_node.begin(), of_node.end()));
        }
        const NodeSends sends = node_sends(shape, p, per_node);
        CHECK(sends.root == doctest::Approx(root_sends / per_node));
        CHECK(sends.mean == doctest::Approx(all_sends / nodes / per_node));
        if (shape == BroadcastShape::ring) CHECK(sends.root == (nodes > 1 ? 1 : 0));
      }
  CHECK(node_sends(BroadcastShape::ring2m, 8, 1).root == 3);
}

TEST_CASE("with a link's own bandwidth, ring2m costs what its root sends, and unused cards do not help") {
  ApspMachine m;
  m.rate_of_block = m.rate_of_size = {1e15, 0};
  m.broadcasts = {{"ring", BroadcastShape::ring, {1e9, 0}, 1}, {"ring2m", BroadcastShape::ring2m, {1e9, 0}, 1}};
  const ApspGrid apart{8, 8, 1, 1};
  const auto seconds = [&](const ApspGrid& g, const char* broadcast) {
    return time_of(m, 8192, {g, 64, broadcast}).transfer_s;
  };
  CHECK(seconds(apart, "ring2m") == doctest::Approx(std::sqrt(3.) * seconds(apart, "ring")));
  CHECK(predict_apsp(m, {.n = 8192, .ranks = 64}).front().plan.broadcast == "ring");
  // A rank's own link inside its node limits too, if it is the slowest.
  m.ranks_per_node = 64;
  CHECK(seconds({8, 8, 8, 8}, "ring") == 0);
  m.rank_bytes_per_second = 1e9;
  CHECK(seconds({8, 8, 8, 8}, "ring") == doctest::Approx(seconds(apart, "ring")));
  m.rank_bytes_per_second = std::numeric_limits<double>::infinity();
  m.ranks_per_node = 8;
  const double one_card = seconds({8, 8, 2, 4}, "ring");
  m.cards = 4;  // two rows of ranks use two of four cards
  CHECK(seconds({8, 8, 2, 4}, "ring") > one_card);
  CHECK(ApspMachine::from_json(m.to_json()).to_json() == m.to_json());
}

TEST_CASE("the paper's parameters reproduce its projection") {
  // Section VII.A: 9,216 nodes and 4.1 million vertices or more; here a number of vertices that fills all ranks
  // equally.
  constexpr std::int64_t n = 768 * 384 * 14;  // 4,128,768
  const ApspPlan coast{{384, 384, 4, 4}, 768, "ring"};
  const ApspTime by_size = time_of(kFrontier, n, coast, KernelRate::by_size);
  CHECK(operations(n) / by_size.ideal_s() == doctest::Approx(1.10 * kExa).epsilon(0.003));
  CHECK(operations(n) / by_size.worst_s() == doctest::Approx(0.67 * kExa).epsilon(0.01));
  const ApspTime by_block = time_of(kFrontier, n, coast, KernelRate::by_block);
  CHECK(operations(n) / by_block.ideal_s() == doctest::Approx(1.05 * kExa).epsilon(0.003));
  for (const std::int64_t larger : {2 * n, 3 * n, 4 * n}) {
    const ApspTime t = time_of(kFrontier, larger, coast, KernelRate::by_size);
    CHECK(operations(larger) / t.ideal_s() == doctest::Approx(1.10 * kExa).epsilon(0.007));
    CHECK(t.ideal_s() == t.compute_s);
  }
  // With a quarter of the vertices broadcasts dominate.
  CHECK(time_of(kFrontier, n / 4, coast, KernelRate::by_size).ideal_s() >
        1.5 * time_of(kFrontier, n / 4, coast, KernelRate::by_size).compute_s);
}

TEST_CASE("the model gives the paper's grids, block and largest run") {
  const auto best = [](std::int64_t n, Rank ranks) {
    return predict_apsp(kFrontier, {.n = n, .ranks = ranks}).front();
  };
  // Table II: 368 x 400 ranks with b = 768, 702 s, 399 TB (of which our two copies are all but the panels).
  const ApspPrediction fastest = predict_apsp(kFrontier, {.n = 7'065'600, .ranks = 9200 * 16, .block = 768}).front();
  CHECK((fastest.plan.grid == ApspGrid{368, 400, 4, 4} || fastest.plan.grid == ApspGrid{400, 368, 4, 4}));
  CHECK(fastest.plan.broadcast == "ring");
  CHECK(fastest.expected_s == doctest::Approx(702).epsilon(0.02));
  CHECK(fastest.memory_fits);
  CHECK(fastest.node_bytes * 9200 == doctest::Approx(399e12).epsilon(0.09));
  CHECK(fastest.expected_s < 1.01 * best(7'065'600, 9200 * 16).expected_s);
  CHECK(best(768 * 384 * 14, kFullFrontier).plan.block == 768);
  CHECK(best(18'600'000, 9025 * 16).plan.grid == ApspGrid{380, 380, 4, 4});
  CHECK(best(18'600'000, 9025 * 16).memory_fits);
}

TEST_CASE("for small matrices on many nodes the tree is faster, as hatched in Figure 8") {
  const auto best = [](std::int64_t n, int nodes) {
    return predict_apsp(kFrontier, {.n = n, .ranks = nodes * 16}).front();
  };
  CHECK(best(100'000, 9216).plan.broadcast == "tree");
  CHECK(best(1'000'000, 9216).plan.broadcast == "ring");
  CHECK(best(100'000, 64).plan.broadcast == "ring");
  // Figure 5a: the tree has more bandwidth below about 20 MB, the ring twice as much from 70 MB up.
  CHECK(kFrontier.broadcast("tree").bytes_per_second(20e6) > kFrontier.broadcast("ring").bytes_per_second(20e6));
  CHECK(kFrontier.broadcast("tree").bytes_per_second(26e6) < kFrontier.broadcast("ring").bytes_per_second(26e6));
}

TEST_CASE("plans that do not fit in memory are marked, and the largest that fits is found") {
  CHECK_FALSE(predict_apsp(kFrontier, {.n = 1'000'000, .ranks = 16}).front().memory_fits);
  for (const int nodes : {1, 4, 100}) {
    CAPTURE(nodes);
    const std::int64_t n = largest_apsp(kFrontier, nodes * 16);
    CHECK(predict_apsp(kFrontier, {.n = n, .ranks = nodes * 16}).front().memory_fits);
    CHECK_FALSE(predict_apsp(kFrontier, {.n = n + 1, .ranks = nodes * 16}).front().memory_fits);
    CHECK(static_cast<double>(n) == doctest::Approx(std::sqrt(512e9 * nodes / 8)).epsilon(0.03));
    CHECK(fewest_nodes(kFrontier, n) == nodes);
    CHECK(fewest_nodes(kFrontier, 101 * n / 100) > nodes);
  }
}

TEST_CASE("every predicted grid has the given number of ranks and contains whole nodes") {
  ApspMachine m = kFrontier;
  for (const int per_node : {1, 2, 3, 6, 16}) {
    m.ranks_per_node = per_node;
    m.ranks_per_device = 1;
    for (const int nodes : {1, 2, 5, 6, 12}) {
      const Rank ranks = per_node * nodes;
      CAPTURE(per_node);
      CAPTURE(nodes);
      for (const ApspPrediction& p : predict_apsp(m, {.n = 1000, .ranks = ranks, .block = 64})) {
        const ApspGrid& g = p.plan.grid;
        CHECK(g.ranks() == ranks);
        CHECK(g.node_rows * g.node_cols == per_node);
        CHECK(g.rows % g.node_rows == 0);
        CHECK(g.cols % g.node_cols == 0);
        CHECK(p.time.ideal_s() <= p.expected_s);
        CHECK(p.time.ideal_s() <= p.time.worst_s());
      }
    }
  }
  for (const ApspPrediction& p : predict_apsp(m, {.n = 1, .ranks = 5})) {
    CHECK(p.plan.grid.ranks() == 5);
    CHECK(p.expected_s == doctest::Approx(p.time.expected_s(m.overlap)));
  }
}

TEST_CASE("invalid queries are rejected with the reason, and parameters survive JSON") {
  CHECK_THROWS_WITH_AS(predict_apsp(kFrontier, {.n = 0}), doctest::Contains("n is 0"), InputError);
  CHECK_THROWS_WITH_AS(predict_apsp(kFrontier, {.n = 5, .ranks = 20}), doctest::Contains("multiple of 16"), InputError);
  CHECK_THROWS_WITH_AS(predict_apsp(kFrontier, {.n = 5, .ranks = 16, .grid = std::pair{3, 4}}),
                       doctest::Contains("grid 3x4"), InputError);
  CHECK_THROWS_WITH_AS(predict_apsp(kFrontier, {.n = 5, .ranks = 16, .broadcast = "star"}),
                       doctest::Contains("tree, ring"), InputError);
  ApspMachine alone = kFrontier;
  alone.broadcasts.clear();
  alone.ranks_per_node = alone.ranks_per_device = 1;
  const ApspPrediction one = predict_apsp(alone, {.n = 5}).front();
  CHECK(one.time.communicate_s() == 0);
  CHECK(one.expected_s == doctest::Approx(one.time.expected_s(0)));
  CHECK_THROWS_WITH_AS(predict_apsp(alone, {.n = 5, .ranks = 2}), doctest::Contains("no broadcast"), InputError);
  const ApspMachine back = ApspMachine::from_json(kFrontier.to_json());
  CHECK(back.to_json() == kFrontier.to_json());
  ApspMachine open = kFrontier;
  open.memory_per_node = open.diagonal_rate = std::numeric_limits<double>::infinity();
  CHECK(ApspMachine::from_json(nlohmann::json::parse(open.to_json().dump())).memory_per_node == open.memory_per_node);
  CHECK_THROWS_AS(ApspMachine::from_json(nlohmann::json::parse("{}")), InputError);
  CHECK(predict_apsp(kFrontier, {.n = kFullFrontier, .ranks = kFullFrontier}).size() > 1000);
}
