// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/apsp/store/distance_file.hpp>
#include <atoll/apsp/store/tile_cache.hpp>
#include <atoll/apsp/store/tile_file.hpp>

#include "distance_samples.hpp"
#include "graph/formats/files.hpp"

using namespace atl;
using samples::one_thread;
using samples::refusal;
using samples::value_at;

namespace {

template <class T>
void fill(TileFile<T>& tiles) {
  for (std::int64_t i = 0; i < tiles.tiles(); ++i)
    for (std::int64_t j = 0; j < tiles.tiles(); ++j) {
      std::vector<T> values;
      for (std::int64_t r = 0; r < tiles.length(i); ++r)
        for (std::int64_t c = 0; c < tiles.length(j); ++c)
          values.push_back(value_at<T>(i * tiles.block() + r, j * tiles.block() + c));
      tiles.write(i, j, values.data());
      std::vector<T> again(values.size());
      tiles.read(i, j, again.data());
      CHECK(again == values);
    }
}

template <class T>
void fill_and_read(const files::Folder& folder, std::int64_t n, std::int64_t block) {
  std::vector<Vertex> ids(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) ids[static_cast<std::size_t>(i)] = 7 * i + 3;
  const auto world = World::alone(one_thread());
  TileFile<T> tiles(*world, folder / "d.tiles", n, block, 1);
  fill(tiles);
  CHECK(!std::filesystem::exists(folder / "d.tiles"));
  tiles.commit({.ids = ids}, {.scale = 0.5});
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

TEST_CASE("a matrix in a file of tiles becomes a file of distances") {
  files::Folder folder;
  for (const auto& [n, block] : {std::pair<std::int64_t, std::int64_t>{1, 8}, {13, 4}, {70, 33}, {64, 32}})
    fill_and_read<float>(folder, n, block);
  fill_and_read<double>(folder, 37, 8);
  fill_and_read<std::int32_t>(folder, 37, 8);
  fill_and_read<std::uint16_t>(folder, 37, 8);
  fill_and_read<std::uint8_t>(folder, 37, 8);
}

TEST_CASE("an abandoned matrix leaves no file; one that does not fit on the disk is rejected first") {
  files::Folder folder;
  const auto world = World::alone(one_thread());
  {
    TileFile<float> tiles(*world, folder / "d.tiles", 50, 16, 1);
    fill(tiles);
    CHECK(refusal(1, [&](World& other) {
            TileFile<float>(other, folder / "d.tiles", 50, 16, 1);
          }).find("another run works in") != std::string::npos);
  }
  CHECK(folder.names().empty());
  const auto refused = [&](const std::string& name, std::int64_t n) {
    return refusal(1, [&](World& other) { TileFile<double>(other, folder / name, n, 2048, 1); });
  };
  CHECK(refused("d.npy", 5) ==
        (folder / "d.npy") + ": its ending is not .tiles (a matrix that is worked on in a file is one). Add it.");
  CHECK(refused("d.tiles", 0).find("0 rows in blocks of 2048") != std::string::npos);
  CHECK(refused("d.tiles", 1 << 24).find(": needs 2.3 PB for the values of 16777216 x 16777216 pairs as float64") !=
        std::string::npos);
  CHECK(folder.names().empty());
}

TEST_CASE("recorded progress is resumed, only by the same run") {
  files::Folder folder;
  const auto world = World::alone(one_thread());
  {
    TileFile<float> tiles(*world, folder / "d.tiles", 50, 16, 1);
    fill(tiles);
    tiles.keep();  // as after a kill before any progress was recorded
  }
  {
    TileFile<float> tiles(*world, folder / "d.tiles", 50, 16, 1);
    CHECK(tiles.next_step() == 0);
    fill(tiles);
    tiles.note(2);
    tiles.keep();
    folder.write("d.tiles.part/run.json.1-0.part", "{");  // as where it is killed while it notes
  }
  CHECK(refusal(1, [&](World& other) {
          TileFile<float>(other, folder / "d.tiles", 50, 16, 2);
        }).find("is of another run") != std::string::npos);
  CHECK(refusal(1, [&](World& other) {
          TileFile<std::int32_t>(other, folder / "d.tiles", 50, 16, 1);
        }).find("is of another run") != std::string::npos);
  {
    TileFile<float> tiles(*world, folder / "d.tiles", 50, 20, 1);
    CHECK(tiles.next_step() == 2);
    CHECK(tiles.block() == 16);
    std::vector<float> values(16 * 16);
    tiles.read(1, 2, values.data());
    CHECK(values[17] == value_at<float>(17, 33));
    tiles.commit();
  }
  CHECK(folder.names() == std::vector<std::string>{"d.tiles"});
  CHECK(!std::filesystem::exists(folder / "d.tiles/run.json.1-0.part"));
}

TEST_CASE("with few frames tiles keep their changes, and are evicted as rarely as possible") {
  for (const std::size_t frames : {2, 3, 5, 8}) {
    constexpr std::size_t kTiles = 8, kPasses = 6;
    std::vector<std::uint32_t> order;
    for (std::size_t pass = 0; pass < kPasses; ++pass)
      for (std::uint32_t t = 0; t < kTiles; ++t) order.push_back(t);
    std::vector<int> disk(kTiles, 0), last(kTiles, 0);
    TileCache<std::int32_t> cache(kTiles, 10, frames, order,
                                  {.load = [&](std::size_t t, std::int32_t* to) { *to = disk[t]; },
                                   .store =
                                       [&](std::size_t t, std::int32_t* from, bool is_last) {
                                         disk[t] = *from;
                                         last[t] += is_last;
                                       }});
    for (std::size_t use = 0; use < order.size(); ++use) {
      std::int32_t* const tile = cache.next();
      CHECK(cache.is_last() == (use >= order.size() - kTiles));
      CHECK(*tile == static_cast<std::int32_t>(use / kTiles));
      ++*tile;
      if (use == 13) {
        cache.flush();
        for (std::size_t t = 0; t < kTiles; ++t) CHECK(disk[t] == (t < 6 ? 2 : 1));
      }
    }
    cache.finish();
    CHECK(disk == std::vector<int>(kTiles, kPasses));
    CHECK(last == std::vector<int>(kTiles, 1));
    // Some frames hold the current tile and the prefetched ones.
    const std::size_t streamed = std::min(kTiles, kTiles - frames + 1 + cache.kAhead);
    CHECK(cache.transfers().loaded <= kTiles + (kPasses - 1) * streamed);
    if (frames == kTiles) CHECK(cache.transfers().loaded == kTiles);
  }
}

TEST_CASE("disk errors are thrown to the caller, and nothing hangs") {
  for (const std::size_t fails_at : {0, 3, 7, 100})
    for (const bool storing : {false, true}) {
      std::vector<std::uint32_t> order;
      for (std::uint32_t use = 0; use < 40; ++use) order.push_back(use % 5);
      std::size_t done = 0;
      const auto disk = [&](bool stores) {
        if (stores == storing && done++ == fails_at) throw IoError("a full disk");
      };
      const auto run = [&] {
        TileCache<float> cache(5, 4, 2, order,
                               {.load = [&](std::size_t, float*) { disk(false); },
                                .store = [&](std::size_t, float*, bool) { disk(true); }});
        for (std::size_t use = 0; use < order.size(); ++use) cache.next();
        cache.finish();
      };
      if (fails_at == 100) {
        CHECK_NOTHROW(run());
      } else {
        CHECK_THROWS_WITH_AS(run(), "a full disk", IoError);
      }
    }
}
