// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/topology/cost.hpp>
#include <cmath>
#include <cstddef>
#include <span>

/// How long the slots of a relay are, and how many of them may be in flight to a peer. Relays, the route model and the
/// simulation take their numbers from here.
///
///     const SlotRule rule{.bytes = 1024, .per_peer = 4, .longest = 256 << 10};
///     rule.bytes_for(18);                          // 58,240: few hops, long slots
///     rule.per_peer_for(58'240, costs, 2);         // as many as keep a link of level 2 busy for a round trip
namespace atl {

struct SlotRule {
  std::size_t bytes = 0;    ///< of the slots that a rank has for every peer
  int per_peer = 4;         ///< of those
  std::size_t longest = 0;  ///< of a relay's slots; not above `bytes`: they are like all others
  bool expands = true;      ///< whether a sender runs ahead as far as its links need (Plan::buffers is dynamic)

  /// The length of a rank's slots if it sends to so many peers: a rank's slots hold 1 MiB times per_peer in all.
  std::size_t bytes_for(double hops) const {
    constexpr std::size_t kShortest = 4 << 10;
    constexpr double kInAll = 1 << 20;
    if (longest <= bytes) return bytes;
    const auto fair = static_cast<std::size_t>(kInAll / std::max(1.0, hops)) / 64 * 64;
    return std::clamp(fair, std::min(longest, std::max(bytes, kShortest)), longest);
  }
  /// How many slots of `slot_bytes` may be in flight to a peer across this level: those that fill its slowest link for
  /// twice the latency, so that no sender waits for the news that a slot is free again.
  int per_peer_for(std::size_t slot_bytes, std::span<const LevelCost> costs, int level) const {
    constexpr double kMost = 64;
    if (!expands || longest <= bytes) return per_peer;
    const auto at = static_cast<std::size_t>(level);
    double slowest = costs[0].bytes_per_second;
    for (std::size_t l = 1; l <= at; ++l) slowest = std::min(slowest, costs[l].bytes_per_second / costs[l].cards);
    const double window = 2 * costs[at].latency_s * slowest;
    return std::max(per_peer, static_cast<int>(std::min(kMost, std::ceil(window / static_cast<double>(slot_bytes)))));
  }
};

}  // namespace atl
