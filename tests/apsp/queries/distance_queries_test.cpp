// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/apsp/paths/paths.hpp>
#include <atoll/apsp/queries/distance_queries.hpp>
#include <atoll/apsp/store/graph_of_arcs.hpp>
#include <atoll/base/error.hpp>
#include <atomic>
#include <cmath>
#include <thread>

#include "apsp/samples.hpp"
#include "apsp/store/distance_samples.hpp"
#include "graph/formats/files.hpp"

using namespace atl;

namespace {

template <class T>
void write(const std::string& path, const samples::Sample<T>& sample, const DistanceFileOptions& options = {},
           bool with_arcs = true) {
  const auto n = static_cast<std::int64_t>(sample.n);
  const Matrix<T> all = sample.matrix();
  run_ranks(1, samples::one_thread(), [&](World& world) {
    const Distances<T> d = samples::matrix<T>(0, GridLayout(n, 16, {}), [&](auto i, auto j) { return all(i, j); });
    const ReplicatedCsr<T> arcs = sample.build();
    const GraphOfArcs<T> graph(arcs);
    write_distances(world, path, d, with_arcs ? graph.graph() : DistanceGraph{.ids = arcs.ids}, options);
  });
}

DistanceQueries open(const std::string& path) { return DistanceQueries(std::make_shared<DistanceFile>(path)); }

// Every ordered pair of vertices, in an order that mixes the rows.
struct Pairs {
  std::vector<Vertex> from, to;
  explicit Pairs(const DistanceFile& file) {
    for (std::int64_t j = 0; j < file.n(); ++j)
      for (std::int64_t i = 0; i < file.n(); ++i) {
        from.push_back(file.id_of(i * 7 % file.n()));
        to.push_back(file.id_of(j));
      }
  }
};

}  // namespace

TEST_CASE_TEMPLATE("a file is asked in bulk as it is one by one", T, float, double, std::int32_t, std::uint16_t,
                   std::uint8_t) {
  const files::Folder folder;
  for (const bool directed : {false, true}) {
    const auto sample = samples::random_graph<T>(37, 50, directed, 1, 9, 3);  // 37 has no factor 7
    const ReplicatedCsr<T> arcs = sample.build();
    const PathFinder<T> finder(arcs);
    const Matrix<T> d = sample.matrix();
    for (const std::string name : {"d.npy", "d.tiles", "d.zarr"}) {
      CAPTURE(name);
      write<T>(folder / name, sample, {.scale = 0.5, .existing = Existing::replace});
      const DistanceQueries queries = open(folder / name);
      const DistanceFile& file = *queries.file();
      const Pairs pairs(file);
      for (const int threads : {1, 3}) {
        Team team(threads);
        const auto apart = queries.distances(team, pairs.from, pairs.to);
        const auto paths = queries.paths(team, pairs.from, pairs.to);
        const auto hops = queries.next_hops(team, pairs.from, pairs.to);
        REQUIRE(paths.offsets.size() == pairs.from.size() + 1);
        for (std::size_t i = 0; i < pairs.from.size(); ++i) {
          const Vertex u = pairs.from[i], v = pairs.to[i];
          CHECK(apart[i] == file.distance(u, v));
          const std::span<const Vertex> path(paths.vertices.data() + paths.offsets[i],
                                             paths.vertices.data() + paths.offsets[i + 1]);
          if (threads == 1) CHECK(std::ranges::equal(path, queries.path(u, v)));
          CHECK(path.empty() == std::isinf(apart[i]));
          CHECK(hops[i] == (path.size() < 2 ? -1 : path[1]));
          if (path.empty()) continue;
          CHECK(path.front() == u);
          CHECK(path.back() == v);
          std::vector<Local> rows;
          for (const Vertex x : path) rows.push_back(static_cast<Local>(file.index_of(x)));
          CHECK(0.5 * static_cast<double>(finder.length(rows)) == apart[i]);
        }
      }
    }
    const DistanceQueries queries = open(folder / "d.npy");
    for (Local v = 0; v < arcs.vertices(); ++v) {
      const auto near = queries.neighbors(arcs.ids[static_cast<std::size_t>(v)]);
      REQUIRE(near.ids.size() == arcs.heads_of(v).size());
      for (std::size_t k = 0; k < near.ids.size(); ++k) {
        CHECK(near.ids[k] == arcs.ids[static_cast<std::size_t>(arcs.heads_of(v)[k])]);
        CHECK(near.lengths[k] == 0.5 * static_cast<double>(arcs.weights_of(v)[k]));
      }
    }
    for (Local v = 1; v < arcs.vertices(); ++v) {
      const auto best = queries.k_best(10, arcs.ids[static_cast<std::size_t>(v)], 4);
      const auto want = finder.k_best(0, v, 4, d.view().row(0));
      CHECK(best.is_complete);
      REQUIRE(best.paths.size() == want.size());
      for (std::size_t k = 0; k < want.size(); ++k)
        CHECK(best.paths[k].length == 0.5 * static_cast<double>(want[k].length));
    }
  }
}

TEST_CASE("a limit of time leaves the shortest paths that were found, and says so") {
  const files::Folder folder;
  write<std::int32_t>(folder / "d.npy", samples::random_graph<std::int32_t>(60, 400, false, 1, 9, 5));
  const DistanceQueries queries = open(folder / "d.npy");
  const auto none = queries.k_best(10, 13, 5, {.limit_s = 0});
  CHECK(!none.is_complete);
  CHECK(none.paths.empty());
  const auto all = queries.k_best(10, 13, 2000);
  CHECK(all.is_complete);
  const auto some = queries.k_best(10, 13, 1'000'000'000, {.limit_s = 0.02});
  CHECK(!some.is_complete);
  for (std::size_t k = 0; k < std::min(some.paths.size(), all.paths.size()); ++k)
    CHECK(some.paths[k].length == all.paths[k].length);
  int asked = 0;
  CHECK_THROWS_AS(queries.k_best(10, 13, 1'000'000'000,
                                 {.ask =
                                      [&] {
                                        if (++asked == 100) throw UsageError("enough");
                                      }}),
                  UsageError);
  CHECK(asked == 100);
}

TEST_CASE("the next best paths are refused where an arc's length is not of the distances' type") {
  const files::Folder folder;
  const samples::Sample<float> sample{"fine", 3, true, {{0, 1, 1}, {1, 2, 1}, {0, 2, 2.5}}};
  write<float>(folder / "fine.npy", sample);
  write<float>(folder / "whole.npy", sample, {.element = Element::uint16});
  const DistanceQueries fine = open(folder / "fine.npy"), whole = open(folder / "whole.npy");
  CHECK(fine.k_best(10, 16, 5).paths.size() == 2);
  CHECK(whole.path(10, 16) == std::vector<Vertex>{10, 13, 16});
  CHECK(whole.k_best(10, 16, 1).paths.size() == 1);
  CHECK_THROWS_WITH_AS(whole.k_best(10, 16, 2),
                       doctest::Contains("1 of the arcs are longer or finer than uint16 holds"), InputError);
}

TEST_CASE("several threads may ask at once, also for the first path") {
  const files::Folder folder;
  write<float>(folder / "d.tiles", samples::random_graph<float>(37, 90, true, 1, 9, 3));
  const DistanceQueries queries = open(folder / "d.tiles");
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::int64_t i = 0; i < 37; ++i) {
        const Vertex u = queries.file()->id_of((i * 5 + t) % 37), v = queries.file()->id_of(i);
        const auto path = queries.path(u, v);
        wrong += path.empty() != std::isinf(queries.file()->distance(u, v));
        const auto best = queries.k_best(u, v, 2).paths;
        wrong += best.empty() != path.empty();
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("questions that a file has no answer to are refused by name") {
  const files::Folder folder;
  const auto sample = samples::random_graph<std::int32_t>(9, 20, false, 1, 9, 1);
  write<std::int32_t>(folder / "d.npy", sample);
  write<std::int32_t>(folder / "bare.npy", sample, {}, false);
  write<std::int32_t>(folder / "widest.npy", sample, {.semiring = Semiring::max_min});
  Team team(2);
  const std::vector<Vertex> known{10, 13}, unknown{10, 11}, one{10};
  const DistanceQueries queries = open(folder / "d.npy");
  CHECK_THROWS_AS(queries.path(10, 11), InputError);
  CHECK_THROWS_AS(queries.neighbors(11), InputError);
  CHECK_THROWS_AS(queries.k_best(10, 13, 0), InputError);
  CHECK_THROWS_AS(queries.distances(team, known, unknown), InputError);
  CHECK_THROWS_AS(queries.paths(team, unknown, known), InputError);
  CHECK_THROWS_AS(queries.next_hops(team, known, unknown), InputError);
  CHECK_THROWS_AS(queries.distances(team, known, one), UsageError);
  CHECK_THROWS_AS(queries.paths(team, one, known), UsageError);
  CHECK(queries.paths(team, {}, {}).offsets == std::vector<Edge>{0});
  const DistanceQueries bare = open(folder / "bare.npy"), widest = open(folder / "widest.npy");
  CHECK_THROWS_WITH_AS(bare.path(10, 13), doctest::Contains("was written without arcs"), InputError);
  CHECK_THROWS_WITH_AS(bare.path(10, 13), doctest::Contains("was written without arcs"), InputError);  // again
  CHECK_THROWS_WITH_AS(bare.neighbors(10), doctest::Contains("was written without arcs"), InputError);
  CHECK_THROWS_WITH_AS(widest.path(10, 13), doctest::Contains("holds max_min"), InputError);
  CHECK(widest.distances(team, known, known).size() == 2);
}
