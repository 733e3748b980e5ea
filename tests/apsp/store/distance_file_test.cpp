// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/apsp/store/distance_file.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "distance_samples.hpp"
#include "graph/formats/files.hpp"
#include "skip.hpp"

using namespace atl;
using samples::kGrids;
using samples::matrix;
using samples::one_thread;
using samples::refusal;
using samples::value_at;

namespace {

struct Sides {
  std::vector<Vertex> ids;
  std::vector<Edge> offsets{0};
  std::vector<Local> targets;
  std::vector<float> lengths;

  explicit Sides(std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) {
      ids.push_back(10 + 1000000000000 * i);
      for (std::int64_t k = 0; k < i % 3 && n > 1; ++k) {
        targets.push_back(static_cast<Local>((i + k + 1) % n));
        lengths.push_back(static_cast<float>(i) / 8);
      }
      offsets.push_back(std::ssize(targets));
    }
  }
  DistanceGraph graph() const { return {ids, offsets, targets, std::span(lengths)}; }
};

// Checks every query of the file against the value of its position.
template <class T>
void check_file(const std::string& path, std::int64_t n, const Sides* sides) {
  const DistanceFile file(path);
  REQUIRE(file.n() == n);
  REQUIRE(file.element() == kElementOf<T>);
  const std::int64_t b = file.meta().block;
  std::vector<T> row(static_cast<std::size_t>(n));
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    file.read_row(i, row.data());
    for (std::int64_t j = 0; j < n; ++j) {
      const T want = value_at<T>(i, j);
      wrong += row[static_cast<std::size_t>(j)] != want;
      wrong += file.tile<T>(i / b, j / b).view(i % b, j % b) != want;
      const double apart = file.distance(file.id_of(i), file.id_of(j));
      wrong += want == kNoPath<T> ? !std::isinf(apart) : apart != static_cast<double>(want);
      if (const auto* view = static_cast<const T*>(file.row_view(i))) wrong += view[j] != want;
    }
  }
  CHECK(wrong == 0);
  CHECK((file.row_view(0) != nullptr) == (file.format() == StorageFormat::npy));
  CHECK(file.has_arcs() == (sides != nullptr));
  if (!sides) return;
  const DistanceGraph graph = file.graph();
  CHECK(std::ranges::equal(graph.ids, sides->ids));
  CHECK(std::ranges::equal(graph.offsets, sides->offsets));
  CHECK(std::ranges::equal(graph.targets, sides->targets));
  CHECK(std::ranges::equal(std::get<std::span<const float>>(graph.lengths), sides->lengths));
  CHECK(file.index_of(sides->ids.back()) == n - 1);
  CHECK_THROWS_AS(file.index_of(11), InputError);
}

template <class T>
void round_trips(const files::Folder& folder, const ProcessGrid& grid, std::int64_t n, std::int64_t block) {
  const Sides sides(n);
  run_ranks(grid.size(), one_thread(), [&](World& world) {
    const Distances<T> d =
        matrix<T>(world.rank(), GridLayout(n, block, grid), [](auto i, auto j) { return value_at<T>(i, j); });
    const DistanceGraph graph = world.rank() == 0 ? sides.graph() : DistanceGraph{};
    write_distances(world, folder / "d.npy", d, graph);
    write_distances(world, folder / "d.tiles", d, graph);
    write_distances(world, folder / "d.zarr", d);
    write_distances(world, folder / "packed.zarr", d, graph, {.zstd_level = 1});
  });
  CHECK(folder.names() == std::vector<std::string>{"d.npy", "d.tiles", "d.zarr", "packed.zarr"});
  check_file<T>(folder / "d.npy", n, &sides);
  check_file<T>(folder / "d.tiles", n, &sides);
  check_file<T>(folder / "d.zarr", n, nullptr);
  check_file<T>(folder / "packed.zarr", n, &sides);
  for (const std::string& name : folder.names()) std::filesystem::remove_all(folder / name);
}

}  // namespace

TEST_CASE("distances are read back from every form, in every type, from every grid") {
  files::Folder folder;
  for (const ProcessGrid& grid : kGrids)
    for (const auto& [n, block] : {std::pair<std::int64_t, std::int64_t>{1, 64}, {29, 8}, {64, 16}}) {
      CAPTURE(grid.rows);
      CAPTURE(grid.cols);
      CAPTURE(n);
      CAPTURE(block);
      round_trips<float>(folder, grid, n, block);
      if (n != 29 || grid.size() > 4) continue;  // each file is synced to disk, which takes time
      round_trips<double>(folder, grid, n, block);
      round_trips<std::int32_t>(folder, grid, n, block);
      round_trips<std::uint16_t>(folder, grid, n, block);
      round_trips<std::uint8_t>(folder, grid, n, block);
    }
}

TEST_CASE("values change their type only where nothing is lost") {
  files::Folder folder;
  const std::int64_t n = 29;
  const ProcessGrid grid{2, 2};
  const auto write = [&](auto type, const std::string& name, double special, Element to) {
    return refusal(grid.size(), [&](World& world) {
      using T = decltype(type);
      const auto d = matrix<T>(world.rank(), GridLayout(n, 8, grid), [&](auto i, auto j) {
        return i == 20 && j == 3 ? static_cast<T>(special) : value_at<T>(i, j);
      });
      write_distances(world, folder / name, d, {}, {.element = to, .existing = Existing::replace});
    });
  };
  const auto read = [&](const std::string& name) { return DistanceFile(folder / name).distance(20, 3); };
  for (const std::string name : {"d.npy", "d.tiles", "d.zarr"}) {
    CHECK(write(float{}, name, 65534, Element::uint16) == "nothing");
    CHECK(read(name) == 65534);
    CHECK(DistanceFile(folder / name).distance(0, 0) == 0);
    CHECK(write(float{}, name, 65535, Element::uint16) ==
          (folder / name) +
              ": the value from row 20 to row 3 is 65535 (uint16 does not hold it). Write it as float32 or float64.");
    CHECK(read(name) == 65534);  // the existing file is kept
    CHECK(write(double{}, name, 0.5, Element::int32).find("is 0.5 (int32 does not hold it)") != std::string::npos);
    CHECK(write(std::int32_t{}, name, (1 << 24) + 1, Element::float32).find("does not hold") != std::string::npos);
    CHECK(write(std::int32_t{}, name, (1 << 24) + 1, Element::float64) == "nothing");
    CHECK(read(name) == (1 << 24) + 1);
    CHECK(write(double{}, name, 0.1, Element::float32) == "nothing");
    CHECK(read(name) == 0.1f);
    CHECK(write(double{}, name, 1e39, Element::float32).find("does not hold") != std::string::npos);
    CHECK(write(std::int32_t{}, name, -5, Element::int32) == "nothing");
    CHECK(write(std::int32_t{}, name, -5, Element::uint8).find("does not hold") != std::string::npos);
    CHECK(write(std::int32_t{}, name, 254, Element::uint8) == "nothing");
    CHECK(write(float{}, name, std::nan(""), Element::int32).find("is nan") != std::string::npos);
    CHECK(DistanceFile(folder / name).element() == Element::uint8);
    CHECK(read(name) == 254);
  }
}

TEST_CASE("the metadata define the value of no path by the semiring") {
  files::Folder folder;
  run_ranks(1, one_thread(), [&](World& world) {
    const auto d = matrix<std::int32_t>(0, GridLayout(5, 2, {}), [](auto i, auto j) {
      return i == j ? One<Semiring::max_plus, std::int32_t> : Zero<Semiring::max_plus, std::int32_t>;
    });
    write_distances(world, folder / "d.zarr", d, {}, {.semiring = Semiring::max_plus, .scale = 0.25});
    write_distances(world, folder / "e.zarr", d, {}, {.element = Element::float32, .semiring = Semiring::max_plus});
  });
  const auto array = nlohmann::json::parse(files::content(folder / "d.zarr/distance/.zarray"));
  CHECK(array["fill_value"] == -0x3fffffff);
  CHECK(array["chunks"] == std::vector<int>{2, 2});
  CHECK(nlohmann::json::parse(files::content(folder / "e.zarr/distance/.zarray"))["fill_value"] == "-Infinity");
  for (const char* name : {"d.zarr", "e.zarr"}) {
    const DistanceFile file(folder / name);
    CHECK(file.distance(1, 2) == -std::numeric_limits<double>::infinity());
    CHECK(file.distance(2, 2) == 0);
  }
}

TEST_CASE("an existing file is kept, or replaced once the new one is complete") {
  files::Folder folder;
  const auto write = [&](const std::string& name, std::int64_t n, Existing existing) {
    return refusal(3, [&](World& world) {
      const auto d = matrix<float>(world.rank(), GridLayout(n, 3, {3, 1}), [](auto, auto) { return 1.0f; });
      write_distances(world, folder / name, d, {}, {.existing = existing});
    });
  };
  for (const std::string name : {"d.npy", "d.tiles", "d.zarr"}) {
    CHECK(write(name, 5, Existing::refuse) == "nothing");
    CHECK(write(name, 6, Existing::refuse) ==
          (folder / name) + ": is there already (nothing is written over). Remove it, or name another.");
    CHECK(DistanceFile(folder / name).n() == 5);
    CHECK(write(name, 6, Existing::replace) == "nothing");
    CHECK(DistanceFile(folder / name).n() == 6);
  }
  std::filesystem::create_directory(folder / "own.tiles");
  folder.write("own.tiles/thesis.tex", "years of work");
  CHECK(write("own.tiles", 5, Existing::replace).find("only what was written by us is replaced") != std::string::npos);
  CHECK(files::content(folder / "own.tiles/thesis.tex") == "years of work");
  CHECK(write("none/d.tiles", 5, Existing::refuse).find("there is no folder") != std::string::npos);
  CHECK(write("d.h5", 5, Existing::refuse) ==
        (folder / "d.h5") + ": HDF5 is written from Python (atoll.all_pairs(graph).save). Use .npy, .tiles or .zarr.");
  CHECK(write("d.txt", 5, Existing::refuse) ==
        (folder / "d.txt") + ": unknown ending (distances are stored as .npy, .tiles, .zarr or .h5). Use one of them.");
  CHECK(folder.names() == std::vector<std::string>{"d.npy", "d.tiles", "d.zarr", "own.tiles"});
}

TEST_CASE("exceeding the file size limit is the same error on all ranks and leaves no file") {
  files::Folder folder;
  for (const std::string name : {"d.npy", "d.tiles", "d.zarr", "packed.zarr"}) {
    const std::string message = refusal(4, [&](World& world) {
      world.barrier();
      static std::optional<files::FileSizeLimit> limit;
      if (world.rank() == 0) limit.emplace(10000);
      world.barrier();
      const auto d = matrix<float>(world.rank(), GridLayout(200, 64, {2, 2}), [](auto i, auto j) {
        return static_cast<float>(random_at(1, static_cast<std::uint64_t>(i * 200 + j)) % 100000);
      });
      try {
        write_distances(world, folder / name, d, {}, {.zstd_level = name[0] == 'p' ? 1 : 0});
      } catch (const Error&) {
        world.barrier();
        if (world.rank() == 0) limit.reset();
        throw;
      }
    });
    CHECK(message.find((folder / name) + ": cannot be written (File too large)") == 0);
    CHECK(folder.names().empty());
  }
}

TEST_CASE("a full disk is detected with numbers before writing, and handled cleanly while it fills") {
  files::Folder folder;
  const files::SmallDisk disk(folder, "256k");
  if (!disk.mounted()) return skip("a small file system needs the right to mount one");
  const auto write = [&](const std::string& name, std::int64_t n, int level) {
    return refusal(4, [&](World& world) {
      const auto d = matrix<float>(world.rank(), GridLayout(n, 64, {2, 2}), [](auto i, auto j) {
        return static_cast<float>(random_at(1, static_cast<std::uint64_t>(i << 20 | j)) % 10000000);
      });
      write_distances(world, folder / name, d, {}, {.zstd_level = level});
    });
  };
  for (const std::string name : {"d.npy", "d.tiles", "d.zarr"}) {
    const std::string message = write(name, 300, 0);
    CHECK(message.find(" kB for the values of 300 x 300 pairs as float32 (262.1 kB are free in ") != std::string::npos);
  }
  CHECK(write("packed.zarr", 300, 1).starts_with((folder / "packed.zarr") + ": cannot be written (No space left"));
  CHECK(folder.names().empty());
  CHECK(write("d.npy", 200, 0) == "nothing");
}

TEST_CASE("several threads may query a file at once") {
  files::Folder folder;
  const std::int64_t n = 300;
  run_ranks(1, one_thread(), [&](World& world) {
    const auto d = matrix<float>(0, GridLayout(n, 16, {}), [](auto i, auto j) { return value_at<float>(i, j); });
    write_distances(world, folder / "d.zarr", d);
    write_distances(world, folder / "packed.zarr", d, {}, {.zstd_level = 1});
  });
  for (const std::string name : {"d.zarr", "packed.zarr"}) {
    const DistanceFile file(folder / name);
    Team team(4);
    std::atomic<std::int64_t> wrong{0};
    team.run([&](int thread) {
      Random random(static_cast<std::uint64_t>(thread));
      std::vector<float> row(static_cast<std::size_t>(n));
      for (int k = 0; k < 500; ++k) {
        const auto i = static_cast<std::int64_t>(random.below(n)), j = static_cast<std::int64_t>(random.below(n));
        wrong += static_cast<float>(file.value(i, j)) != value_at<float>(i, j);
        if (k % 50 != 0) continue;
        file.read_row(i, row.data());
        wrong += row[static_cast<std::size_t>(j)] != value_at<float>(i, j);
      }
    });
    CHECK(wrong == 0);
  }
}

TEST_CASE("truncated, damaged and foreign files are rejected by name") {
  files::Folder folder;
  const std::int64_t n = 9;
  const Sides sides(n);
  run_ranks(1, one_thread(), [&](World& world) {
    const auto d = matrix<float>(0, GridLayout(n, 4, {}), [](auto i, auto j) { return value_at<float>(i, j); });
    for (const char* name : {"d.npy", "d.tiles", "d.zarr"}) write_distances(world, folder / name, d, sides.graph());
    write_distances(world, folder / "packed.zarr", d, {}, {.zstd_level = 1});
  });
  const auto message = [&](const std::string& path) -> std::string {
    try {
      const DistanceFile file(path);
      double sum = 0;
      for (std::int64_t i = 0; i < file.n(); ++i)
        for (std::int64_t j = 0; j < file.n(); ++j) sum += file.value(i, j);
      return "nothing";
    } catch (const Error& e) {
      return e.what();
    }
  };
  const std::string npy = files::content(folder / "d.npy");
  for (std::size_t size = 1; size < npy.size(); size += 5) {
    folder.write("cut.npy", npy.substr(0, size));
    CHECK(message(folder / "cut.npy").find((folder / "cut.npy") + ": ") == 0);
  }
  for (const std::string part :
       {"d.tiles/tiles.bin", "d.tiles/ids.npy", "d.tiles/offsets.npy", "d.tiles/targets.npy", "d.tiles/weights.npy",
        "d.tiles/meta.json", "d.zarr/.zgroup", "d.zarr/.zattrs", "d.zarr/distance/.zarray", "d.zarr/distance/2.1",
        "d.zarr/ids/0", "d.zarr/targets/0", "packed.zarr/distance/0.2"}) {
    CAPTURE(part);
    const std::string whole = files::content(folder / part), name = part.substr(0, part.find('/'));
    folder.write(part, whole.substr(0, whole.size() - 1));
    const bool json = part.ends_with("json") || part.find("/.z") != std::string::npos || part.ends_with(".zarray");
    if (!json) CHECK(message(folder / name).find(folder / part) == 0);
    folder.write(part, whole.substr(0, whole.size() / 2));
    CHECK(message(folder / name).find(folder / name) == 0);
    std::filesystem::remove(folder / part);
    CHECK(message(folder / name).find(folder / name) == 0);
    folder.write(part, whole);
    CHECK(message(folder / name) == "nothing");
  }
  folder.write("d.zarr/.zgroup", R"({"zarr_format": 3})");
  CHECK(message(folder / "d.zarr") ==
        (folder / "d.zarr/.zgroup") + ": says Zarr format 3 (distances are written in format 2). Write it again.");
  CHECK(message(folder / "e.tiles") == (folder / "e.tiles") + ": no such folder. Check the path.");
  folder.write("e.tiles", "x");
  CHECK(message(folder / "e.tiles").find("is a file") != std::string::npos);
}
