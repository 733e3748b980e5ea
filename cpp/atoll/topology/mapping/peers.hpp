// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/topology/mapping/traffic.hpp>
#include <cstddef>
#include <span>
#include <vector>

namespace atl {

/// Who talks with whom, both directions of a pair together: hops are the same either way.
///
///     const Peers peers(traffic);
///     for (const Peers::Peer& p : peers.of(rank)) pull += p.bytes;
class Peers {
 public:
  struct Peer {
    int rank;
    double bytes;
  };
  /// O(pairs log pairs).
  explicit Peers(const TrafficMatrix& traffic);

  int ranks() const { return static_cast<int>(first_.size()) - 1; }
  /// Peers that the rank exchanges most bytes with come first.
  std::span<const Peer> of(int rank) const {
    const auto r = static_cast<std::size_t>(rank);
    return {peers_.data() + first_[r], first_[r + 1] - first_[r]};
  }
  /// How many there are of all ranks: each pair counts twice.
  std::size_t size() const { return peers_.size(); }

 private:
  std::vector<std::size_t> first_;
  std::vector<Peer> peers_;
};

}  // namespace atl
