// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/transport/time_spent.hpp>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace atl {

/// Traffic that this rank has sent across one level of the hierarchy.
struct LevelCount {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t merged_bytes = 0;  ///< saved: records that were merged into others on their way
};

/// Exchanges that were announced (Mailbox::expect), by the route they took.
struct RouteCount {
  std::uint64_t exchanges = 0;
  double predicted_seconds = 0;  ///< by RouteModel
  double seconds = 0;            ///< measured, including computation
};

/// Traffic and waits of a rank since the World was made. Always on: counted per packet, not per record.
struct Counters {
  std::vector<LevelCount> levels;  ///< [level of the hierarchy, 0 = inside a leaf domain]
  std::uint64_t records = 0;       ///< sent through mailboxes, including those to the own rank
  std::uint64_t retries[5] = {};   ///< [Busy]: how often a slot was refused, by reason
  std::uint64_t memory_bytes = 0;  ///< high-water mark of communication memory: fabric and mailboxes
  double wait_seconds = 0;         ///< in collectives and drains: communication that computation did not hide
  std::map<std::string, RouteCount, std::less<>> routes;  ///< if routes are chosen (Plan::route is auto)
  TimeSpent time;                                         ///< of the rank's main thread; summed over several ranks
  std::vector<std::uint64_t> bytes_to;  ///< [rank] bytes sent to it; empty in jobs of more than kRanksByPair
  static constexpr int kRanksByPair = 1024;

  Counters& operator+=(const Counters& other);
  /// The difference since `before`; memory_bytes stays the high-water mark.
  Counters since(const Counters& before) const;
  /// `kinds[level]` is the name of a level.
  nlohmann::json to_json(const std::vector<std::string>& kinds) const;
};

}  // namespace atl
