// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/apsp/all_pairs.hpp>
#include <atoll/apsp/checks/row_check.hpp>
#include <atoll/base/random.hpp>
#include <atoll/graph/edge_list_of.hpp>
#include <atoll/graph/generate/generate.hpp>

#include "reference/apsp.hpp"
#include "samples.hpp"
#include "shapes.hpp"

using namespace atl;

namespace {

struct Kind {
  Vertex n;
  Edge arcs;
  bool directed, negative;
};

template <class T>
std::vector<Arc<T>> arcs_of(const Kind& kind, std::uint64_t seed) {
  Random random(seed);
  const auto weight = [&](Local u, Local v) {
    auto w = static_cast<std::int64_t>(random.below(30));
    if (kind.negative) w += u % 11 - v % 11;  // by potentials, so no cycle is negative
    return static_cast<T>(w);
  };
  return samples::without_loops(
      samples::random_arcs(random, static_cast<std::size_t>(kind.n), static_cast<std::size_t>(kind.arcs), weight));
}

std::vector<Vertex> ids_of(Vertex n) {
  std::vector<Vertex> ids;
  for (Vertex v = 0; v < n; ++v) ids.push_back(3 * v + 5);
  return ids;
}

/// Checks every entry of every rank's part, and every row by its property.
template <class T>
void distances_are_those_of_the_oracle(const Kind& kind, Rank ranks, const AllPairsOptions& options) {
  const auto input = arcs_of<T>(kind, 17);
  const auto expected = reference::floyd_warshall<T>(static_cast<std::size_t>(kind.n), input, kind.directed);
  REQUIRE(expected);
  std::atomic<int> wrong{0};
  run_ranks(ranks, samples::quiet_plan(), [&](World& world) {
    const ReplicatedCsr<T> arcs = make_arcs<T>(ids_of(kind.n), kind.directed, input, "random");
    const AllPairs<T> all = all_pairs(world, arcs, options);
    const GridLayout& layout = all.distances.layout;
    const int row = layout.grid.row_of(world.rank()), col = layout.grid.col_of(world.rank());
    for (std::int64_t i = 0; i < all.distances.local.rows(); ++i)
      for (std::int64_t j = 0; j < all.distances.local.cols(); ++j) {
        const auto u = static_cast<std::size_t>(layout.rows.index_of(row, i));
        const auto v = static_cast<std::size_t>(layout.cols.index_of(col, j));
        wrong += all.distances.local(i, j) != (*expected)[u][v];
      }
    if (world.size() == 1) {
      const ReplicatedCsr<double> read = samples::as_read(arcs), entering = read.reversed();
      for (Vertex s = 0; s < kind.n; ++s)
        wrong += check_row<T>(read, entering, Semiring::min_plus, s, all.distances.local.view().row(s)).has_value();
    }
  });
  INFO("n ", kind.n, " arcs ", kind.arcs, kind.directed ? " directed" : " undirected", " ranks ", ranks, " block ",
       options.block);
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("all pairs equal the oracle's distances for any number of ranks, graph and type") {
  for (const Kind& kind : {Kind{1, 0, true, false}, Kind{7, 3, true, false}, Kind{60, 40, false, false},
                           Kind{75, 300, true, true}, Kind{130, 200, false, false}, Kind{101, 2000, true, false}})
    for (const Rank ranks : shapes::kRanks) {
      if (shapes::kSanitized && ranks != 1 && ranks != 3 && ranks != 4) continue;
      const AllPairsOptions options{.block = 16};
      distances_are_those_of_the_oracle<std::int32_t>(kind, ranks, options);
      distances_are_those_of_the_oracle<float>(kind, ranks, options);
      if (!kind.negative) distances_are_those_of_the_oracle<std::uint16_t>(kind, ranks, options);
      if (ranks == 1)
        distances_are_those_of_the_oracle<double>(
            kind, ranks, {.method = PairsMethod::floyd_warshall, .pendant_trees = PendantTreeRemoval::no});
    }
}

TEST_CASE("of several ranks each searches from the sources of its rows, by every method") {
  for (const Kind& kind : {Kind{1, 0, true, false}, Kind{7, 3, true, false}, Kind{260, 700, false, false},
                           Kind{301, 1300, true, true}, Kind{150, 600, true, false}})
    for (const Rank ranks : shapes::kRanks) {
      if (shapes::kSanitized && ranks != 1 && ranks != 3 && ranks != 4) continue;
      for (const PairsMethod method : {PairsMethod::dijkstra, PairsMethod::delta}) {
        distances_are_those_of_the_oracle<std::int32_t>(kind, ranks, {.method = method});
        if (!kind.negative) distances_are_those_of_the_oracle<std::uint16_t>(kind, ranks, {.method = method});
      }
    }
}

TEST_CASE("ranks agree on a search where their grid would take longer") {
  const auto input = arcs_of<std::int32_t>({300, 600, true, true}, 23);
  for (const Rank ranks : {2, 3})
    run_ranks(ranks, samples::quiet_plan(), [&](World& world) {
      const ReplicatedCsr<std::int32_t> arcs = make_arcs<std::int32_t>(ids_of(300), true, input, "sparse");
      // A thousand operations a second: by the model the grid takes hours.
      const AllPairsOptions slow{.machine = usual_machine(Element::int32, 1000)};
      const AllPairs<std::int32_t> chosen = all_pairs(world, arcs, slow);
      CHECK(chosen.report.method != "fw");
      CHECK(!chosen.report.plan);
      CHECK(chosen.distances.layout.grid.cols == 1);
      const AllPairs<std::int32_t> grid =
          all_pairs(world, arcs, {.grid = {.shape = GridShape{1, ranks}}, .machine = slow.machine});
      CHECK(grid.report.method == "fw");  // a grid was asked for
      const AllPairs<std::int32_t> forced =
          all_pairs(world, arcs, {.method = PairsMethod::floyd_warshall, .machine = slow.machine});
      CHECK(forced.report.method == "fw");
      CHECK_THROWS_WITH_AS(
          all_pairs(world, arcs, {.method = PairsMethod::delta, .grid = {.shape = GridShape{1, ranks}}}),
          doctest::Contains("a search fills whole rows of its rank"), UsageError);
    });
}

TEST_CASE("a negative cycle is rejected and named on any number of ranks") {
  for (const Rank ranks : {1, 2, 4})
    run_ranks(ranks, samples::quiet_plan(), [&](World& world) {
      std::vector<Arc<float>> input = arcs_of<float>({40, 100, true, false}, 3);
      input.push_back({10, 20, -40.0f});
      input.push_back({20, 10, 1.0f});
      const ReplicatedCsr<float> arcs = make_arcs<float>(ids_of(40), true, input, "bad");
      CHECK_THROWS_WITH_AS(all_pairs(world, arcs, {}), doctest::Contains("35 -> 65 -> 35 weighs -39"), InputError);
    });
}

TEST_CASE("the check of a row finds a wrong distance") {
  const auto input = arcs_of<std::int32_t>({60, 200, true, false}, 5);
  const ReplicatedCsr<std::int32_t> arcs = make_arcs<std::int32_t>(ids_of(60), true, input, "random");
  const ReplicatedCsr<double> read = samples::as_read(arcs), entering = read.reversed();
  const auto world = World::alone(samples::quiet_plan());
  const AllPairs<std::int32_t> all = all_pairs(*world, arcs, {});
  const auto truth = all.distances.local.view().row(4);
  for (const std::int32_t error : {-1, 1, 1000000})
    for (std::size_t v = 0; v < truth.size(); ++v) {
      std::vector<std::int32_t> row(truth.begin(), truth.end());
      row[v] = row[v] == kNoPath<std::int32_t> ? 12 : row[v] + error;
      CHECK(check_row<std::int32_t>(read, entering, Semiring::min_plus, 4, row));
    }
}

TEST_CASE("a grid of another number of ranks, or a matrix beyond memory, is rejected before any computation") {
  run_ranks(3, samples::quiet_plan(), [](World& world) {
    const ReplicatedCsr<float> arcs = make_arcs<float>(ids_of(9), true, {}, "empty");
    CHECK_THROWS_WITH_AS(all_pairs(world, arcs, {.grid = {.shape = GridShape{2, 2}}}), doctest::Contains("2 x 2"),
                         UsageError);
    const ReplicatedCsr<double> huge = make_arcs<double>(ids_of(3'000'000), true, {}, "huge");
    CHECK_THROWS_WITH_AS(all_pairs(world, huge, {}), doctest::Contains("would fit"), InputError);
  });
}

TEST_CASE("the edge list of a graph gives the same arcs on any number of ranks") {
  for (const Rank ranks : {1, 3})
    for (const bool directed : {false, true})
      run_ranks(ranks, samples::quiet_plan(), [&](World& world) {
        EdgeList edges = generate(world, "kron:6", {.weights = Weights::uniform});
        edges.directed = directed;
        EdgeList again = generate(world, "kron:6", {.weights = Weights::uniform});
        again.directed = directed;
        const Graph graph = Graph::build(world, std::move(edges), {});
        const ReplicatedCsr<double> straight = gather_arcs(world, std::move(again));
        const ReplicatedCsr<double> back = gather_arcs(world, edge_list_of(graph));
        CHECK(std::ranges::equal(straight.ids, back.ids));
        CHECK(std::ranges::equal(straight.heads, back.heads));
        CHECK(std::ranges::equal(straight.weights, back.weights));
        CHECK(back.directed == directed);
      });
}
