// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/topology/network/bisection.hpp>
#include <atoll/topology/network/router_graph.hpp>
#include <cstdlib>
#include <numeric>

namespace atl {

Halving::Halving(const std::vector<std::vector<int>>& neighbours, const std::vector<int>& hosts)
    : neighbours_(neighbours),
      hosts_(hosts),
      gain_(hosts.size()),
      next_(hosts.size()),
      previous_(hosts.size()),
      locked_(hosts.size()) {
  int unit = 0;
  for (std::size_t r = 0; r < hosts.size(); ++r) {
    most_links_ = std::max(most_links_, static_cast<int>(neighbours[r].size()));
    most_hosts_ = std::max(most_hosts_, hosts[r]);
    all_hosts_ += hosts[r];
    unit = std::gcd(unit, hosts[r]);
  }
  if (unit > 0) tolerance_ = all_hosts_ / unit % 2 == 0 ? 0 : unit;
  for (std::vector<int>& first : first_) first.assign(2 * static_cast<std::size_t>(most_links_) + 1, -1);
}

std::vector<char> Halving::random_bisection(Random& random) const {
  std::vector<int> order(hosts_.size());
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  std::vector<char> part(hosts_.size());
  std::int64_t more = 0;  // hosts in part 0 beyond those in part 1
  for (const int r : order) {
    const int hosts = hosts_[r];
    const bool one = hosts == 0 ? (random() & 1) != 0 : more > 0;
    part[r] = one ? 1 : 0;
    more += one ? -hosts : hosts;
  }
  return part;
}

std::int64_t Halving::cut(const std::vector<char>& part) const {
  std::int64_t ends = 0;
  for (std::size_t r = 0; r < part.size(); ++r)
    for (const int s : neighbours_[r]) ends += part[r] != part[s];
  return ends / 2;
}

std::int64_t Halving::improve(std::vector<char>& part) {
  std::int64_t best = kNone;
  while (pass(part, best)) {
  }
  return best;
}

void Halving::link(int router, int part) {
  const auto r = static_cast<std::size_t>(router);
  int& first = first_[part][gain_[r] + most_links_];
  previous_[r] = -1;
  next_[r] = first;
  if (first >= 0) previous_[first] = router;
  first = router;
  top_[part] = std::max(top_[part], gain_[r] + most_links_);
}

void Halving::unlink(int router, int part) {
  const auto r = static_cast<std::size_t>(router);
  if (previous_[r] < 0)
    first_[part][gain_[r] + most_links_] = next_[r];
  else
    next_[previous_[r]] = next_[r];
  if (next_[r] >= 0) previous_[next_[r]] = previous_[r];
}

// The router of that part whose move saves most; -1: none is left.
int Halving::top(int part) {
  while (top_[part] > 0 && first_[part][top_[part]] < 0) --top_[part];
  return first_[part][top_[part]];
}

bool Halving::pass(std::vector<char>& part, std::int64_t& best) {
  std::int64_t now = cut(part), more = 0;
  for (int s = 0; s < 2; ++s) {
    std::ranges::fill(first_[s], -1);
    top_[s] = 0;
  }
  for (std::size_t r = 0; r < part.size(); ++r) {
    more += part[r] == 0 ? hosts_[r] : -hosts_[r];
    locked_[r] = 0;
    gain_[r] = 0;
    for (const int s : neighbours_[r]) gain_[r] += part[r] != part[s] ? 1 : -1;
    link(static_cast<int>(r), part[r]);
  }
  bool better = false;
  if (std::abs(more) <= tolerance_) best = std::min(best, now);
  std::vector<int> moved;
  std::size_t kept = 0;
  for (;;) {
    int router = -1;
    for (const int s : {0, 1}) {
      const int candidate = top(s);
      if (candidate < 0) continue;
      const auto c = static_cast<std::size_t>(candidate);
      const std::int64_t after = more - (s == 0 ? 2 : -2) * static_cast<std::int64_t>(hosts_[c]);
      // One move away from balance at most, or nearer to it than before.
      if (std::abs(after) > 2 * most_hosts_ && std::abs(after) >= std::abs(more)) continue;
      const bool from_larger = s == 0 ? more > 0 : more < 0;
      if (router < 0 || gain_[c] > gain_[router] || (gain_[c] == gain_[router] && from_larger)) router = candidate;
    }
    if (router < 0) break;
    const auto r = static_cast<std::size_t>(router);
    const int from = part[r];
    unlink(router, from);
    locked_[r] = 1;
    now -= gain_[r];
    more -= (from == 0 ? 2 : -2) * static_cast<std::int64_t>(hosts_[r]);
    part[r] = static_cast<char>(1 - from);
    for (const int n : neighbours_[r]) {
      const auto i = static_cast<std::size_t>(n);
      if (locked_[i]) continue;
      unlink(n, part[i]);
      gain_[i] += part[i] == from ? 2 : -2;
      link(n, part[i]);
    }
    moved.push_back(router);
    if (std::abs(more) <= tolerance_ && now < best) {
      best = now;
      better = true;
      kept = moved.size();
    }
  }
  for (std::size_t i = moved.size(); i-- > kept;) {
    char& back = part[moved[i]];
    back = static_cast<char>(1 - back);
  }
  return better;
}

std::optional<std::int64_t> bisection_bound(const Network& network, int starts, std::uint64_t seed) {
  const RouterGraph routers(network);
  std::vector<std::vector<int>> neighbours(static_cast<std::size_t>(network.routers()));
  for (int r = 0; r < network.routers(); ++r)
    for (const RouterGraph::End& end : routers.ends_of(r)) neighbours[r].push_back(end.router);
  std::vector<int> hosts(neighbours.size(), 0);
  for (int h = 0; h < network.hosts(); ++h) {
    if (routers.routers_of(h).size() > 1) return std::nullopt;
    ++hosts[routers.routers_of(h)[0]];
  }
  Halving halving(neighbours, hosts);
  Random random(seed);
  std::int64_t best = Halving::kNone;
  for (int i = 0; i < starts; ++i) {
    std::vector<char> part = halving.random_bisection(random);
    best = std::min(best, halving.improve(part));
  }
  if (best == Halving::kNone) return std::nullopt;
  return best;
}

}  // namespace atl
