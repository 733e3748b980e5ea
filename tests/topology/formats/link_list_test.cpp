// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/topology/formats/link_list.hpp>
#include <atoll/topology/formats/read_topology.hpp>
#include <string>

#include "folder.hpp"

using namespace atl;

namespace {

std::string refused(const std::string& text) {
  const files::Folder folder;
  const std::string path = folder.write("net.links", text);
  try {
    read_network(path);
  } catch (const InputError& e) {
    const std::string message = e.what();
    const std::size_t at = message.find(path);
    REQUIRE(at != std::string::npos);
    return message.substr(at + path.size());
  }
  return "not refused";
}

}  // namespace

TEST_CASE("a list of links: routers with a host each, parallel cables, bandwidth and latency") {
  const files::Folder folder;
  const Network n =
      read_network(folder.write("net.txt", "# a square\n0 1\n1,2 # comma\n2\t3 25e9\n\n3 0 1e9 5e-7\n3 0\n"));
  CHECK(n.hosts() == 4);
  CHECK(n.routers() == 4);
  CHECK(n.distances().diameter == 2);
  REQUIRE(n.links().size() == 5 + 4);
  CHECK(n.links()[0].a == 4);
  CHECK(n.links()[0].b == 5);
  CHECK(n.links()[0].bytes_per_second == Link().bytes_per_second);
  CHECK(n.links()[2].bytes_per_second == 25e9);
  CHECK(n.links()[3].latency_s == 5e-7);
  CHECK(n.hierarchy().size() == 4);
}

TEST_CASE("a written list is the network that is read, and also a hierarchy of one domain") {
  const files::Folder folder;
  for (const std::string name : {"random:20:3", "torus:3x4"}) {
    CAPTURE(name);
    const Network base = Network::parse(name).with_links(2e-7, 25e9);
    const std::string path = folder.write("net.links", link_list(base));
    const Network back = read_network(path);
    CHECK(link_list(back).substr(link_list(back).find('\n')) == link_list(base).substr(link_list(base).find('\n')));
    CHECK(back.distances().aspl == base.distances().aspl);
    CHECK(read_hierarchy(path, 2).size() == 2 * base.hosts());
  }
  CHECK_THROWS_AS(link_list(Network::parse("fat-tree:4")), InputError);
  CHECK_THROWS_AS(link_list(Network::parse("hyperx:3:2")), InputError);
}

TEST_CASE("errors in a list of links name the line") {
  const std::string form =
      " (a line is: two routers, and where known bytes per second and latency in seconds). Correct it.";
  CHECK(refused("0 1\n1\n") == ":2: '1'" + form);
  CHECK(refused("0 1\n1 x\n") == ":2: '1 x'" + form);
  CHECK(refused("0 1\n1 2 3 4 5\n") == ":2: '1 2 3 4 5'" + form);
  CHECK(refused("0 1 fast\n") == ":1: '0 1 fast'" + form);
  CHECK(refused("0 1\n2 2\n") == ":2: a link from router 2 to itself (links join two routers). Remove it.");
  CHECK(refused("0 -1\n") == ":1: router -1 (routers are 0 to 1048575). Correct it.");
  CHECK(refused("0 1 0\n").starts_with(":1: 0 bytes per second"));
  CHECK(refused("0 1 1e9 -1\n").starts_with(":1: 1000000000 bytes per second, -1 s"));
  CHECK(refused("0 1\n2 3\n").starts_with(": no path from host 2 to host 0 (all hosts must reach each other)."));
}
