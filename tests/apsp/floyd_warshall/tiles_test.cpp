// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/apsp/floyd_warshall/tiles.hpp>
#include <atoll/apsp/out_of_core.hpp>
#include <atoll/apsp/store/distance_file.hpp>
#include <fstream>

#include "apsp/samples.hpp"
#include "apsp/store/distance_samples.hpp"
#include "graph/formats/files.hpp"
#include "shapes.hpp"
#include "skip.hpp"

using namespace atl;
using samples::one_thread;
using samples::refusal;

namespace {

/// Compares every pair of the file with the oracle.
template <class T>
void file_has_the_oracles_distances(const files::Folder& folder, const samples::Sample<T>& sample, std::int64_t block,
                                    int threads = 1) {
  const auto expected = reference::floyd_warshall<T>(sample.n, sample.arcs, sample.directed);
  REQUIRE(expected);
  Plan plan = one_thread();
  plan.threads = threads;
  const auto world = World::alone(plan);
  const auto in_file = [&] {
    return all_pairs_in_file(*world, sample.build(), folder / "d.tiles", {.block = block}, Existing::replace);
  };
  if (sizeof(T) == 1 && sample.name == std::string("a path longer than some types reach")) {
    CHECK_THROWS_WITH_AS(in_file(), doctest::Contains("holds lengths below"), InputError);
    return;
  }
  const AllPairsReport report = in_file();
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

TEST_CASE("distances in a file of tiles equal the oracle's for any graph and type") {
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

namespace {

template <class T>
std::int64_t wrong_values(const TileFile<T>& tiles, const Matrix<T>& expected) {
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < tiles.tiles(); ++i)
    for (std::int64_t j = 0; j < tiles.tiles(); ++j) {
      std::vector<T> values(static_cast<std::size_t>(tiles.length(i) * tiles.length(j)));
      tiles.read(i, j, values.data());
      for (std::int64_t r = 0; r < tiles.length(i); ++r)
        for (std::int64_t c = 0; c < tiles.length(j); ++c)
          wrong += values[static_cast<std::size_t>(r * tiles.length(j) + c)] !=
                   expected(i * tiles.block() + r, j * tiles.block() + c);
    }
  return wrong;
}

}  // namespace

TEST_CASE(
    "the distances do not depend on the number of tiles in memory, also for tiles deeper than the product's blocking") {
  files::Folder folder;
  for (const bool undirected : {false, true}) {
    const auto sample = samples::random_graph<float>(230, 900, !undirected, 0, 50, 3);
    const ReplicatedCsr<float> arcs = sample.build();
    const Gemm gemm({Semiring::min_plus, Element::float32_nonnegative}, GemmBlocking{0, 48, 24, 64});
    const Matrix<float> expected = sample.matrix();
    for (const std::int64_t block : {50, 100, 230})
      for (const std::int64_t frames : {2, 3, 5, 0}) {
        const auto world = World::alone(one_thread());
        TileFile<float> tiles(*world, folder / "d.tiles", 230, block, 1);
        TilesReport report;
        CHECK(!floyd_warshall_tiles<float>(gemm, world->team(), arcs, tiles,
                                           {.undirected = undirected, .frames = frames}, &report));
        CHECK(report.operations == (undirected ? 1.0 : 2.0) * 230 * 230 * 230);
        CHECK((frames > 0 || report.bytes_read == 0));
        CHECK(wrong_values(tiles, expected) == 0);
      }
  }
}

TEST_CASE("a run that ends anywhere can be resumed, with the same result") {
  files::Folder folder;
  for (const bool directed : {false, true}) {
    const auto sample = samples::random_graph<std::int32_t>(120, 500, directed, directed ? -1 : 0, 50, 4);
    const auto expected = reference::floyd_warshall<std::int32_t>(120, sample.arcs, directed);
    REQUIRE(expected);
    Matrix<std::int32_t> square(120, 120);
    for (std::int64_t i = 0; i < 120; ++i)
      std::ranges::copy((*expected)[static_cast<std::size_t>(i)], square.view().row(i).begin());
    const ReplicatedCsr<std::int32_t> arcs = sample.build();
    const Gemm gemm({Semiring::min_plus, Element::int32});
    Random random(5);
    for (int turn = 0; turn < 12; ++turn) {
      std::int64_t ends = 0, left = 0;
      for (bool stopped = true; stopped; ++ends) {
        const auto world = World::alone(one_thread());
        TileFile<std::int32_t> tiles(*world, folder / "d.tiles", 120, 32, 9);
        left = static_cast<std::int64_t>(random() % 40);
        const bool killed = random() % 2;
        TilesReport report;
        try {
          const auto cycle = floyd_warshall_tiles<std::int32_t>(
              gemm, world->team(), arcs, tiles,
              {.undirected = !directed,
               .frames = 2 + static_cast<std::int64_t>(random() % 4),
               .every_steps = 1,
               .stop =
                   [&] {
                     if (left-- > 0) return false;
                     if (killed) throw IoError("killed");  // no progress is recorded, some tiles are written
                     return true;
                   }},
              &report);
          CHECK(!cycle);
        } catch (const IoError&) {
          tiles.keep();
          continue;
        }
        stopped = report.stopped;
        if (!stopped) CHECK(wrong_values(tiles, square) == 0);
      }
      CHECK(folder.names().empty());
    }
  }
}

TEST_CASE(
    "a negative cycle is rejected and named, and leaves no file; options that out-of-core runs do not support are "
    "rejected") {
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

namespace {

/// A cycle of arcs so long; directed, the longest of its paths has all but one of them.
template <class T>
std::string out_of_core_on_a_cycle(const files::Folder& folder, bool directed, Local n, T weight, std::int64_t block) {
  std::vector<Arc<T>> arcs;
  std::vector<Vertex> ids;
  for (Local v = 0; v < n; ++v) {
    arcs.push_back({v, (v + 1) % n, weight});
    ids.push_back(10 * v);
  }
  return refusal(1, [&](World& world) {
    all_pairs_in_file(world, make_arcs<T>(ids, directed, arcs, "cycle"), folder / "d.tiles", {.block = block},
                      Existing::replace);
  });
}

}  // namespace

TEST_CASE("a path too long for its type is refused out of core, and leaves no file") {
  files::Folder folder;
  for (const std::int64_t block : {3, 16, 100}) {
    CAPTURE(block);
    CHECK(out_of_core_on_a_cycle<std::uint16_t>(folder, true, 4, 21844, block) == "nothing");
    CHECK(out_of_core_on_a_cycle<std::uint16_t>(folder, false, 8, 16383, block) == "nothing");
    CHECK(out_of_core_on_a_cycle<std::uint8_t>(folder, true, 40, 6, block) == "nothing");
    std::filesystem::remove_all(folder / "d.tiles");
    CHECK(out_of_core_on_a_cycle<std::uint16_t>(folder, true, 4, 21845, block) ==
          "cycle: a path from 0 to 30 is 65535 long (uint16 holds lengths below 65535). Use a wider type.");
    CHECK(out_of_core_on_a_cycle<std::uint16_t>(folder, false, 8, 16384, block) ==
          "cycle: a path from 0 to 40 is 65536 long (uint16 holds lengths below 65535). Use a wider type.");
    CHECK(out_of_core_on_a_cycle<std::uint8_t>(folder, true, 40, 7, block).find("is 259 long") != std::string::npos);
    CHECK(out_of_core_on_a_cycle<std::int32_t>(folder, true, 4, 400'000'000, block).find("is 1200000000 long") !=
          std::string::npos);
    CHECK(folder.names().empty());
  }
}

TEST_CASE("a disk that is full or fills up ends a run with an error that names the file, not by a signal") {
  files::Folder folder;
  const files::SmallDisk disk(folder, "400k");
  if (!disk.mounted()) return skip("a small file system needs the right to mount one");
  const auto sample = samples::random_graph<std::int32_t>(250, 900, false, 0, 50, 3);
  const auto arcs = sample.build();
  const auto message = [&](std::int64_t n, std::int64_t every) {
    return refusal(1, [&](World& world) {
      TileFile<std::int32_t> tiles(world, folder / "d.tiles", n, 64, 1);
      const auto fill_up = [&] {
        std::ofstream other(folder / "other", std::ios::binary);
        const std::vector<char> bytes(4096);
        while (other.write(bytes.data(), 4096).flush()) {
        }
        return false;
      };
      const Gemm gemm({Semiring::min_plus, Element::int32});
      floyd_warshall_tiles<std::int32_t>(gemm, world.team(), arcs, tiles,
                                         {.undirected = true, .frames = 2, .every_steps = every, .stop = fill_up});
      CHECK(wrong_values(tiles, sample.matrix()) == 0);
    });
  };
  CHECK(message(400, 1).find(" kB for the values of 400 x 400 pairs as int32 (") != std::string::npos);
  // Tiles reserve their disk space at the start; a progress record does not.
  CHECK(message(250, 1).starts_with((folder / "d.tiles.part/run.json") + ": cannot be written (No space left"));
  std::filesystem::remove(folder / "other");
  CHECK(message(250, 100) == "nothing");
}

TEST_CASE("the plan of tiles respects the memory limit, holds all tiles if possible, and leaves no small remainder") {
  const Gemm gemm({Semiring::min_plus, Element::int32});
  for (const bool undirected : {false, true})
    for (const std::int64_t n : {1, 100, 3000, 16384, 100'000})
      for (const double memory : {2e8, 7e8, 1e10, 1e12}) {
        const TilesMachine machine{.undirected = undirected, .operations_per_second = 3e11, .memory_bytes = memory};
        const TilesPlan plan = plan_tiles(gemm, n, 4, machine);
        INFO(n, undirected ? " undirected" : " directed", ", memory ", memory, ": ", plan.block, " x ", plan.frames);
        const std::int64_t side = (n + plan.block - 1) / plan.block,
                           all = undirected ? side * (side + 1) / 2 : side * side;
        CHECK(static_cast<double>(plan.memory_bytes) <= memory);
        CHECK(plan.frames >= std::min<std::int64_t>(all, 3));
        CHECK(plan.frames <= all);
        CHECK((plan.frames == all) == (plan.streamed_bytes == 0));
        if (static_cast<double>(n * n) * 4 * 1.5 < memory) CHECK(plan.frames == all);
        if (side > 1) {
          CHECK(plan.block * 4 % 64 == 0);
          CHECK(plan.block * 4 / 64 % 2 == 1);
        }
      }
  CHECK_THROWS_WITH_AS(plan_tiles(gemm, 1'000'000, 4, {.memory_bytes = 1e8}), doctest::Contains("of memory at least"),
                       InputError);
}
