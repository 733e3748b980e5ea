// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/error.hpp>
#include <atoll/transport/virtual_clock.hpp>
#include <cmath>

namespace atl {

ClockOptions checked(ClockOptions options) {
  const int depth = options.hierarchy.depth();
  const Rank ranks = options.hierarchy.size();
  check(options.costs.size() >= static_cast<std::size_t>(depth),
        "costs of {} levels (the hierarchy has {}). Add the missing ones.", options.costs.size(), depth);
  for (const LevelCost& c : options.costs)
    check(c.latency_s >= 0 && c.overhead_s >= 0 && c.bytes_per_second > 0 && std::isfinite(c.latency_s + c.overhead_s),
          "a level with latency {} s, overhead {} s and {} bytes/s (times are at least 0, a bandwidth is above). "
          "Correct it.",
          c.latency_s, c.overhead_s, c.bytes_per_second);
  for (const LevelCost& c : options.costs)
    check(c.messages_per_second >= 0 && std::isfinite(c.messages_per_second),
          "a level of {} messages per second (0 for no limit, or more). Correct it.", c.messages_per_second);
  for (std::size_t l = 0; l < options.costs.size(); ++l)
    check(options.costs[l].cards == 1 || (l > 0 && options.costs[l].cards >= 1 && options.costs[l].cards <= 1024),
          "a level {} of {} cards (a rank's own link is one; a domain has 1 to 1024). Correct it.", l,
          options.costs[l].cards);
  check(!options.network || options.network->hosts() >= ranks,
        "{} ranks on {} (it has {} hosts, and each rank takes one). Take a larger network or fewer ranks.", ranks,
        options.network ? options.network->name() : "", options.network ? options.network->hosts() : 0);
  std::vector<bool> taken(options.places.size());
  for (const Rank place : options.places) {
    const bool free =
        place >= 0 && place < ranks && options.places.size() == static_cast<std::size_t>(ranks) && !taken[place];
    check(free, "place {} among {} of {} ranks (each of the places 0 to {} is taken once). Correct the order.", place,
          options.places.size(), ranks, ranks - 1);
    taken[place] = true;
  }
  check(options.slots_per_peer >= 1 && options.slots_per_peer <= 64,
        "slots_per_peer is {} (1 to 64 are possible). Change it in the plan.", options.slots_per_peer);
  check(options.slot_bytes >= 128 && options.slot_bytes < (std::size_t{1} << 30),
        "slot_bytes is {} (128 to 2^30 are possible). Change it in the plan.", options.slot_bytes);
  check(options.compute_scale >= 0, "compute_scale is {} (at least 0). Change it.", options.compute_scale);
  return options;
}

}  // namespace atl
