// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/topology/formats/read_topology.hpp>
#include <atoll/topology/formats/simgrid_platform.hpp>
#include <map>
#include <string>

#include "folder.hpp"

using namespace atl;

namespace {

std::string attribute(const std::string& element, const std::string& name) {
  const std::size_t begin = element.find(" " + name + "=\"");
  REQUIRE(begin != std::string::npos);
  const std::size_t value = begin + name.size() + 3;
  return element.substr(value, element.find('"', value) - value);
}

// The elements <name .../> of a text, in order.
std::vector<std::string> elements(const std::string& text, const std::string& name) {
  std::vector<std::string> all;
  for (std::size_t at = text.find("<" + name + " "); at != std::string::npos; at = text.find("<" + name + " ", at + 1))
    all.push_back(text.substr(at, text.find('>', at) - at));
  return all;
}

struct Read {
  std::string routing;
  std::map<std::string, double> latency_s, bytes_per_second;  // [link]
  // [source, target]: links and their directions
  std::map<std::pair<std::string, std::string>, std::vector<std::pair<std::string, std::string>>> routes;

  explicit Read(const std::string& xml) : routing(attribute(elements(xml, "zone").at(0), "routing")) {
    for (const std::string& link : elements(xml, "link")) {
      CHECK(attribute(link, "sharing_policy") == "SPLITDUPLEX");
      latency_s[attribute(link, "id")] = std::stod(attribute(link, "latency"));
      bytes_per_second[attribute(link, "id")] = std::stod(attribute(link, "bandwidth"));
    }
    for (std::size_t at = xml.find("<route "); at != std::string::npos; at = xml.find("<route ", at + 1)) {
      const std::string route = xml.substr(at, xml.find("</route>", at) - at);
      const std::string head = route.substr(0, route.find('>'));
      CHECK(attribute(head, "symmetrical") == "NO");
      auto& hops = routes[{attribute(head, "src"), attribute(head, "dst")}];
      for (const std::string& hop : elements(route, "link_ctn"))
        hops.emplace_back(attribute(hop, "id"), attribute(hop, "direction"));
    }
  }
};

}  // namespace

TEST_CASE("the platform's route of each pair is the network's own, each link in its direction") {
  const files::Folder folder;
  for (const std::string& name : {std::string("torus:4x2"), std::string("fat-tree:2;2,2;1,2;1,2"),
                                  std::string("random:12:3:5"), folder.write("net.links", "0 1\n1 2\n2 0\n0 1\n")}) {
    CAPTURE(name);
    const Network network = read_network(name);
    const Read platform(simgrid_platform(network, {}));
    CHECK(platform.routing == "Full");
    const std::vector<std::string> hosts = simgrid_host_names(network);
    const auto pairs = hosts.size() * (hosts.size() - 1);
    CHECK(platform.routes.size() == pairs);
    for (int a = 0; a < network.hosts(); ++a)
      for (int b = 0; b < network.hosts(); ++b) {
        if (a == b) continue;
        std::vector<std::pair<std::string, std::string>> expected;
        for (const Hop& hop : network.route(a, b))
          expected.emplace_back("link-" + std::to_string(hop.link),
                                network.links()[static_cast<std::size_t>(hop.link)].a == hop.from ? "UP" : "DOWN");
        CHECK(platform.routes.at({hosts[static_cast<std::size_t>(a)], hosts[static_cast<std::size_t>(b)]}) == expected);
      }
  }
}

TEST_CASE("a route has the latency of its links and of all switches on it") {
  const Network network = Network::parse("mesh:4x1");
  SimgridRates rates{.switch_latency_s = 1e-6};
  const auto latency = [&](const char* to) {
    const Read platform(simgrid_platform(network, rates));
    double sum = 0;
    for (const auto& [link, direction] : platform.routes.at({"host-0", to})) sum += platform.latency_s.at(link);
    return sum;
  };
  CHECK(latency("host-1") == doctest::Approx(3 * 1e-7 + 2e-6));
  CHECK(latency("host-3") == doctest::Approx(5 * 1e-7 + 4e-6));
  rates.link_latency_s = 5e-7;
  CHECK(latency("host-3") == doctest::Approx(5 * 5e-7 + 4e-6));
}

TEST_CASE("Hamorder's machine: cables of 40 Gb/s, switches of 60 ns, hosts of 100 GF/s") {
  const std::string xml = simgrid_platform(Network::parse("torus:4x4"), simgrid_preset("hamorder-paper").value());
  for (const std::string& host : elements(xml, "host")) CHECK(std::stod(attribute(host, "speed")) == 100e9);
  const Read platform(xml);
  double latency = 0;
  for (const auto& [link, direction] : platform.routes.at({"host-0", "host-2"})) {
    CHECK(platform.bytes_per_second.at(link) == 5e9);
    latency += platform.latency_s.at(link);
  }
  CHECK(latency == doctest::Approx(3 * 60e-9));
  CHECK(!simgrid_preset("hamorder"));
}

TEST_CASE("a large network has links alone; parallel cables are one, of their sum") {
  std::string lines = "0 1 2e9\n1 0 3e9\n";
  for (int r = 1; r < kMostSimgridTable + 1; ++r) lines += std::to_string(r) + " " + std::to_string(r + 1) + "\n";
  const files::Folder folder;
  const Network network = read_network(folder.write("net.links", lines));
  const Read platform(simgrid_platform(network, {}));
  CHECK(platform.routing == "DijkstraCache");
  CHECK(platform.latency_s.size() == network.links().size() - 1);
  CHECK(platform.routes.size() == 2 * platform.latency_s.size());
  const auto& there = platform.routes.at({"router-0", "router-1"});
  const auto& back = platform.routes.at({"router-1", "router-0"});
  REQUIRE(there.size() == 1);
  CHECK(platform.bytes_per_second.at(there[0].first) == 5e9);
  CHECK(there[0].first == back.at(0).first);
  CHECK(there[0].second != back.at(0).second);
}

TEST_CASE("rates that are none are refused") {
  const Network network = Network::parse("torus:2x2");
  CHECK_THROWS_AS(simgrid_platform(network, {.flops_per_second = 0}), InputError);
  CHECK_THROWS_AS(simgrid_platform(network, {.switch_latency_s = -1}), InputError);
  CHECK_THROWS_AS(simgrid_platform(network, {.bytes_per_second = 0}), InputError);
}
