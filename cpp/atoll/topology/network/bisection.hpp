// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/random.hpp>
#include <atoll/topology/network/network.hpp>
#include <cstdint>
#include <optional>
#include <vector>

namespace atl {

/// Halves the hosts of a network by few links between routers, by Fiduccia and Mattheyses' passes [1]: each moves every
/// router once, the one that saves most first, and keeps the best balanced state on the way.
///
///     Halving halving(neighbours, hosts_at);
///     std::vector<char> part = halving.random_bisection(random);
///     std::int64_t cut = halving.improve(part);      // links between the parts
///
/// The least cut is NP-hard to find: what is found is an upper bound of it.
///
/// [1] C. Fiduccia, R. Mattheyses. "A linear-time heuristic for improving network partitions." DAC 1982.
class Halving {
 public:
  /// neighbours[router]: those that its links lead to; hosts[router]: how many hosts it has. Both are referred to.
  Halving(const std::vector<std::vector<int>>& neighbours, const std::vector<int>& hosts);

  /// [router] 0 or 1: routers at random, each to the part with fewer hosts.
  std::vector<char> random_bisection(Random& random) const;
  /// Passes until one does not help. Returns the cut; kNone if no balanced state was found.
  std::int64_t improve(std::vector<char>& part);
  std::int64_t cut(const std::vector<char>& part) const;
  static constexpr std::int64_t kNone = INT64_MAX;

 private:
  bool pass(std::vector<char>& part, std::int64_t& best);
  void link(int router, int part);
  void unlink(int router, int part);
  int top(int part);

  const std::vector<std::vector<int>>& neighbours_;
  const std::vector<int>& hosts_;
  int most_links_ = 0, most_hosts_ = 0;
  std::int64_t all_hosts_ = 0, tolerance_ = 0;  // hosts that the parts may differ by
  std::vector<int> gain_, next_, previous_;     // [router]
  std::vector<char> locked_;
  std::vector<int> first_[2];  // [gain + most_links_]
  int top_[2] = {0, 0};
};

/// The least cut found from so many random starts: an upper bound of the bisection, the same for the same seed. None
/// where a host has several routers, or no start could be balanced.
std::optional<std::int64_t> bisection_bound(const Network& network, int starts = 40, std::uint64_t seed = 1);

}  // namespace atl
