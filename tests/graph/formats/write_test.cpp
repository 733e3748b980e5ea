// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/graph/formats/binary.hpp>
#include <atoll/graph/formats/write.hpp>
#include <cmath>
#include <limits>

#include "files.hpp"
#include "shapes.hpp"

using namespace files;

namespace {

// The part of rank r of n edges.
EdgeList some_edges(World& world, std::size_t n, bool wide, int weight_bytes, bool directed,
                    std::optional<IdRange> range) {
  EdgeList list;
  const std::size_t p = static_cast<std::size_t>(world.size()), r = static_cast<std::size_t>(world.rank());
  const std::size_t a = n * r / p, b = n * (r + 1) / p;
  const auto fill = [&](auto column, std::size_t which) {
    for (std::size_t i = a; i < b; ++i) {
      std::uint64_t id = random_at(5, 2 * i + which) >> (wide ? 1 + i % 60 : 40 + i % 20);
      if (range) id = id % static_cast<std::uint64_t>(range->count) + static_cast<std::uint64_t>(range->first);
      if (id > static_cast<std::uint64_t>(kMaxVertex)) id = 0;
      column[i - a] = static_cast<std::remove_reference_t<decltype(column[0])>>(id);
    }
    return IdColumn(std::move(column));
  };
  list.source = wide ? fill(Array<Vertex>(b - a), 0) : fill(Array<std::uint32_t>(b - a), 0);
  list.target = wide ? fill(Array<Vertex>(b - a), 1) : fill(Array<std::uint32_t>(b - a), 1);
  const auto weigh = [&](auto column) {
    for (std::size_t i = a; i < b; ++i)
      column[i - a] = static_cast<std::remove_reference_t<decltype(column[0])>>(
          static_cast<double>(random_at(6, i) >> 20) / 7 - 1e12);
    return WeightColumn(std::move(column));
  };
  if (weight_bytes == 4) list.weight = weigh(Array<float>(b - a));
  if (weight_bytes == 8) list.weight = weigh(Array<double>(b - a));
  list.directed = directed;
  list.range = range;
  return list;
}

struct RoundTrip {
  Gathered before, after;
};

RoundTrip round_trip(const std::string& path, Rank writers, Rank readers, const std::function<EdgeList(World&)>& make,
                     const ReadOptions& options = {}) {
  RoundTrip trip;
  run_ranks(writers, two_threads(), [&](World& world) {
    const EdgeList list = make(world);
    write_edges(world, path, list);
    Gathered all = gather(world, list);
    if (world.rank() == 0) trip.before = std::move(all).sorted();
  });
  trip.after = read(path, readers, options).sorted();
  return trip;
}

}  // namespace

TEST_CASE("graphs survive writing and reading in every format") {
  Folder folder;
  for (const char* ending : {".el", ".wel", ".txt", ".tsv", ".csv", ".mtx", ".atoll", ".g500", ".g500-64"}) {
    for (const bool wide : {false, true}) {
      for (const int weight_bytes : {0, 4, 8}) {
        for (const bool directed : {false, true}) {
          const std::string name = ending;
          if (name == ".wel" && weight_bytes == 0) continue;
          if (name == ".el" && weight_bytes > 0) continue;
          CAPTURE(name);
          CAPTURE(wide);
          CAPTURE(weight_bytes);
          const bool graph500 = name.starts_with(".g500");
          const bool all_ids = wide && name != ".g500";
          const std::optional<IdRange> range =
              all_ids ? std::nullopt : std::optional(IdRange{3, wide ? Vertex{1} << 47 : 100000});
          for (const auto& [writers, readers] : {std::pair{3, 1}, {2, 5}}) {
            const std::string path = folder / ("a" + name);
            ReadOptions options;
            if (name == ".el" || name == ".wel" || graph500 || (all_ids && name != ".mtx" && name != ".atoll"))
              options.directed = directed;  // these formats do not say
            // Several blocks of the writers and the readers; under sanitizers only undirected graphs.
            const std::size_t count = shapes::kSanitized && directed ? 2011 : 20011;
            RoundTrip trip = round_trip(
                path, writers, readers,
                [&](World& world) { return some_edges(world, count, wide, weight_bytes, directed, range); }, options);
            if (name == ".mtx") {
              const bool shifted = !range;  // there is an id 0
              for (auto* edges : {&trip.before.edges, &trip.after.edges}) {
                for (auto& [s, t, w] : *edges) {
                  if (edges == &trip.before.edges && shifted) ++s, ++t;
                  if (!directed && s < t) std::swap(s, t);
                }
                std::sort(edges->begin(), edges->end());
              }
            }
            if (graph500)
              for (auto& [s, t, w] : trip.before.edges) w = static_cast<float>(w);
            std::sort(trip.before.edges.begin(), trip.before.edges.end());
            // A float is written with as few digits as distinguish it from other floats.
            const bool text_of_floats = weight_bytes == 4 && !graph500 && name != ".atoll";
            if (text_of_floats)
              for (auto& [s, t, w] : trip.after.edges) w = static_cast<float>(w);
            std::sort(trip.after.edges.begin(), trip.after.edges.end());
            CHECK(trip.after.edges == trip.before.edges);
            CHECK(trip.after.directed == directed);
            CHECK(trip.after.weighted == (weight_bytes > 0));
            CHECK(trip.after.wide == wide);
            const bool keeps_range = name == ".atoll" || name == ".txt" || name == ".tsv" || name == ".csv";
            if (keeps_range && range) {
              REQUIRE(trip.after.range);
              CHECK(trip.after.range->first == range->first);
              CHECK(trip.after.range->count == range->count);
            }
            std::filesystem::remove(path + ".weights");
          }
        }
      }
    }
  }
}

TEST_CASE(".atoll keeps vertices without edges, and many blocks at any number of ranks") {
  Folder folder;
  for (const auto& [writers, readers] : {std::pair{1, 5}, {3, 2}, {5, 1}}) {
    const RoundTrip trip = round_trip(folder / "a.atoll", writers, readers, [&](World& world) {
      EdgeList list = some_edges(world, 300007, false, 4, true, std::nullopt);
      for (Vertex v = world.rank(); v < 150000; v += world.size()) list.vertices.push_back(v * v);
      return list;
    });
    CHECK(trip.after.edges == trip.before.edges);
    CHECK(trip.after.vertices == trip.before.vertices);
  }
  const RoundTrip empty = round_trip(folder / "b.atoll", 2, 3,
                                     [&](World& world) { return some_edges(world, 0, false, 0, true, IdRange{0, 9}); });
  CHECK(empty.after.edges.empty());
  CHECK(empty.after.range->count == 9);
}

TEST_CASE(".atoll detects every flipped bit and every truncation") {
  Folder folder;
  const std::string path = folder / "a.atoll";
  run_ranks(2, two_threads(), [&](World& world) {
    EdgeList list = some_edges(world, 60, false, 8, true, std::nullopt);
    list.vertices = {1, 2, 3};
    write_edges(world, path, list);
  });
  const std::string bytes = content(path);
  run_ranks(1, {}, [&](World& world) {
    for (std::size_t byte = 0; byte < bytes.size(); ++byte) {
      const std::size_t bit = 8 * byte + byte % 8;
      std::string damaged = bytes;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
      folder.write("b.atoll", damaged);
      CHECK_THROWS_AS(read_binary(world, folder / "b.atoll"), InputError);
    }
    for (std::size_t n = 0; n < bytes.size(); n += 7) {
      folder.write("b.atoll", bytes.substr(0, n));
      CHECK_THROWS_AS(read_binary(world, folder / "b.atoll"), InputError);
    }
    folder.write("b.atoll", bytes + "x");
    CHECK_THROWS_AS(read_binary(world, folder / "b.atoll"), InputError);
  });
  std::string damaged = bytes;
  damaged[bytes.size() - 100] ^= 1;
  folder.write("b.atoll", damaged);
  CHECK(refusal(folder / "b.atoll", 3).find("is damaged (its checksum is wrong). Get the file again.") !=
        std::string::npos);
  std::string earlier = bytes;
  earlier[8] = 1;  // its checksums were others
  folder.write("b.atoll", earlier);
  CHECK(refusal(folder / "b.atoll", 3) ==
        fmt::format("{0}: is of version 1 (this program reads version 2). Make it anew from what it was made from: "
                    "`atoll convert EDGES {0}`.",
                    folder / "b.atoll"));
  folder.write("b.atoll", bytes.substr(0, 200));
  CHECK(refusal(folder / "b.atoll", 3) ==
        fmt::format("{}: has 200 bytes (its header says {}). The file is cut off; get it again.", folder / "b.atoll",
                    bytes.size()));
}

TEST_CASE("results are written in rank order with original ids") {
  Folder folder;
  for (const Rank ranks : {1, 2, 3, 5}) {
    run_ranks(ranks, two_threads(), [&](World& world) {
      std::vector<Vertex> ids;
      std::vector<std::int64_t> depths;
      std::vector<double> values;
      for (Vertex v = world.rank() * 7 / world.size(); v < (world.rank() + 1) * 7 / world.size(); ++v) {
        ids.push_back(v * 1000000000000);
        depths.push_back(v == 3 ? kUnreachable : v);
        values.push_back(v == 0   ? std::numeric_limits<double>::infinity()
                         : v == 1 ? -std::numeric_limits<double>::infinity()
                         : v == 2 ? std::nan("")
                                  : 0.1 * static_cast<double>(v));
      }
      write_result(world, folder / "d.tsv", ids, depths);
      write_result(world, folder / "v.csv", ids, values);
      write_result(world, folder / "v.txt", ids, values);
      write_result(world, folder / "v.npy", ids, values);
      write_result(world, folder / "d.npy", ids, depths);
    });
    CHECK(content(folder / "d.tsv") ==
          "0\t0\n1000000000000\t1\n2000000000000\t2\n3000000000000\t9223372036854775807\n4000000000000\t4\n50"
          "00000000000\t5\n6000000000000\t6\n");
    CHECK(content(folder / "v.csv") ==
          "id,value\n0,Infinity\n1000000000000,-Infinity\n2000000000000,NaN\n3000000000000,0."
          "30000000000000004\n4000000000000,0.4\n5000000000000,0.5\n6000000000000,0.6000000000000001\n");
    CHECK(content(folder / "v.txt").starts_with("0 Infinity\n"));
    const std::string npy = content(folder / "v.npy");
    CHECK(npy.size() == 128 + 7 * 16);
    CHECK(npy.substr(0, 10) == std::string("\x93NUMPY\x01\0\x76\0", 10));
    CHECK(npy.substr(10, 77) == "{'descr': [('id', '<i8'), ('value', '<f8')], 'fortran_order': False, 'shape':");
    double value = 0;
    std::memcpy(&value, npy.data() + 128 + 16 * 4 + 8, 8);
    CHECK(value == 0.4);
    CHECK(content(folder / "d.npy").find("('value', '<i8')") != std::string::npos);
    CHECK(folder.names() == std::vector<std::string>{"d.npy", "d.tsv", "v.csv", "v.npy", "v.txt"});  // nothing else
  }
}

TEST_CASE("many rows are written the same by any number of ranks") {
  Folder folder;
  std::string first;
  for (const Rank ranks : {1, 2, 5}) {
    run_ranks(ranks, two_threads(), [&](World& world) {
      std::vector<Vertex> ids;
      std::vector<double> values;
      for (Vertex v = world.rank() * 100003 / world.size(); v < (world.rank() + 1) * 100003 / world.size(); ++v) {
        ids.push_back(v);
        values.push_back(static_cast<double>(random_at(3, static_cast<std::uint64_t>(v))) / 3e5);
      }
      write_result(world, folder / "v.tsv", ids, values);
    });
    if (ranks == 1) first = content(folder / "v.tsv");
    CHECK(content(folder / "v.tsv") == first);
  }
}

TEST_CASE("a full disk leaves no new file, and an old one unchanged") {
  Folder folder;
  folder.write("v.tsv", "old\n");
  for (const Rank ranks : {1, 3}) {
    std::vector<std::string> messages(static_cast<std::size_t>(ranks));
    run_ranks(ranks, two_threads(), [&](World& world) {
      world.barrier();
      static std::optional<FileSizeLimit> limit;
      if (world.rank() == 0) limit.emplace(10000);
      world.barrier();
      std::vector<Vertex> ids(100000, 12345);
      try {
        write_result(world, folder / "v.tsv", ids, ids);
      } catch (const IoError& e) {
        messages[static_cast<std::size_t>(world.rank())] = e.what();
      }
      world.barrier();
      if (world.rank() == 0) limit.reset();
    });
    for (const std::string& message : messages)
      CHECK(message.starts_with((folder / "v.tsv") + ": cannot be written (File too large)"));
    CHECK(content(folder / "v.tsv") == "old\n");
    CHECK(folder.names() == std::vector<std::string>{"v.tsv"});
  }
}

TEST_CASE("graphs that a format cannot hold are rejected before anything is written") {
  Folder folder;
  std::filesystem::create_directory(folder / "d.tsv");
  run_ranks(2, two_threads(), [&](World& world) {
    const std::vector<Vertex> ids{1};
    const auto message = [&](const std::string& path) -> std::string {
      try {
        write_result(world, path, ids, ids);
      } catch (const Error& e) {
        return e.what();
      }
      return "nothing";
    };
    CHECK(message(folder / "d.tsv").starts_with((folder / "d.tsv") + ": is a folder"));
    CHECK(message("/dev/null.d/a.tsv").starts_with("/dev/null.d/a.tsv: cannot be written (there is no folder"));
    CHECK(message(folder / "a.xls") ==
          (folder / "a.xls") + ": the ending is '.xls' (results are written as .tsv .csv .txt .npy). Use one of them.");
    const EdgeList list = some_edges(world, 5, false, 0, true, std::nullopt);
    CHECK_THROWS_AS(write_edges(world, folder / "a.wel", list), InputError);
    const EdgeList weighted = some_edges(world, 5, false, 4, true, std::nullopt);
    for (const char* plain : {"a.el", "a.edges", "a.elist"})
      CHECK_THROWS_WITH_AS(write_edges(world, folder / plain, weighted),
                           doctest::Contains("has room for none). Write it as .wel"), InputError);
    CHECK_THROWS_AS(write_edges(world, folder / "a.xyz", list), UsageError);
    for (const double lost : {1e-50, 1e300}) {
      EdgeList weighted = some_edges(world, 5, false, 8, true, std::nullopt);
      if (world.rank() == 1) std::get<Array<double>>(weighted.weight)[0] = lost;
      CHECK_THROWS_WITH_AS(write_edges(world, folder / "a.g500", weighted), doctest::Contains("as float32"),
                           InputError);
    }
  });
  CHECK(folder.names() == std::vector<std::string>{"d.tsv"});
}
