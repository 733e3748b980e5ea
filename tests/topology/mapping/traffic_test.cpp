// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/base/files/atomic_file.hpp>
#include <atoll/topology/mapping/traffic.hpp>
#include <string>

#include "folder.hpp"

using namespace atl;

namespace {

std::vector<std::vector<double>> rows(const TrafficMatrix& traffic) {
  std::vector<std::vector<double>> out;
  for (const RankPair& p : traffic.pairs)
    out.push_back({static_cast<double>(p.from), static_cast<double>(p.to), p.bytes});
  return out;
}

int partners(const TrafficMatrix& traffic, int rank) {
  int count = 0;
  for (const RankPair& p : traffic.pairs) count += p.from == rank;
  return count;
}

}  // namespace

TEST_CASE("a file of traffic: added up, without what a rank sends itself") {
  const files::Folder folder;
  const std::string path = folder / "app.traffic";
  write_file(path, "# source target bytes\n3 0 10\n0 1 1.5\n\n  3\t0 2e1 # again\n1 1 99\n2 1 0\n");
  const TrafficMatrix traffic = read_traffic(path, 0);
  CHECK(traffic.ranks == 4);
  CHECK(rows(traffic) == std::vector<std::vector<double>>{{0, 1, 1.5}, {3, 0, 30}});
  CHECK(read_traffic(path, 9).ranks == 9);
}

TEST_CASE("errors in a file of traffic name the line") {
  const files::Folder folder;
  const std::string path = folder / "app.traffic";
  const auto said = [&](const std::string& text, int ranks) -> std::string {
    write_file(path, text);
    try {
      read_traffic(path, ranks);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  CHECK(said("0 1 5\n0 1\n", 0) == path + ":2: '0 1' (a line is: source target bytes). Correct it.");
  CHECK(said("0 1 5 6\n", 0) == path + ":1: '0 1 5 6' (a line is: source target bytes). Correct it.");
  CHECK(said("0 x 5\n", 0) == path + ":1: '0 x 5' (a line is: source target bytes). Correct it.");
  CHECK(said("\n0 4 5\n", 4) == path + ":2: rank 4 (ranks are 0 to 3). Correct it, or raise --ranks.");
  CHECK(said("-1 4 5\n", 0) == path + ":1: rank -1 (ranks are 0 to 4194303). Correct it.");
  CHECK(said("0 1 -5\n", 0) == path + ":1: -5 bytes (a volume is 0 or more). Correct it.");
  CHECK(said("0 1 inf\n", 0) == path + ":1: inf bytes (a volume is 0 or more). Correct it.");
  CHECK(said("# nothing\n", 0) == path + ": no traffic (a line is: source target bytes). Add some.");
  CHECK_THROWS_AS(read_traffic(folder / "nothing", 0), InputError);
}

TEST_CASE("the counters of a run are traffic") {
  const files::Folder folder;
  const TrafficMatrix traffic = read_traffic(
      folder.write("run.json", R"( {"counters": {"traffic": {"between": "ranks", "bytes": [9, 5, 7, 3]}}})"), 0);
  CHECK(traffic.ranks == 2);
  CHECK(rows(traffic) == std::vector<std::vector<double>>{{0, 1, 5}, {1, 0, 7}});
  const auto said = [&](const std::string& text, int ranks = 0) -> std::string {
    const std::string path = folder.write("run.json", text);
    try {
      read_traffic(path, ranks);
    } catch (const InputError& e) {
      return std::string(e.what()).substr(path.size());
    }
    return "";
  };
  CHECK(said("{").starts_with(": not JSON, though it begins so"));
  CHECK(said("{}").starts_with(": no counters.traffic in it"));
  CHECK(said(R"({"counters": {"traffic": {"between": "ranks", "bytes": [1, 2]}}})")
            .starts_with(": counters.traffic is no"));
  CHECK(said(R"({"counters": {"traffic": {"between": "leaf domains", "bytes": [1]}}})")
            .starts_with(": counters.traffic is"));
  CHECK(said(R"({"counters": {"traffic": {"between": "ranks", "bytes": [0, -1, 0, 0]}}})") ==
        ": counters.traffic has -1 (bytes are whole numbers). Correct it.");
  CHECK(said(R"({"counters": {"traffic": {"between": "ranks", "bytes": [0, 1, 0, 0]}}})", 1) ==
        ": traffic of 2 ranks (--ranks is 1). Raise it.");
}

TEST_CASE("patterns: who talks with whom") {
  CHECK(rows(traffic_pattern("line", 3)) ==
        std::vector<std::vector<double>>{{0, 1, 1}, {1, 0, 1}, {1, 2, 1}, {2, 1, 1}});
  CHECK(traffic_pattern("ring", 5).pairs.size() == 10);
  CHECK(partners(traffic_pattern("ring", 5), 0) == 2);
  CHECK(traffic_pattern("ring", 2).pairs.size() == 2);
  CHECK(traffic_pattern("alltoall", 6).pairs.size() == 30);
  const TrafficMatrix square = traffic_pattern("grid2d", 12);  // 4 x 3
  CHECK(square.pairs.size() == 2 * (3 * 3 + 4 * 2));
  CHECK(partners(square, 0) == 2);
  CHECK(partners(square, 4) == 4);
  const TrafficMatrix cube = traffic_pattern("grid3d", 64);
  CHECK(cube.pairs.size() == 2 * 3 * 48);
  CHECK(partners(cube, 21) == 6);
  for (const std::string& name : traffic_pattern_names()) CHECK(traffic_pattern(name, 1).pairs.empty());
  CHECK_THROWS_WITH_AS(traffic_pattern("star", 3),
                       "traffic pattern 'star' (patterns are line, ring, grid2d, grid3d, alltoall). Choose one.",
                       InputError);
}

TEST_CASE("a second job has ranks of its own") {
  TrafficMatrix traffic = traffic_pattern("line", 2);
  add_job(traffic, traffic_pattern("line", 2));
  CHECK(traffic.ranks == 4);
  CHECK(rows(traffic) == std::vector<std::vector<double>>{{0, 1, 1}, {1, 0, 1}, {2, 3, 1}, {3, 2, 1}});
}

TEST_CASE("traffic is read whatever ends its lines, behind a byte order mark, and as JSON behind one") {
  const files::Folder folder;
  const std::string path = folder / "app.traffic";
  const std::vector<std::vector<double>> expected{{0, 1, 5}, {1, 2, 7}};
  for (const std::string mark : {"", "\xef\xbb\xbf"})
    for (const std::string end : {"\n", "\r\n", "\r"}) {
      write_file(path, mark + "0 1 5" + end + "# said by hand" + end + "1 2 7" + end);
      CHECK(rows(read_traffic(path, 0)) == expected);
    }
  write_file(path, "\xef\xbb\xbf \n{\"counters\": {\"traffic\": {\"between\": \"ranks\", \"bytes\": [0, 5, 0, 0]}}}");
  CHECK(rows(read_traffic(path, 0)) == std::vector<std::vector<double>>{{0, 1, 5}});
  write_file(path, std::string("\xff\xfe"
                               "0\0",
                               4));
  CHECK_THROWS_WITH_AS(read_traffic(path, 0), doctest::Contains("UTF-16"), InputError);
}
