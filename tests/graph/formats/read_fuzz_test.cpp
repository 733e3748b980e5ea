// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/random.hpp>
#include <atoll/graph/formats/write.hpp>
#include <cmath>

#include "files.hpp"

using namespace files;

// Damaged files of every format are read or rejected: no crash, no hang, no id out of range.
TEST_CASE("truncated and bit-flipped files are read or rejected") {
  const char* wish = std::getenv("ATOLL_FUZZ_SEED");
  const std::uint64_t first_seed = wish ? std::strtoull(wish, nullptr, 10) : 1;
  const char* rounds_wish = std::getenv("ATOLL_FUZZ_ROUNDS");
  const std::uint64_t rounds = rounds_wish ? std::strtoull(rounds_wish, nullptr, 10) : 25;
  Folder folder;
  std::vector<std::pair<std::string, std::string>> files = {
      {"a.txt", "# comment\n1 2\n3 4\n100000 70\n4294967296 9\n"},
      {"b.csv", "source,target,weight\n1,2,0.5\n3,4,-1e5\n5,6,77.25\n"},
      {"c.csv", "6,3,u,graph\n1,2\n3,4\n5,6\n"},
      {"d.txt", "6\n3\n1 2 3.5\n3 4 4\n5 0 5\n"},
      {"e.wel", "1 2 10\n3 4 0.25\n5 6 1e3\n"},
      {"f.mtx", "%%MatrixMarket matrix coordinate real general\n% c\n6 6 3\n1 2 0.5\n3 4 1\n6 6 2e2\n"},
      {"g.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n6 6 3\n2 1\n4 3\n6 6\n"},
      {"h.gr", "c x\np sp 6 3\na 1 2 3\na 3 4 5\na 5 6 7\n"},
      {"i.graph", "5 4\n2 3\n1 3\n1 2 5\n\n3\n"},
      {"j.graph", "5 4 11\n1 2 7 3 8\n1 1 7 3 9\n1 1 8 2 9 5 4\n1\n1 3 4\n"},
      {"k.graph", "5 4 100\n3 2 3\n3 1 3\n3 1 2 5\n3\n3 3\n"},
  };
  run_ranks(1, {}, [&](World& world) {
    for (const char* name : {"l.atoll", "m.g500", "n.g500-64"}) {
      EdgeList list;
      list.source = Array<Vertex>(5, Vertex{1} << 33);
      list.target = Array<Vertex>(5, 7);
      list.weight = Array<double>(5, 2.5);
      write_edges(world, folder / name, list);
      files.emplace_back(name, content(folder / name));
    }
  });
  const std::size_t plain = files.size();
  for (std::size_t i = 0; i < plain; ++i) {
    files.emplace_back(files[i].first + ".gz", gzip_member(files[i].second));
    files.emplace_back(files[i].first + ".zst", zstd_frame(files[i].second));
  }
  for (const Rank ranks : {1, 3}) {
    run_ranks(ranks, two_threads(), [&](World& world) {
      for (std::uint64_t seed = first_seed; seed < first_seed + rounds; ++seed) {
        for (std::size_t f = 0; f < files.size(); ++f) {
          Random random(seed * 1000 + f);
          std::string bytes = files[f].second;
          switch (random.below(4)) {
            case 0:
              bytes.resize(random.below(bytes.size() + 1));
              break;
            case 1:
              bytes[random.below(bytes.size())] ^= static_cast<char>(1 << random.below(8));
              break;
            case 2:
              bytes[random.below(bytes.size())] = "0123456789 -+.,\n\t%#ae\0\xff"[random.below(23)];
              break;
            default:
              for (int i = 0; i < 5; ++i)
                bytes.insert(random.below(bytes.size() + 1), 1, "0123456789 -\n99999"[random.below(18)]);
          }
          const std::string name = fmt::format("x{}{}", f, files[f].first.substr(1)), path = folder / name;
          if (world.rank() == 0) folder.write(name, bytes);
          world.barrier();
          try {
            const EdgeList list = read_edges(world, path);
            const Gathered got = gather(world, list);
            const bool good = std::all_of(got.edges.begin(), got.edges.end(), [&](const EdgeTuple& e) {
              const auto& [s, t, w] = e;
              const Vertex low = got.range ? got.range->first : 0,
                           high = got.range ? got.range->first + got.range->count - 1 : kMaxVertex;
              return s >= low && t >= low && s <= high && t <= high && std::isfinite(w);
            });
            if (!good)
              FAIL_CHECK("seed " << seed << ", file " << files[f].first << ": ATOLL_FUZZ_SEED=" << seed
                                 << " ATOLL_FUZZ_ROUNDS=1");
          } catch (const InputError& e) {
            if (!std::string_view(e.what()).starts_with(path)) FAIL_CHECK("seed " << seed << ": " << e.what());
          }
          world.barrier();
        }
      }
    });
  }
}
