// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/topology/network/network.hpp>

namespace atl {

Network::Network(Parts parts) : parts_(std::move(parts)) {
  const int vertices = hosts() + routers();
  check(hosts() > 0, "network {}: no hosts (at least one is needed). Add them.", name());
  first_.assign(static_cast<std::size_t>(vertices) + 1, 0);
  for (const Link& l : links()) {
    check(l.a >= 0 && l.a < vertices && l.b >= 0 && l.b < vertices && l.a != l.b && (l.a >= hosts() || l.b >= hosts()),
          "network {}: a link between {} and {} (vertices are 0 to {}, and hosts are linked to routers). Correct it.",
          name(), l.a, l.b, vertices - 1);
    ++first_[static_cast<std::size_t>(l.a) + 1];
    ++first_[static_cast<std::size_t>(l.b) + 1];
  }
  for (std::size_t v = 1; v < first_.size(); ++v) first_[v] += first_[v - 1];
  ends_.resize(2 * links().size());
  std::vector<int> next(first_.begin(), first_.end() - 1);
  for (std::size_t l = 0; l < links().size(); ++l) {
    const auto [a, b, latency, bandwidth] = links()[l];
    ends_[next[a]++] = {b, static_cast<int>(l)};
    ends_[next[b]++] = {a, static_cast<int>(l)};
  }
  for (std::size_t v = 0; v + 1 < first_.size(); ++v)
    std::sort(ends_.begin() + first_[v], ends_.begin() + first_[v + 1],
              [](const End& x, const End& y) { return std::pair(x.vertex, x.link) < std::pair(y.vertex, y.link); });
  if (hosts() == 1) return;
  const std::vector<Hop> to_first = towards(0);
  for (int h = 1; h < hosts(); ++h)
    check(to_first[h].link >= 0,
          "network {}: no path from host {} to host 0 (all hosts must reach each other). Add the missing links.",
          name(), h);
}

Network Network::with_links(double latency_s, double bytes_per_second) && {
  for (Link& l : parts_.links) {
    l.latency_s = latency_s;
    l.bytes_per_second = bytes_per_second;
  }
  return std::move(*this);
}

std::span<const Network::End> Network::ends_of(int vertex) const {
  const auto v = static_cast<std::size_t>(vertex);
  return {ends_.data() + first_[v], ends_.data() + first_[v + 1]};
}

// Among parallel cables the target selects one, so that a stream keeps its order.
Hop Network::hop(int from, int to, int target) const {
  const auto ends = ends_of(from);
  const auto [low, high] = std::ranges::equal_range(ends, to, {}, &End::vertex);
  ATOLL_ASSERT(low != high);
  return {low[target % (high - low)].link, from, to};
}

std::vector<Hop> Network::route(int a, int b) const {
  std::vector<Hop> hops;
  if (a == b) return hops;
  if (!parts_.path) {
    const std::vector<Hop> next = towards(b);
    for (int at = a; at != b; at = hops.back().to) hops.push_back(next[at]);
    return hops;
  }
  std::vector<int> vertices;
  parts_.path(a, b, vertices);
  for (const int to : vertices) {
    hops.push_back(hop(a, to, b));
    a = to;
  }
  return hops;
}

std::vector<int> Network::hops_from(std::span<const int> sources) const {
  std::vector<int> hops(static_cast<std::size_t>(hosts() + routers()), -1), queue(sources.begin(), sources.end());
  for (const int s : sources) hops[s] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const int at = queue[i];
    if (at < hosts() && hops[at] > 0) continue;  // hosts do not forward
    for (const End& end : ends_of(at))
      if (int& there = hops[end.vertex]; there < 0) {
        there = hops[at] + 1;
        queue.push_back(end.vertex);
      }
  }
  return hops;
}

std::vector<Hop> Network::towards(int b) const {
  const std::vector<int> hops = hops_from(std::span(&b, 1));
  std::vector<Hop> next(hops.size(), {-1, 0, 0});
  for (int v = 0; v < hosts() + routers(); ++v) {
    if (v == b || hops[v] < 0) continue;
    for (const End& end : ends_of(v)) {
      const bool nearer = hops[end.vertex] == hops[v] - 1;
      if (!nearer || (end.vertex < hosts() && end.vertex != b)) continue;
      Hop& best = next[v];
      if (best.link < 0) best = hop(v, end.vertex, b);
    }
  }
  return next;
}

RouteLengths Network::distances() const {
  const auto routers_of = [&](int host) {
    std::vector<int> at;
    for (const End& end : ends_of(host))
      if (at.empty() || at.back() != end.vertex) at.push_back(end.vertex);
    return at;
  };
  RouteLengths d;
  double sum = 0;
  for (int a = 0; a < hosts();) {
    const std::vector<int> sources = routers_of(a);
    int last = a + 1;
    while (last < hosts() && routers_of(last) == sources) ++last;
    const std::vector<int> hops = hops_from(sources);
    std::int64_t from_one = 0;
    for (int b = 0; b < hosts(); ++b) {
      const int links = hops[b] - 1;  // without the target's own link; the source's was not counted
      from_one += links;
      d.diameter = std::max(d.diameter, links);
    }
    sum += static_cast<double>(from_one) * (last - a);
    a = last;
  }
  if (hosts() > 1) d.aspl = sum / (static_cast<double>(hosts()) * (hosts() - 1));
  return d;
}

}  // namespace atl
