// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/topology/network/families.hpp>

// A vertex of level l (hosts are level 0, with h levels of switches above) is a word of h digits: digit i says which
// child it is under for i > l, and which of the equivalent switches it is for i <= l. Two vertices of adjacent levels
// are linked if all digits but that of the upper level agree. A route goes up to the level of the highest digit in
// which its ends differ. Every digit set on the way up is free, and D-mod-K [1] takes it from the target's number, so
// that streams to different targets spread over the parents. On the way down the digits become the target's.
//
// [1] Zahavi, Johnson, Kerbyson, Lang: Optimized InfiniBand fat-tree routing for shift all-to-all communication
//     patterns, Concurrency and Computation 22 (2010).

namespace atl {
namespace {

struct Tree {
  std::vector<int> m, w, p;     // from the hosts up
  std::vector<int> level_size;  // [level]
  std::vector<int> first;       // [level] number of the first vertex

  explicit Tree(const TreeShape& shape) : m(shape.children), w(shape.parents), p(shape.cables) {
    int at = 0;
    for (int l = 0; l <= height(); ++l) {
      int size = 1;
      for (int i = 0; i < height(); ++i) size *= base(l, i);
      level_size.push_back(size);
      first.push_back(at);
      at += size;
    }
  }

  int height() const { return static_cast<int>(m.size()); }
  int base(int level, int digit) const { return (digit < level ? w : m)[digit]; }

  std::vector<int> digits(int level, int index) const {
    std::vector<int> d;
    for (int i = 0; i < height(); ++i) {
      d.push_back(index % base(level, i));
      index /= base(level, i);
    }
    return d;
  }
  int vertex(int level, const std::vector<int>& d) const {
    int index = 0;
    for (int i = height() - 1; i >= 0; --i) index = index * base(level, i) + d[i];
    return first[level] + index;
  }

  std::vector<Link> links() const {
    std::vector<Link> out;
    for (int l = 0; l < height(); ++l) {
      const auto i = static_cast<std::size_t>(l);
      for (int n = 0; n < level_size[i]; ++n) {
        std::vector<int> d = digits(l, n);
        const int below = vertex(l, d);
        for (d[i] = 0; d[i] < w[i]; ++d[i])
          for (int cable = 0; cable < p[i]; ++cable) out.push_back({.a = below, .b = vertex(l + 1, d)});
      }
    }
    return out;
  }

  void path(int a, int b, std::vector<int>& vertices) const {
    std::vector<int> at = digits(0, a);
    const std::vector<int> target = digits(0, b);
    int top = height();
    while (at[top - 1] == target[top - 1]) --top;
    int choice = b;
    for (int l = 0; l < top; ++l) {
      const auto i = static_cast<std::size_t>(l);
      at[i] = choice % w[i];
      choice /= w[i];
      vertices.push_back(vertex(l + 1, at));
    }
    for (int l = top - 1; l >= 0; --l) {
      at[l] = target[l];
      vertices.push_back(vertex(l, at));
    }
  }

  // If half of the hosts consists of whole subtrees of some level, cut their uplinks. The hosts' own links do not
  // count.
  std::optional<std::int64_t> bisection() const {
    std::optional<std::int64_t> best;
    std::int64_t hosts_below = 1, up = 1;
    for (std::size_t i = 0; i < m.size(); ++i) {
      up *= w[i];
      if (i > 0 && (level_size[0] / hosts_below) % 2 == 0) {
        const std::int64_t cut = level_size[0] / hosts_below / 2 * up * p[i];
        best = std::min(best.value_or(cut), cut);
      }
      hosts_below *= m[i];
    }
    return m.back() % 2 == 0 ? best : std::nullopt;
  }
};

}  // namespace

Network tree_network(std::string name, const TreeShape& shape) {
  double hosts = 1, routers = 0, links = 0;
  for (const int m : shape.children) hosts *= m;
  double level = hosts;
  for (std::size_t i = 0; i < shape.children.size(); ++i) {
    links += level * shape.parents[i] * shape.cables[i];
    level = level / shape.children[i] * shape.parents[i];
    routers += level;
  }
  check_size(name, hosts, routers, links);
  const Tree tree(shape);
  std::vector<std::pair<int, std::string>> levels;
  for (std::size_t i = shape.children.size(); i-- > 0;) levels.emplace_back(shape.children[i], shape.kinds[i]);
  return Network({.name = std::move(name),
                  .hosts = static_cast<int>(hosts),
                  .routers = static_cast<int>(routers),
                  .links = tree.links(),
                  .groups = even_domains(levels),
                  .path = [tree](int a, int b, std::vector<int>& vertices) { tree.path(a, b, vertices); },
                  .bisection = tree.bisection()});
}

}  // namespace atl
