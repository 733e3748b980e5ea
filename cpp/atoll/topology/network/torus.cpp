// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/topology/network/families.hpp>

namespace atl {
namespace {

struct Grid {
  std::vector<int> sizes;
  Wrap wrap;
  int routers = 1;

  Grid(std::vector<int> s, Wrap w) : sizes(std::move(s)), wrap(w) {
    for (const int size : sizes) routers *= size;
  }

  std::vector<int> place(int router) const {
    std::vector<int> at(sizes.size());
    for (std::size_t i = sizes.size(); i-- > 0;) {
      at[i] = router % sizes[i];
      router /= sizes[i];
    }
    return at;
  }
  int router(const std::vector<int>& at) const {
    int r = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) r = r * sizes[i] + at[i];
    return r;
  }

  std::vector<Link> links() const {
    std::vector<Link> out;
    for (int r = 0; r < routers; ++r) out.push_back({.a = r, .b = routers + r});
    for (int r = 0; r < routers; ++r)
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        std::vector<int> at = place(r);
        // A ring of two has only one link.
        if (++at[i] == sizes[i]) {
          if (wrap == Wrap::no || sizes[i] <= 2) continue;
          at[i] = 0;
        }
        out.push_back({.a = routers + r, .b = routers + router(at)});
      }
    return out;
  }

  // Dimension order, the shorter way around in each dimension; upwards if both are equally long.
  void path(int a, int b, std::vector<int>& vertices) const {
    std::vector<int> at = place(a);
    const std::vector<int> target = place(b);
    vertices.push_back(routers + a);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const int ahead = (target[i] - at[i] + sizes[i]) % sizes[i];
      const bool up = wrap == Wrap::yes ? 2 * ahead <= sizes[i] : target[i] > at[i];
      while (at[i] != target[i]) {
        at[i] = (at[i] + (up ? 1 : sizes[i] - 1)) % sizes[i];
        vertices.push_back(routers + router(at));
      }
    }
    vertices.push_back(b);
  }

  // Cuts across the middle of the longest dimension, if its size is even.
  std::optional<std::int64_t> bisection() const {
    const int longest = *std::max_element(sizes.begin(), sizes.end());
    if (longest % 2 != 0) return std::nullopt;
    return static_cast<std::int64_t>(routers / longest) * (wrap == Wrap::yes && longest > 2 ? 2 : 1);
  }
};

}  // namespace

Network torus_network(std::string name, const std::vector<int>& sizes, Wrap wrap) {
  double routers = 1;
  for (const int size : sizes) routers *= size;
  check_size(name, routers, routers, routers * static_cast<double>(1 + sizes.size()));
  const Grid grid(sizes, wrap);
  std::vector<std::pair<int, std::string>> levels;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::size_t from_leaf = sizes.size() - 1 - i;
    levels.emplace_back(sizes[i], i == 0           ? "system"
                                  : from_leaf == 0 ? "row"
                                  : from_leaf == 1 ? "plane"
                                                   : "level-" + std::to_string(from_leaf));
  }
  return Network({.name = std::move(name),
                  .hosts = grid.routers,
                  .routers = grid.routers,
                  .links = grid.links(),
                  .groups = even_domains(levels),
                  .path = [grid](int a, int b, std::vector<int>& vertices) { grid.path(a, b, vertices); },
                  .bisection = grid.bisection()});
}

}  // namespace atl
