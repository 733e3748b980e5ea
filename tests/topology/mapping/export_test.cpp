// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/base/files/atomic_file.hpp>
#include <atoll/topology/mapping/export.hpp>

#include "folder.hpp"
#include "mapping_samples.hpp"

using namespace atl;

TEST_CASE("each format says where each rank is") {
  const PlaceGraph places(Network::parse("mesh:3"), 2);
  const std::vector<std::string> hosts{"a", "b", "c"};
  const std::vector<int> mapping{4, 5, 0, 2, 3, 1};
  CHECK(exported("openmpi-rankfile", places, mapping, hosts) ==
        "rank 0=c slot=0\nrank 1=c slot=1\nrank 2=a slot=0\nrank 3=b slot=0\nrank 4=b slot=1\nrank 5=a slot=1\n");
  CHECK(exported("mpich-hosts", places, mapping, hosts) == "c:2\na:1\nb:2\na:1\n");
  CHECK(exported("slurm-hostfile", places, mapping, hosts) == "c\nc\na\nb\nb\na\n");
  CHECK(exported("simgrid", places, mapping, hosts) == "c\nc\na\nb\nb\na\n");
  CHECK(exported("cray-rank-order", places, mapping, {}) == "2,5,3,4,0,1\n");
  CHECK(exported("places", places, mapping, {}) == "4\n5\n0\n2\n3\n1\n");
  for (const std::string& format : export_formats())
    CHECK(names_hosts(format) == (format != "cray-rank-order" && format != "places"));
}

TEST_CASE("a Cray's order has no gaps") {
  const PlaceGraph places(Network::parse("mesh:3"), 2);
  CHECK_THROWS_WITH_AS(
      exported("cray-rank-order", places, std::vector{0, 1, 4}, std::vector<std::string>{"a", "b", "c"}),
      "cray-rank-order: place 0 of host 1 has no rank (the launcher fills all places before it fills "
      "others). Map as many ranks as there are places.",
      InputError);
}

TEST_CASE("places are those of a job with as many ranks") {
  const PlaceGraph places(Network::parse("mesh:3"), 2);
  CHECK_THROWS_WITH_AS(
      exported("places", places, std::vector{0, 1, 4}, {}),
      "places: host 2 has a rank at place 4 (a job of 3 ranks has the places 0 to 2). Map as many ranks "
      "as there are places.",
      InputError);
}

TEST_CASE("an unknown format, and too few names of hosts") {
  const PlaceGraph places(Network::parse("mesh:3"));
  const std::vector<std::string> two{"a", "b"}, three{"a", "b", "c"};
  CHECK_THROWS_WITH_AS(exported("lsf", places, std::vector{0}, three),
                       "export format 'lsf' (formats are openmpi-rankfile, mpich-hosts, slurm-hostfile, "
                       "cray-rank-order, simgrid, places). Choose one.",
                       InputError);
  CHECK_THROWS_WITH_AS(exported("simgrid", places, std::vector{0}, two),
                       "2 names of hosts (the network has 3). Name each of them.", InputError);
}

TEST_CASE("names of hosts: one on a line, each once, as many as the network has") {
  const files::Folder folder;
  const std::string path = folder / "hosts.txt";
  const auto said = [&](const std::string& text) -> std::string {
    write_file(path, text);
    try {
      read_host_names(path, 2);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  write_file(path, "# of rack 7\n n1 \r\n\nn2 # spare\n");
  CHECK(read_host_names(path, 2) == std::vector<std::string>{"n1", "n2"});
  CHECK(said("n1\nn2 n3\n") ==
        path + ":2: 'n2 n3' (a line has one host, and its slots as n2:2 or slots=2). Correct it.");
  CHECK(
      said("n1\n\nn1\n") ==
      path +
          ":3: host n1 has 2 slots on 2 lines (--per-host is 1: so many ranks are placed on each). Give --per-host 2, "
          "or name the host once and without slots.");
  CHECK(said("n1\n") == path + ": 1 hosts (the network has 2). Name each of them.");
  CHECK_THROWS_AS(read_host_names(folder / "nothing", 2), InputError);
}

TEST_CASE("names of hosts with their slots, as launchers have them, are held against the ranks of a host") {
  const files::Folder folder;
  const std::string path = folder / "hosts.txt";
  const std::vector<std::string> names{"n1", "n2"};
  const auto read = [&](const std::string& text, int per_host) {
    write_file(path, text);
    return read_host_names(path, 2, per_host);
  };
  for (const char* text : {"n1:2\nn2:2\n", "n1 slots=2\nn2 slots=2 max_slots=4\n", "n1\nn2\nn1\nn2\n", "n1\nn1\nn2:2\n",
                           "n1:1\nn1:1\nn2\n", "n1 max-slots=8 slots=2\nn2\n", "\xef\xbb\xbfn1:2\rn2:2\r"}) {
    CAPTURE(text);
    CHECK(read(text, 2) == names);
    CHECK_THROWS_WITH_AS(read(text, 3), doctest::Contains("has 2 slots"), InputError);
  }
  CHECK(read("n1:1\nn2 slots=1\n", 1) == names);
  write_file(path, "fe80::1\nfe80::2\n");
  CHECK(read_host_names(path, 2) == std::vector<std::string>{"fe80::1", "fe80::2"});
  for (const char* text : {"n1:two\nn2\n", "n1:0\nn2\n", "n1:\nn2\n", ":2\nn2\n", "n1 slots=\nn2\n",
                           "n1:2 slots=2\nn2\n", "n1 user=ann\nn2\n", "n1:2 n2:2\n"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(read(text, 2), doctest::Contains((path + ":1: ").c_str()), InputError);
  }
}
