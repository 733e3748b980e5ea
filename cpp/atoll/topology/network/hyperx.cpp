// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/topology/network/families.hpp>

// Routers at the points of a grid; those that differ in one coordinate are linked [1]. A route goes once along each
// dimension in which its ends differ, in the order of dimensions.
//
// [1] Ahn, Binkert, Davis, McLaren, Schreiber: HyperX: topology, routing, and packaging of efficient large-scale
//     networks, SC 2009.

namespace atl {
namespace {

struct HyperX {
  std::vector<int> sizes;
  int hosts_per_router;
  int routers = 1;

  HyperX(std::vector<int> s, int hosts) : sizes(std::move(s)), hosts_per_router(hosts) {
    for (const int size : sizes) routers *= size;
  }
  int hosts() const { return routers * hosts_per_router; }
  int vertex(int router) const { return hosts() + router; }

  std::vector<Link> links() const {
    std::vector<Link> out;
    for (int h = 0; h < hosts(); ++h) out.push_back({.a = h, .b = vertex(h / hosts_per_router)});
    for (int r = 0; r < routers; ++r) {
      int stride = 1;
      for (std::size_t i = sizes.size(); i-- > 0; stride *= sizes[i])
        for (int other = r + stride, at = r / stride % sizes[i]; ++at < sizes[i]; other += stride)
          out.push_back({.a = vertex(r), .b = vertex(other)});
    }
    return out;
  }

  void path(int a, int b, std::vector<int>& vertices) const {
    int at = a / hosts_per_router;
    const int to = b / hosts_per_router;
    vertices.push_back(vertex(at));
    int stride = routers;
    for (const int size : sizes) {
      stride /= size;
      const int step = to / stride % size - at / stride % size;
      if (step == 0) continue;
      at += step * stride;
      vertices.push_back(vertex(at));
    }
    vertices.push_back(b);
  }

  // The smallest cut is across one dimension (Lindsey's theorem), the smallest of them, if that can be halved.
  std::optional<std::int64_t> bisection() const {
    int smallest = 0;
    for (const int size : sizes)
      if (size > 1 && (smallest == 0 || size < smallest)) smallest = size;
    if (smallest == 0 || smallest % 2 != 0) return std::nullopt;
    return static_cast<std::int64_t>(routers / smallest) * (smallest / 2) * (smallest / 2);
  }
};

}  // namespace

Network hyperx_network(std::string name, const std::vector<int>& sizes, int hosts_per_router) {
  double routers = 1, degree = 0;
  for (const int size : sizes) {
    routers *= size;
    degree += size - 1;
  }
  check_size(name, routers * hosts_per_router, routers, routers * (hosts_per_router + degree / 2));
  const HyperX grid(sizes, hosts_per_router);
  std::vector<std::pair<int, std::string>> levels;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::size_t from_leaf = sizes.size() - 1 - i;
    levels.emplace_back(sizes[i], i == 0           ? "system"
                                  : from_leaf == 0 ? "row"
                                  : from_leaf == 1 ? "plane"
                                                   : "level-" + std::to_string(from_leaf));
  }
  levels.emplace_back(hosts_per_router, "router");
  return Network({.name = std::move(name),
                  .hosts = grid.hosts(),
                  .routers = grid.routers,
                  .links = grid.links(),
                  .groups = even_domains(levels),
                  .path = [grid](int a, int b, std::vector<int>& vertices) { grid.path(a, b, vertices); },
                  .bisection = grid.bisection()});
}

}  // namespace atl
