// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/topology/cost.hpp>
#include <cmath>
#include <numeric>

namespace atl {
namespace {

// A union-find over ranks. The smallest rank of a set is its root, so the result does not depend on the order of joins.
class Groups {
 public:
  explicit Groups(std::size_t ranks) : up_(ranks) { std::iota(up_.begin(), up_.end(), std::size_t{0}); }
  std::size_t of(std::size_t r) {
    while (up_[r] != r) r = up_[r] = up_[up_[r]];
    return r;
  }
  void join(std::size_t a, std::size_t b) {
    a = of(a);
    b = of(b);
    up_[std::max(a, b)] = std::min(a, b);
  }
  std::size_t count() const {
    std::size_t n = 0;
    for (std::size_t r = 0; r < up_.size(); ++r) n += up_[r] == r;
    return n;
  }

 private:
  std::vector<std::size_t> up_;
};

const char* kind_of(std::size_t level_from_leaves) {
  return level_from_leaves == 0 ? "node" : level_from_leaves == 1 ? "switch" : "group";
}

}  // namespace

Hierarchy cluster(std::span<const double> cost, std::span<const double> h) {
  const auto ranks = static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(cost.size()))));
  check(ranks > 0 && ranks * ranks == cost.size(),
        "a matrix of {} costs (ranks x ranks are needed). Measure every pair once in each direction.", cost.size());
  check(std::is_sorted(h.begin(), h.end()) && std::all_of(h.begin(), h.end(), [](double x) { return x > 0; }),
        "the clustering thresholds are not positive and ascending (each level joins more ranks than the one below it). "
        "Sort them.");

  std::vector<Domain> domains(ranks);
  std::vector<std::size_t> domain_of(ranks);  // [rank]
  for (std::size_t r = 0; r < ranks; ++r) {
    domain_of[r] = r;
    domains[r].ranks = {static_cast<Rank>(r)};
  }
  Groups groups(ranks);
  std::size_t level = 0;
  for (const double threshold : h) {
    const std::size_t before = groups.count();
    for (std::size_t i = 0; i < ranks; ++i)
      for (std::size_t j = i + 1; j < ranks; ++j) {
        const double there = cost[i * ranks + j], back = cost[j * ranks + i];
        check(there >= 0 && back >= 0,
              "the cost between ranks {} and {} is {} and {} (a time is 0 or more). Measure it.", i, j, there, back);
        if (std::min(there, back) < threshold) groups.join(i, j);
      }
    if (level > 0 && groups.count() == before) continue;
    std::vector<Domain> joined;
    std::vector<std::size_t> place(ranks, ranks);  // [group] index in `joined`
    std::vector<bool> taken(domains.size(), false);
    for (std::size_t r = 0; r < ranks; ++r) {
      const std::size_t group = groups.of(r);
      if (place[group] == ranks) {
        place[group] = joined.size();
        joined.push_back({.kind = kind_of(level), .name = {}, .children = {}, .ranks = {}});
      }
      const std::size_t old = std::exchange(domain_of[r], place[group]);
      if (taken[old]) continue;
      taken[old] = true;
      Domain& into = joined[place[group]];
      if (level == 0)
        into.ranks.push_back(static_cast<Rank>(r));
      else
        into.children.push_back(std::move(domains[old]));
    }
    domains = std::move(joined);
    ++level;
  }
  if (level == 0) return Hierarchy::flat(static_cast<Rank>(ranks));
  if (domains.size() == 1) return Hierarchy(std::move(domains[0]));
  return Hierarchy({.kind = "system", .name = {}, .children = std::move(domains), .ranks = {}});
}

Hierarchy cluster(std::span<const double> cost, double h) { return cluster(cost, std::span<const double>(&h, 1)); }

}  // namespace atl
