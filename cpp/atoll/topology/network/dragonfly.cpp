// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/error.hpp>
#include <atoll/topology/network/families.hpp>

// Two groups are joined by one global link (of several cables). A minimal route takes that link and no other, with at
// most one hop inside a chassis and one between chassis on either side of it. It may be longer than the shortest path:
// two global links in a row can save hops inside groups, but global links are the scarce resource of a dragonfly [1].
//
// [1] Kim, Dally, Scott, Abts: Technology-driven, highly-scalable dragonfly topology, ISCA 2008.

namespace atl {
namespace {

struct Dragonfly : DragonflyShape {
  explicit Dragonfly(const DragonflyShape& shape) : DragonflyShape(shape) {}

  int group_size() const { return chassis * routers; }
  int all_routers() const { return groups * group_size(); }
  int all_hosts() const { return all_routers() * hosts; }
  int vertex(int router) const { return all_hosts() + router; }

  /// The router of group g that has the link to group t.
  int gateway(int g, int t) const {
    const int inside = global_links > 0 ? (t < g ? t : t - 1) / global_links : t % group_size();
    return g * group_size() + inside;
  }

  std::vector<Link> links() const {
    std::vector<Link> out;
    const auto join = [&](int a, int b, int cables) {
      for (int c = 0; c < cables; ++c) out.push_back({.a = vertex(a), .b = vertex(b)});
    };
    for (int h = 0; h < all_hosts(); ++h) out.push_back({.a = h, .b = vertex(h / hosts)});
    for (int r = 0; r < all_routers(); ++r)
      for (int s = r + 1; s < (r / group_size() + 1) * group_size(); ++s)
        if (r / routers == s / routers)
          join(r, s, router_cables);
        else if (r % routers == s % routers)
          join(r, s, chassis_cables);
    for (int g = 0; g < groups; ++g)
      for (int t = g + 1; t < groups; ++t) join(gateway(g, t), gateway(t, g), group_cables);
    return out;
  }

  // Inside one group: first along the chassis, then between chassis.
  void walk(int& at, int to, std::vector<int>& vertices) const {
    if (at % routers != to % routers) {
      at += to % routers - at % routers;
      vertices.push_back(vertex(at));
    }
    if (at != to) vertices.push_back(vertex(at = to));
  }

  void path(int a, int b, std::vector<int>& vertices) const {
    int at = a / hosts;
    const int to = b / hosts, from_group = at / group_size(), to_group = to / group_size();
    vertices.push_back(vertex(at));
    if (from_group != to_group) {
      walk(at, gateway(from_group, to_group), vertices);
      vertices.push_back(vertex(at = gateway(to_group, from_group)));
    }
    walk(at, to, vertices);
    vertices.push_back(b);
  }
};

}  // namespace

Network dragonfly_network(std::string name, const DragonflyShape& shape) {
  const double group = static_cast<double>(shape.chassis) * shape.routers, routers = group * shape.groups;
  const double hosts = routers * shape.hosts;
  check_size(name, hosts, routers,
             hosts + routers * (shape.routers * shape.router_cables + shape.chassis * shape.chassis_cables) +
                 static_cast<double>(shape.groups) * shape.groups * shape.group_cables);
  check(shape.global_links == 0 || shape.groups - 1 <= group * shape.global_links,
        "network {}: {} groups (a group has only {} global links). Have at most {} groups.", name, shape.groups,
        group * shape.global_links, group * shape.global_links + 1);
  const Dragonfly fly(shape);
  return Network({.name = std::move(name),
                  .hosts = fly.all_hosts(),
                  .routers = fly.all_routers(),
                  .links = fly.links(),
                  .groups = even_domains({{shape.groups, "system"},
                                          {shape.chassis, "group"},
                                          {shape.routers, shape.chassis > 1 ? "chassis" : "group"},
                                          {shape.hosts, "router"}}),
                  .path = [fly](int a, int b, std::vector<int>& vertices) { fly.path(a, b, vertices); },
                  .bisection = std::nullopt});
}

}  // namespace atl
