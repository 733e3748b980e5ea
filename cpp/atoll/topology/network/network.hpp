// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/topology/hierarchy.hpp>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Routers, hosts and the links between them, as a value.
///
///     Network n = Network::parse("torus:4x4x4");
///     for (Hop hop : n.route(0, 63)) busy[hop.link] += bytes;
///     n.distances().aspl;                              // 3.05: mean number of links between the routers of two hosts
///     Hierarchy h = n.hierarchy();                     // rows in planes in the system
///
/// Names (generated networks have one kind of link: 100 ns, 12.5 GB/s):
///
///     cluster:8x8x4             a tree of switches, sizes from the top: 8 switches of 8 switches of 4 hosts
///     fat-tree:8                of switches with 8 ports in three layers: 8^3/4 hosts
///     fat-tree:2;4,4;1,2;1,2    levels; children; parents; cables of each level from the hosts up, as SimGrid has it
///     dragonfly:4,8,4[,G]       hosts a router, routers a group, global links a router; G groups (32 + 1 at most)
///     dragonfly:3,4;4,3;5,1;2   groups; chassis; routers, each with its cables; hosts a router, as SimGrid has it
///     torus:4x4x4  mesh:8x8  hyperx:8x8[:HOSTS]   routers with one host (HOSTS); the last coordinate changes fastest
///     random:64:4[:SEED]        a random connected 4-regular graph of 64 routers with one host each
///
/// Routes are minimal and deterministic: dimension order (torus, mesh), up and down with the parent chosen by the
/// target (trees), at most one global link (dragonfly), else shortest paths. No table of pairs is stored.
namespace atl {

/// A cable between two vertices, in both directions. Hosts are the vertices 0 .. hosts()-1, followed by the routers.
struct Link {
  int a = 0, b = 0;
  double latency_s = 1e-7;
  double bytes_per_second = 12.5e9;
};

/// One step of a route.
struct Hop {
  int link = 0;
  int from = 0, to = 0;  ///< vertices: the direction on the link
  bool operator==(const Hop&) const = default;
};

/// Over all pairs of distinct hosts: the number of links between their routers, without the hosts' own links.
struct RouteLengths {
  double aspl = 0;  ///< average shortest path length
  int diameter = 0;
};

class Network {
 public:
  /// Appends the vertices after `a` up to and including host b, for a != b.
  using Path = std::function<void(int a, int b, std::vector<int>& vertices)>;

  /// The parts of a network.
  struct Parts {
    std::string name;
    int hosts = 0, routers = 0;
    std::vector<Link> links;
    Domain groups;                          ///< their ranks are hosts; see hierarchy()
    Path path;                              ///< empty: shortest paths
    std::optional<std::int64_t> bisection;  ///< if known
  };
  /// Throws InputError unless every host has a link, links to routers only, and reaches all others.
  explicit Network(Parts parts);
  /// One of the names above. Throws InputError.
  static Network parse(std::string_view name);

  /// The same network with this latency and bandwidth on every link.
  Network with_links(double latency_s, double bytes_per_second) &&;

  const std::string& name() const { return parts_.name; }
  int hosts() const { return parts_.hosts; }
  int routers() const { return parts_.routers; }
  std::span<const Link> links() const { return parts_.links; }

  /// The links from host a to host b; none if a == b. O(length) where the family has a routing rule, else O(links): for
  /// many routes to one host use towards().
  std::vector<Hop> route(int a, int b) const;
  /// Whether the family has a routing rule.
  bool has_rule() const { return static_cast<bool>(parts_.path); }
  /// The next hop of every vertex on shortest paths to host b (the lowest-numbered link among equal ones); link -1 at b
  /// itself and where b is unreachable. O(links).
  std::vector<Hop> towards(int b) const;

  /// Runs a breadth-first search from every router that has hosts, in O(hosts) memory: a second at 4,096 hosts.
  RouteLengths distances() const;
  /// The fewest links between routers whose removal leaves half of the hosts on either side; known for regular families
  /// that can be halved along a domain boundary.
  std::optional<std::int64_t> bisection() const { return parts_.bisection; }

  /// The domains that the network implies, one rank per host: the hosts of a router, with pods or groups above. Levels
  /// that separate or join nothing are left out.
  Hierarchy hierarchy() const { return Hierarchy(parts_.groups); }

 private:
  struct End {
    int vertex, link;
  };
  std::span<const End> ends_of(int vertex) const;
  Hop hop(int from, int to, int target) const;
  std::vector<int> hops_from(std::span<const int> sources) const;  // [vertex], over routers; -1: unreachable

  Parts parts_;
  std::vector<int> first_;  // [vertex] into ends_
  std::vector<End> ends_;   // sorted by vertex, then link
};

}  // namespace atl
