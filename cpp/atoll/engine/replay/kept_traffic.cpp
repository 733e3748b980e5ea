// SPDX-License-Identifier: Apache-2.0
#include <atoll/engine/first_rank.hpp>
#include <atoll/engine/replay/replay.hpp>
#include <atoll/runtime/routes/route.hpp>
#include <atoll/runtime/traffic/traffic_log.hpp>

namespace atl {

void keep_traffic(World& world) { world.keep_traffic(kMostKeptBytes / static_cast<std::size_t>(world.size())); }

void save_traffic(World& world, const std::string& path, const std::string& about) {
  const TrafficLog& log = *world.traffic();
  world.agree(!log.is_full(),
              fmt::format("{}: the traffic of rank {} takes more than {} bytes (the {} ranks together keep "
                          "{}). Keep fewer trials, or those of a smaller graph.",
                          path, world.rank(), log.most_bytes(), world.size(), kMostKeptBytes));
  world.collective_try([&] {
    for (const KeptMailbox& mailbox : log.drained()) check_replayable(mailbox, path);
  });
  // Also "direct" where another route is named over domains of one level: there the engine sends no records.
  const std::string route = world.route().is_direct() ? "direct" : world.plan().route;
  std::vector<std::vector<std::byte>> parts = on_first_rank(world, log.bytes());
  world.collective_try([&] {
    if (world.rank() == 0)
      write_traffic(path, {.route = route, .about = about, .trials = log.trials(), .parts = std::move(parts)});
  });
}

}  // namespace atl
