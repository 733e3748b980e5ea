// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/error.hpp>
#include <atoll/base/random.hpp>
#include <atoll/topology/network/families.hpp>
#include <set>

namespace atl {
namespace {

using Pair = std::pair<int, int>;

Pair ordered(int a, int b) { return a < b ? Pair(a, b) : Pair(b, a); }

bool connected(int routers, const std::set<Pair>& edges) {
  std::vector<std::vector<int>> neighbours(static_cast<std::size_t>(routers));
  for (const auto& [a, b] : edges) {
    neighbours[a].push_back(b);
    neighbours[b].push_back(a);
  }
  std::vector<bool> seen(neighbours.size(), false);
  std::vector<int> queue{0};
  seen[0] = true;
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (const int v : neighbours[queue[i]])
      if (!seen[v]) {
        seen[v] = true;
        queue.push_back(v);
      }
  return queue.size() == neighbours.size();
}

// The configuration model: shuffles the edge endpoints and pairs them up. A pair that would be a self-loop or a
// duplicate swaps an endpoint with an earlier pair. Empty if that does not terminate.
std::set<Pair> pair_endpoints(int routers, int degree, Random& random) {
  std::vector<int> ends;
  for (int r = 0; r < routers; ++r) ends.insert(ends.end(), static_cast<std::size_t>(degree), r);
  for (std::size_t i = ends.size(); i > 1; --i) std::swap(ends[i - 1], ends[random.below(i)]);
  std::set<Pair> edges;
  std::vector<Pair> accepted, rejected;
  for (std::size_t i = 0; i < ends.size(); i += 2) {
    const Pair e = ordered(ends[i], ends[i + 1]);
    if (e.first != e.second && edges.insert(e).second)
      accepted.push_back(e);
    else
      rejected.push_back(e);
  }
  for (std::size_t tries = 0; !rejected.empty(); ++tries) {
    if (accepted.empty() || tries > 1000 + 100 * ends.size()) return {};
    const auto [a, b] = rejected.back();
    Pair& other = accepted[random.below(accepted.size())];
    const auto [c, d] = random() & 1 ? other : Pair(other.second, other.first);
    const Pair one = ordered(a, c), two = ordered(b, d);
    if (a == c || b == d || one == two || edges.contains(one) || edges.contains(two)) continue;
    edges.erase(other);
    edges.insert({one, two});
    other = one;
    accepted.push_back(two);
    rejected.pop_back();
  }
  return edges;
}

// A dense graph is drawn as the complement of a sparse one: among many edges there are too few valid swaps.
std::set<Pair> draw(int routers, int degree, Random& random) {
  if (2 * degree < routers) return pair_endpoints(routers, degree, random);
  const std::set<Pair> absent = pair_endpoints(routers, routers - 1 - degree, random);
  std::set<Pair> edges;
  for (int a = 0; a < routers; ++a)
    for (int b = a + 1; b < routers; ++b)
      if (!absent.contains({a, b})) edges.emplace_hint(edges.end(), a, b);
  // Fewer absent edges than requested mean that pairing did not terminate.
  return 2 * edges.size() == static_cast<std::size_t>(routers) * static_cast<std::size_t>(degree) ? edges
                                                                                                  : std::set<Pair>();
}

}  // namespace

Network random_network(std::string name, int routers, int degree, std::uint64_t seed) {
  check_size(name, routers, routers, static_cast<double>(routers) * (1 + 0.5 * degree));
  check(degree < routers && static_cast<std::int64_t>(routers) * degree % 2 == 0,
        "network {}: {} routers of degree {} (no such graph exists: the degree must be less than the number of "
        "routers, and one "
        "of the two even). Change one.",
        name, routers, degree);
  Random random(seed);
  std::set<Pair> edges;
  // With degree 3 or more nearly every graph is connected; with degree 2 about one in sqrt(routers).
  for (int tries = 0; tries < 1000; ++tries)
    if (edges = draw(routers, degree, random); connected(routers, edges)) break;
  check(connected(routers, edges), "network {}: no connected graph found in 1000 (the degree is too small). Raise it.",
        name);
  Network::Parts parts{.name = std::move(name),
                       .hosts = routers,
                       .routers = routers,
                       .links = {},
                       .groups = even_domains({{routers, "system"}}),
                       .path = {},
                       .bisection = std::nullopt};
  for (int r = 0; r < routers; ++r) parts.links.push_back({.a = r, .b = routers + r});
  for (const auto& [a, b] : edges) parts.links.push_back({.a = routers + a, .b = routers + b});
  return Network(std::move(parts));
}

}  // namespace atl
