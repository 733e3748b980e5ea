// SPDX-License-Identifier: Apache-2.0
// Files of distances of which bytes were changed, cut off or left out: refused by name, or the answer is right.
#include <doctest/doctest.h>

#include <atoll/apsp/store/distance_file.hpp>
#include <atoll/apsp/store/tile_file.hpp>
#include <nlohmann/json.hpp>

#include "distance_samples.hpp"
#include "graph/formats/files.hpp"

using namespace atl;
using samples::matrix;
using samples::one_thread;
using samples::value_at;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kSide = 11, kTile = 4;

struct Arcs {
  std::vector<Vertex> ids;
  std::vector<Edge> offsets{0};
  std::vector<Local> targets;
  std::vector<float> lengths;

  Arcs() {
    for (std::int64_t i = 0; i < kSide; ++i) {
      ids.push_back(100 + 3 * i);
      targets.push_back(static_cast<Local>((i + 1) % kSide));
      lengths.push_back(static_cast<float>(i) / 4);
      offsets.push_back(std::ssize(targets));
    }
  }
  DistanceGraph graph() const { return {ids, offsets, targets, std::span(lengths)}; }
};

void write_all(const files::Folder& folder) {
  run_ranks(4, one_thread(), [&](World& world) {
    const Arcs arcs;
    const auto d = matrix<float>(world.rank(), GridLayout(kSide, kTile, {2, 2}),
                                 [](auto i, auto j) { return value_at<float>(i, j); });
    const DistanceGraph graph = world.rank() == 0 ? arcs.graph() : DistanceGraph{};
    for (const char* name : {"d.npy", "d.tiles", "d.zarr"}) write_distances(world, folder / name, d, graph);
    write_distances(world, folder / "packed.zarr", d, graph, {.zstd_level = 1});
  });
}

// "right", "wrong", or the refusal, of all that can be asked.
std::string answer(const std::string& path) {
  try {
    const DistanceFile file(path);
    const Arcs arcs;
    if (file.n() != kSide || file.element() != Element::float32 || file.meta().scale != 1) return "wrong";
    const DistanceGraph graph = file.graph();
    if (!std::ranges::equal(graph.ids, arcs.ids) || !std::ranges::equal(graph.offsets, arcs.offsets) ||
        !std::ranges::equal(graph.targets, arcs.targets) ||
        !std::ranges::equal(std::get<std::span<const float>>(graph.lengths), arcs.lengths) || !graph.directed)
      return "wrong";
    std::vector<float> row(kSide);
    for (std::int64_t i = 0; i < kSide; ++i) {
      file.read_row(i, row.data());
      for (std::int64_t j = 0; j < kSide; ++j)
        if (row[static_cast<std::size_t>(j)] != value_at<float>(i, j)) return "wrong";
    }
    return "right";
  } catch (const Error& e) {
    return e.what();
  }
}

std::vector<std::string> files_below(const std::string& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(path))
    if (entry.is_regular_file()) out.push_back(entry.path().string());
  std::ranges::sort(out);
  return out;
}

}  // namespace

TEST_CASE("a byte that was changed anywhere in a file of distances is refused by name, or changes no answer") {
  files::Folder folder;
  write_all(folder);
  for (const char* name : {"d.npy", "d.tiles", "d.zarr", "packed.zarr"}) {
    CHECK(answer(folder / name) == "right");
    int refused = 0, right = 0;
    for (const std::string& part : files_below(folder / name)) {
      const std::string whole = files::content(part);
      for (std::size_t at = 0; at < whole.size(); at += 7) {
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ (at % 2 == 0 ? 0x01 : 0x5a));
        files::write(part, changed);
        const std::string said = answer(folder / name);
        const bool named = said.starts_with(folder / name);
        named ? ++refused : ++right;
        CAPTURE(part);
        CAPTURE(at);
        CAPTURE(said);
        CHECK((named || said == "right"));
      }
      files::write(part, whole);
    }
    CHECK(refused > 100);
    CHECK(right > 0);  // blanks, fill values, the ends of pages
  }
}

TEST_CASE("a file of distances that was cut off anywhere says so by name, and a folder what is missing") {
  files::Folder folder;
  write_all(folder);
  const std::string npy = files::content(folder / "d.npy");
  for (std::size_t size = 0; size < npy.size(); ++size) {
    files::write(folder / "d.npy", npy.substr(0, size));
    CAPTURE(size);
    const std::string said = answer(folder / "d.npy");
    CHECK(said.starts_with(folder / "d.npy"));
  }
  files::write(folder / "d.npy", npy.substr(0, 192 + kSide * kSide * sizeof(float)));  // the matrix alone
  CHECK(answer(folder / "d.npy") ==
        (folder / "d.npy") +
            ": ends behind the matrix (its header says that metadata follow). It is cut off; get it again.");
  for (const char* name : {"d.tiles", "d.zarr", "packed.zarr"})
    for (const std::string& part : files_below(folder / name)) {
      CAPTURE(part);
      const std::string whole = files::content(part);
      for (const std::size_t size : {std::size_t{0}, std::size_t{1}, whole.size() / 2, whole.size() - 2}) {
        files::write(part, whole.substr(0, size));
        const std::string said = answer(folder / name);
        CAPTURE(said);
        CHECK((said.starts_with(folder / name) || (said == "right" && part.ends_with(".zarray"))));
      }
      fs::remove(part);
      const std::string said = answer(folder / name);
      const bool unread = part.ends_with("/.zarray") && part.find("/distance/") == std::string::npos;
      CAPTURE(said);
      CHECK(
          (unread ? said == "right" : said.find("incomplete") != std::string::npos && said.starts_with(folder / name)));
      files::write(part, whole);
    }
}

TEST_CASE("the refusal names the tile, and only those who ask for it are refused") {
  files::Folder folder;
  write_all(folder);
  const std::string path = folder / "d.tiles";
  std::string tiles = files::content(path + "/tiles.bin");
  const std::size_t at = TileOrder(kSide, kTile, sizeof(float)).begin_of(1, 2) + 3 * 2 * sizeof(float);  // of row 6
  tiles[at] = static_cast<char>(tiles[at] ^ 1);
  files::write(path + "/tiles.bin", tiles);
  const DistanceFile file(path);
  const std::string refusal =
      path +
      "/tiles.bin: tile (1, 2) is damaged (the checksum of its values of row 6 is another). Get "
      "the file again, or compute it anew.";
  CHECK(file.value(5, 8) == value_at<float>(5, 8));
  CHECK(file.value(6, 7) == value_at<float>(6, 7));
  for (int twice = 0; twice < 2; ++twice) CHECK_THROWS_WITH_AS(file.value(6, 8), refusal.c_str(), InputError);
  CHECK_THROWS_WITH_AS(file.tile<float>(1, 2), refusal.c_str(), InputError);
  CHECK_THROWS_WITH_AS(file.check_all(), refusal.c_str(), InputError);
  std::vector<float> row(kSide);
  CHECK_THROWS_WITH_AS(file.read_row(6, row.data()), refusal.c_str(), InputError);
  file.read_row(5, row.data());
}

TEST_CASE("tiles that changed places are refused") {
  files::Folder folder;
  write_all(folder);
  for (const char* name : {"d.zarr", "packed.zarr"}) {
    fs::rename(folder / name + std::string("/distance/0.1"), folder / "kept");
    fs::rename(folder / name + std::string("/distance/1.0"), folder / name + std::string("/distance/0.1"));
    fs::rename(folder / "kept", folder / name + std::string("/distance/1.0"));
    CHECK(answer(folder / name).find(": tile (0, 1) is damaged") != std::string::npos);
  }
}

TEST_CASE("files of earlier programs, without checksums, open") {
  files::Folder folder;
  write_all(folder);
  const std::string meta = folder / "d.tiles/meta.json";
  nlohmann::json old = nlohmann::json::parse(files::content(meta));
  CHECK(DistanceFile(folder / "d.tiles").has_checksums());
  CHECK(DistanceFile(folder / "d.tiles").checksums().size() == kSide * 3);
  old.erase("checksums");
  old.erase("checksum");
  files::write(meta, old.dump());
  fs::remove(folder / "d.tiles/checksums.npy");
  CHECK(answer(folder / "d.tiles") == "right");
  const DistanceFile file(folder / "d.tiles");
  CHECK(!file.has_checksums());
  CHECK(file.checksums().empty());
  file.check_all();
}

TEST_CASE("a matrix that was worked on in a file has the checksums of what was written last") {
  files::Folder folder;
  run_ranks(1, one_thread(), [&](World& world) {
    TileFile<float> tiles(world, folder / "d.tiles", 5, 2, 1);
    std::vector<float> values(4);
    for (const float value : {1.0f, 2.0f})
      for (std::int64_t i = 0; i < tiles.tiles(); ++i)
        for (std::int64_t j = 0; j < tiles.tiles(); ++j) {
          std::ranges::fill(values, value);
          tiles.write(i, j, values.data());
        }
    tiles.note(3);
    tiles.commit();
  });
  const DistanceFile file(folder / "d.tiles");
  CHECK(file.has_checksums());
  file.check_all();
  CHECK(file.value(4, 4) == 2);
}
