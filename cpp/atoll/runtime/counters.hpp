// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/transport/time_spent.hpp>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace atl {

/// What crossed one level of the hierarchy, sent by this rank.
struct LevelCount {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t merged_bytes = 0;  ///< not sent: records that were merged into others on their way
};

/// Exchanges whose size was expected (Mailbox::expect), by the route that they took.
struct RouteCount {
  std::uint64_t exchanges = 0;
  double predicted_seconds = 0;  ///< by the model of runtime/route_model.hpp
  double seconds = 0;            ///< that came of it, computation included
};

/// What a rank has sent and waited for since the World was made. Always on: counted per packet, not per record.
struct Counters {
  std::vector<LevelCount> levels;  ///< [level of the hierarchy, 0 = inside a leaf domain]
  std::uint64_t records = 0;       ///< sent through mailboxes, those to the own rank included
  std::uint64_t retries[5] = {};   ///< [Busy]: how often a slot was refused, by reason
  std::uint64_t memory_bytes = 0;  ///< communication memory: high water, fabric and mailboxes together
  double wait_seconds = 0;         ///< in collectives and drains: communication that computation did not hide
  std::map<std::string, RouteCount, std::less<>> routes;  ///< where routes are chosen (Plan::route is auto)
  TimeSpent time;                                         ///< of the rank's first thread; of several ranks, the sum
  std::vector<std::uint64_t> bytes_to;  ///< [rank] sent there; empty in jobs of more than kRanksByPair
  static constexpr int kRanksByPair = 1024;

  Counters& operator+=(const Counters& other);
  /// The part since `before`; memory_bytes stays the high water.
  Counters since(const Counters& before) const;
  /// `kinds[level]` names the levels.
  nlohmann::json to_json(const std::vector<std::string>& kinds) const;
};

}  // namespace atl
