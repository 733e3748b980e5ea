// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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

/// What a rank has sent and waited for since the World was made. Always on: counted per packet, not per record.
struct Counters {
  std::vector<LevelCount> levels;  ///< [level of the hierarchy, 0 = inside a leaf domain]
  std::uint64_t records = 0;       ///< sent through mailboxes, those to the own rank included
  std::uint64_t retries[5] = {};   ///< [Busy]: how often a slot was refused, by reason
  std::uint64_t memory_bytes = 0;  ///< communication memory: high water, fabric and mailboxes together
  double wait_seconds = 0;         ///< in collectives and drains: communication that computation did not hide

  Counters& operator+=(const Counters& other);
  /// The part since `before`; memory_bytes stays the high water.
  Counters since(const Counters& before) const;
  /// `kinds[level]` names the levels.
  nlohmann::json to_json(const std::vector<std::string>& kinds) const;
};

}  // namespace atl
