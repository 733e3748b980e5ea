// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/apsp/distance_file.hpp>
#include <atoll/apsp/floyd_warshall_tiles.hpp>
#include <atoll/apsp/out_of_core.hpp>

#include "apsp/distance_samples.hpp"
#include "apsp/samples.hpp"
#include "graph/files.hpp"
#include "shapes.hpp"

using namespace atl;
using samples::one_thread;
using samples::refusal;

namespace {

/// Every pair of the file against the oracle.
template <class T>
void file_has_the_oracles_distances(const files::Folder& folder, const samples::Sample<T>& sample, std::int64_t block,
                                    int threads = 1) {
  const auto expected = reference::floyd_warshall<T>(sample.n, sample.arcs, sample.directed);
  REQUIRE(expected);
  Plan plan = one_thread();
  plan.threads = threads;
  const auto world = World::alone(plan);
  const AllPairsReport report =
      all_pairs_in_file(*world, sample.build(), folder / "d.tiles", {.block = block}, Existing::replace);
  const DistanceFile file(folder / "d.tiles");
  const auto n = static_cast<std::int64_t>(sample.n);
  CHECK(report.steps == (n + report.block - 1) / report.block);
  CHECK(file.element() == kElementOf<T>);
  std::int64_t wrong = 0;
  std::vector<T> row(sample.n);
  for (std::int64_t i = 0; i < n; ++i) {
    file.read_row(i, row.data());
    wrong += row != (*expected)[static_cast<std::size_t>(i)];
  }
  INFO(sample.name, sample.directed ? " directed" : " undirected", ", block ", block, ", bytes a value ", sizeof(T));
  CHECK(wrong == 0);
}

template <class T>
void all_samples(const files::Folder& folder) {
  for (const samples::Sample<T>& sample : samples::all<T>())
    for (const std::int64_t block : {7, 32}) file_has_the_oracles_distances<T>(folder, sample, block);
}

}  // namespace

TEST_CASE("in a file of tiles: the oracle's distances, whatever the graph and the type") {
  files::Folder folder;
  all_samples<std::int32_t>(folder);
  if (shapes::kSanitized) return;
  all_samples<float>(folder);
  all_samples<std::uint16_t>(folder);
  all_samples<double>(folder);
  all_samples<std::uint8_t>(folder);
}

TEST_CASE("every number of vertices, every remainder of the tiles, one to many of them; any number of threads") {
  files::Folder folder;
  for (std::size_t n = 1; n <= 150; n += n < 40 ? 1 : 11)
    for (const bool directed : {false, true})
      for (const std::int64_t block : {5, 16, 48, 1000})
        file_has_the_oracles_distances(folder, samples::random_graph<std::int32_t>(n, 4 * n, directed, 0, 50, n), block,
                                       n % 3 == 0 ? 3 : 1);
}

TEST_CASE("tiles that stream and tiles that stay come to the same, deeper than the product's blocking") {
  files::Folder folder;
  for (const bool undirected : {false, true}) {
    const auto sample = samples::random_graph<float>(230, 900, !undirected, 0, 50, 3);
    const Arcs<float> arcs = sample.build();
    const Gemm gemm({Semiring::min_plus, Element::float32_nonnegative}, GemmBlocking{0, 48, 24, 64});
    const Matrix<float> expected = sample.matrix();
    for (const bool streams : {false, true}) {
      const auto world = World::alone(one_thread());
      auto tiles = MappedTiles<float>::create(*world, folder / "d.tiles", 230, 100);
      const TilesOptions options{.undirected = undirected, .streams = streams};
      fill_tiles(world->team(), arcs, tiles, options);
      FloydWarshallReport report;
      CHECK(!floyd_warshall_tiles<float>(gemm, world->team(), tiles, options, &report));
      CHECK(report.operations == (undirected ? 1.0 : 2.0) * 230 * 230 * 230);
      std::int64_t wrong = 0;
      for (std::int64_t i = 0; i < 230; ++i)
        for (std::int64_t j = 0; j < 230; ++j) wrong += tiles(i, j) != expected(i, j);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("a negative cycle is refused by name, and nothing is left; what cannot be out of core is said") {
  files::Folder folder;
  auto sample = samples::random_graph<float>(40, 100, true, 0, 30, 3);
  sample.arcs.push_back({10, 20, -40.0F});
  sample.arcs.push_back({20, 10, 1.0F});
  const auto message = [&](Rank ranks, const std::string& name, const AllPairsOptions& options) {
    return refusal(ranks, [&](World& world) { all_pairs_in_file(world, sample.build(), folder / name, options); });
  };
  CHECK(message(1, "d.tiles", {.block = 16}).find("40 -> 70 -> 40 weighs -39") != std::string::npos);
  CHECK(folder.names().empty());
  CHECK(message(2, "d.tiles", {}) ==
        "out of core on 2 ranks (one rank works on the file, with all its threads). Leave out --ranks.");
  CHECK(message(1, "d.npy", {}).find("Give --output a name that ends in .tiles.") != std::string::npos);
  CHECK(message(1, "d.tiles", {.method = PairsMethod::dijkstra}).find("--method dijkstra out of core") == 0);
  CHECK(message(1, "d.tiles", {.checkpoint = {.folder = "run", .run = {}}}).find("a checkpoint in run") == 0);
}

TEST_CASE("the tiles' side hides the disk where memory allows, fits in memory, and leaves no small remainder") {
  for (const std::size_t bytes : {1, 2, 4, 8})
    for (const std::int64_t n : {1, 100, 3000, 16384, 100'000, 1'000'000})
      for (const double memory : {1e8, 1e9, 1e11}) {
        const std::int64_t b = streamed_block(n, bytes, 3e11, memory);
        const auto rows = static_cast<double>(n), side = static_cast<double>(b), w = static_cast<double>(bytes);
        INFO(n, " values of ", bytes, " bytes, memory ", memory, ": ", b);
        REQUIRE(b >= 1);
        CHECK(b <= std::max<std::int64_t>(n, 2 * 192));
        const std::int64_t tiles = (n + b - 1) / b;
        if (tiles == 1) continue;
        CHECK(b * static_cast<std::int64_t>(bytes) % 64 == 0);
        CHECK(b * static_cast<std::int64_t>(bytes) / 64 % 2 == 1);
        if (b > 4 * 192) CHECK((rows * side + 8 * side * side) * w <= memory);
        if (memory == 1e11 && n <= 100'000) CHECK(side >= 0.5 * 3e11 * w / 4e8);
      }
}
