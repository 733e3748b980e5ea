// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/topology/machine.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "folder.hpp"

using namespace atl;

namespace {

std::vector<LevelCost> costs_on(const std::string& name) {
  return network_costs(Network::parse(name).with_links(1e-6, 10e9), 0.5e-6).levels();
}

}  // namespace

TEST_CASE("costs of a network's levels follow from its links") {
  // Two links inside a switch, four across the root; one uplink for four hosts.
  const auto tree = costs_on("cluster:2x4");
  REQUIRE(tree.size() == 2);
  CHECK(tree[0].latency_s == doctest::Approx(2e-6));
  CHECK(tree[1].latency_s == doctest::Approx(4e-6));
  CHECK(tree[0].bytes_per_second == doctest::Approx(10e9));
  CHECK(tree[1].bytes_per_second == doctest::Approx(10e9));
  CHECK(tree[1].overhead_s == 0.5e-6);

  // An uplink and a downlink for every host: no link is a bottleneck; 2 links in a leaf and 4 in a pod.
  const auto fat = costs_on("fat-tree:4");
  REQUIRE(fat.size() == 3);
  CHECK(fat[0].latency_s == doctest::Approx(2e-6));
  CHECK(fat[1].latency_s == doctest::Approx(4e-6));
  CHECK(fat[2].latency_s == doctest::Approx(6e-6));
  CHECK(fat[1].bytes_per_second == doctest::Approx(20e9).epsilon(0.2));
  CHECK(fat[2].bytes_per_second == doctest::Approx(40e9).epsilon(0.2));

  // A level without any two hosts has the cost of the level above.
  for (const char* name : {"torus:4x4", "mesh:4x4", "random:12:3", "dragonfly:2,4,2"}) {
    CAPTURE(name);
    const auto costs = costs_on(name);
    CHECK(static_cast<int>(costs.size()) == Network::parse(name).hierarchy().depth());
    for (std::size_t l = 1; l < costs.size(); ++l) CHECK(costs[l].latency_s >= costs[l - 1].latency_s);
    for (const LevelCost& c : costs) CHECK(c.bytes_per_second >= 10e9 * 0.2);
  }
}

TEST_CASE("nodes of CoLa's machine have one network card, or one for each GPU") {
  const LevelCost one = machine_preset("a800")->cost.at(1), rails = machine_preset("a800-rails")->cost.at(1);
  CHECK(one.cards == 1);
  CHECK(rails.cards == 8);
  // A message of a single pair takes as long as Table 4 says, within a tenth, in both.
  CHECK(one.bytes_per_second == doctest::Approx(18e9).epsilon(0.12));
  CHECK(rails.bytes_per_second / rails.cards == 18e9);
  CHECK(one.latency_s == rails.latency_s);
  CHECK_FALSE(machine_preset("a800-8"));
}

TEST_CASE("a platform may say what records cost a rank, and how many messages a second its card passes") {
  const files::Folder folder;
  const auto read = [&](const std::string& text) { return read_machine(folder.write("records.json", text), 2); };
  const std::string levels =
      R"("levels": [{"latency_s": 1, "bytes_per_second": 2}, {"latency_s": 3, "bytes_per_second": 8,
                    "messages_per_second": 5e6}])";
  const Machine machine = read("{" + levels + R"(, "records": {"copied_byte_s": 1e-10, "merged_record_s": 4e-9}})");
  CHECK(machine.records.copied_byte_s == 1e-10);
  CHECK(machine.records.merged_record_s == 4e-9);
  CHECK(machine.records.appended_record_s == 0);
  CHECK(machine.cost.at(0).messages_per_second == 0);
  CHECK(machine.cost.at(1).messages_per_second == 5e6);
  CHECK(read(machine.to_json().dump()).to_json() == machine.to_json());
  CHECK(read("{" + levels + "}").records.is_none());
  CHECK(!read("{" + levels + "}").to_json().contains("records"));
  CHECK(read(R"({"network": "cluster:2x4", "records": {"handled_record_s": 1e-8}})").records.handled_record_s == 1e-8);
  for (const char* bad : {"3", "[]", R"({"copied_byte_s": -1})", R"({"copied_byte_s": "1"})", R"({"copied_byte_s": 1})",
                          R"({"copied_bytes": 1e-9})"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(read("{" + levels + ", \"records\": " + bad + "}"), InputError);
  }
  CHECK_THROWS_AS(Cost({{.latency_s = 1, .bytes_per_second = 1, .messages_per_second = -1}}), InputError);
}

TEST_CASE("nodes of eight ranks have four network cards, or one") {
  const LevelCost four = machine_preset("frontier")->cost.at(1), one = machine_preset("commodity")->cost.at(1);
  CHECK((four.cards == 4 && four.bytes_per_second == 4 * 25e9));
  CHECK((one.cards == 1 && one.bytes_per_second == 12.5e9));
  CHECK(read_machine("frontier", 2).cost.at(0).bytes_per_second == 50e9);
}

TEST_CASE("a platform is a name, a file or the preset") {
  CHECK(read_machine("", 3).cost.depth() == 3);
  CHECK(read_machine("torus:4x4", 2).network->hosts() == 16);
  CHECK_THROWS_AS(read_machine("/nowhere/to/be.json", 2), InputError);
  CHECK_THROWS_AS(read_machine("torus:", 2), InputError);

  const files::Folder folder;
  const auto read = [&](const char* text) { return read_machine(folder.write("platform.json", text), 2); };
  CHECK(read(R"({"levels": [{"latency_s": 1, "bytes_per_second": 2}]})").cost.at(0).latency_s == 1);
  const Machine measured = read(R"({"levels": [{"latency_s": 1, "bytes_per_second": 2, "cards": 1},
                                   {"latency_s": 3, "bytes_per_second": 8, "cards": 2}], "domains": "2x4", "jitter": 0.5})");
  CHECK(measured.hierarchy->size() == 8);
  CHECK(measured.noise.jitter == 0.5);
  CHECK(measured.cost.bytes_per_second(1) == 2);  // of one message: the slowest link on its route, here a card's share
  CHECK(read(measured.to_json().dump().c_str()).to_json() == measured.to_json());
  const Machine links = read(R"({"network": "cluster:2x4", "latency_s": 1e-6, "overhead_s": 3e-6})");
  CHECK(links.cost.at(1).latency_s == doctest::Approx(4e-6));
  CHECK(links.cost.at(1).overhead_s == 3e-6);
  for (const char* bad : {"[]", "{}", R"({"network": 3})", R"({"network": "torus:4", "latency_s": "x"})",
                          R"({"network": "torus:4", "bytes_per_second": 0})", R"({"levels": []})"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(read(bad), InputError);
  }
}
