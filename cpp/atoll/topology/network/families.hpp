// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/topology/network/network.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The families of networks that Network::parse can name; each validates its parameters, and errors begin with `name`.
///
///     Network n = torus_network("torus:4x4", {4, 4}, Wrap::yes);
///
namespace atl {

/// A tree in which switches may have several parents, each with several cables: PGFT(h; m; w; p) of Zahavi's D-mod-K
/// routing. All lists go from the hosts up: m children, w parents, p cables.
struct TreeShape {
  std::vector<int> children, parents, cables;
  std::vector<std::string> kinds;  ///< of the domains under one switch of each level; the last is that of the whole
};
Network tree_network(std::string name, const TreeShape& shape);

enum class Wrap { no, yes };
Network torus_network(std::string name, const std::vector<int>& sizes, Wrap wrap);

/// Routers at the points of a grid, linked with all that differ in one coordinate.
Network hyperx_network(std::string name, const std::vector<int>& sizes, int hosts_per_router);

/// Groups of chassis of routers. The routers of a chassis are fully linked, and so are the routers at the same position
/// of all chassis of a group.
struct DragonflyShape {
  int groups = 0, chassis = 1, routers = 0, hosts = 0;
  int group_cables = 1, chassis_cables = 1, router_cables = 1;
  /// Global links per router, assigned in order of the other group's number; 0: group j is reached from router j.
  int global_links = 0;
};
Network dragonfly_network(std::string name, const DragonflyShape& shape);

Network random_network(std::string name, int routers, int degree, std::uint64_t seed);

/// The domains of hosts numbered in order, given as pairs of (size, kind) from the top; levels of size 1 are left out.
Domain even_domains(const std::vector<std::pair<int, std::string>>& levels);

/// Throws InputError if there are too many hosts, routers or links to store.
void check_size(std::string_view name, double hosts, double routers, double links);

}  // namespace atl
