// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <sys/mount.h>

#include <atoll/apsp/distance_file.hpp>
#include <atoll/apsp/mapped_tiles.hpp>

#include "apsp/distance_samples.hpp"
#include "graph/files.hpp"

using namespace atl;
using samples::one_thread;
using samples::refusal;
using samples::value_at;

namespace {

template <class T>
void fill_and_read(const files::Folder& folder, const ProcessGrid& grid, std::int64_t n, std::int64_t block) {
  std::vector<Vertex> ids(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) ids[static_cast<std::size_t>(i)] = 7 * i + 3;
  run_ranks(grid.size(), one_thread(), [&](World& world) {
    auto tiles = MappedTiles<T>::create(world, folder / "d.tiles", n, block);
    const GridLayout layout(n, tiles.block(), grid);
    for (std::int64_t i = 0; i < tiles.tiles(); ++i)
      for (std::int64_t j = 0; j < tiles.tiles(); ++j) {
        if (layout.owner(i * tiles.block(), j * tiles.block()) != world.rank()) continue;
        const MatrixView<T> tile = tiles.tile(i, j);
        CHECK(reinterpret_cast<std::uintptr_t>(tile.data) % TileOrder::kAlign == 0);
        for (std::int64_t r = 0; r < tile.rows; ++r)
          for (std::int64_t c = 0; c < tile.cols; ++c)
            tile(r, c) = value_at<T>(i * tiles.block() + r, j * tiles.block() + c);
        tiles.flush(i, j);
        tiles.release(i, j);
      }
    world.barrier();
    if (world.rank() == 0) CHECK(!std::filesystem::exists(folder / "d.tiles"));
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      if (i % block == 0) tiles.prefetch(i / tiles.block(), 0);
      for (std::int64_t j = 0; j < n; ++j) wrong += tiles(i, j) != value_at<T>(i, j);
    }
    CHECK(wrong == 0);
    tiles.commit({.ids = ids}, {.scale = 0.5});
    CHECK(tiles(n - 1, 0) == value_at<T>(n - 1, 0));
  });
  CHECK(folder.names() == std::vector<std::string>{"d.tiles"});
  const DistanceFile file(folder / "d.tiles");
  CHECK(file.element() == kElementOf<T>);
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      const double apart = file.distance(7 * i + 3, 7 * j + 3);
      wrong += value_at<T>(i, j) == kNoPath<T> ? apart < 1e300 : apart != static_cast<double>(value_at<T>(i, j)) / 2;
    }
  CHECK(wrong == 0);
  std::filesystem::remove_all(folder / "d.tiles");
}

}  // namespace

TEST_CASE("a matrix in a file is written by all ranks and becomes a file of distances") {
  files::Folder folder;
  for (const ProcessGrid& grid : samples::kGrids)
    for (const auto& [n, block] : {std::pair<std::int64_t, std::int64_t>{1, 8}, {13, 4}, {70, 33}, {64, 32}})
      fill_and_read<float>(folder, grid, n, block);
  fill_and_read<double>(folder, {2, 2}, 37, 8);
  fill_and_read<std::int32_t>(folder, {2, 2}, 37, 8);
  fill_and_read<std::uint16_t>(folder, {2, 2}, 37, 8);
  fill_and_read<std::uint8_t>(folder, {2, 2}, 37, 8);
}

TEST_CASE("a matrix that is given up leaves nothing; one for which there is no room is refused before") {
  files::Folder folder;
  run_ranks(3, one_thread(), [&](World& world) {
    const auto tiles = MappedTiles<float>::create(world, folder / "d.tiles", 50, 16);
    tiles.tile(0, 0)(0, 0) = 1;
  });
  CHECK(folder.names().empty());
  CHECK(refusal(2, [&](World& world) { MappedTiles<float>::create(world, folder / "d.npy", 5, 2); }) ==
        (folder / "d.npy") + ": its ending is not .tiles (a matrix that is worked on in a file is one). Add it.");
  CHECK(refusal(2, [&](World& world) {
          MappedTiles<float>::create(world, folder / "d.tiles", 0, 2);
        }).find("0 rows in blocks of 2") != std::string::npos);
  CHECK(refusal(2, [&](World& world) {
          MappedTiles<double>::create(world, folder / "d.tiles", 1 << 24, 2048);
        }).find(": needs 2251.8 TB for the values of 16777216 x 16777216 pairs as float64") != std::string::npos);
}
