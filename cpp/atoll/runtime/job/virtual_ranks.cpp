// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/runtime/job/rank_order.hpp>
#include <atoll/runtime/job/virtual_ranks.hpp>
#include <nlohmann/json.hpp>

namespace atl {

VirtualRun run_virtual(const Hierarchy& places, const Machine& machine, const Plan& plan,
                       const std::function<void(World&)>& f, World::Options options) {
  constexpr std::size_t kShortest = 512, kLongest = 65536;
  const std::vector<Rank> order = rank_order(plan, places.size(), machine.network.get());
  const Hierarchy hierarchy = order.empty() ? places : places.of_places(order);
  const std::unique_ptr<VirtualClock> clock =
      make_clock(plan.transport == "flows" ? "flows" : "levels",
                 {.hierarchy = hierarchy,
                  .costs = machine.cost.levels(),
                  .network = machine.network,
                  .places = order,
                  .noise = machine.noise,
                  .slot_bytes = plan.slot_bytes_for(hierarchy.size()),
                  .longest_slot_bytes = plan.longest_slot_bytes(),
                  .message_bytes = std::clamp(plan.eager_bytes, kShortest, kLongest),
                  .slots_per_peer = plan.slots_per_peer,
                  .compute_scale = plan.compute_scale});
  Plan local = plan;
  local.threads = 1;
  local.progress = "inline";

  VirtualRun run;
  std::size_t leaves = 0;
  for (Rank r = 0; r < hierarchy.size(); ++r)
    leaves = std::max(leaves, static_cast<std::size_t>(hierarchy.leaf_of(r)) + 1);
  if (hierarchy.size() <= Counters::kRanksByPair) run.traffic.resize(leaves * leaves);
  clock->run([&](Rank rank) {
    World::Options mine = options;
    if (rank != 0) mine.log = {};
    if (!mine.machine) mine.machine = machine;
    // The measured time has that of records in it.
    if (plan.compute_scale > 0) mine.machine->records = {};
    mine.waiting = [&clock, &options, rank](const char* operation) {
      clock->note_wait(rank, operation);
      if (options.waiting) options.waiting(operation);
    };
    World world(clock->fabric(rank), local, hierarchy, std::move(mine));
    f(world);
    world.close();
    const Counters counted = world.counters();
    run.counters += counted;
    for (std::size_t to = 0; to < counted.bytes_to.size(); ++to)
      run.traffic[static_cast<std::size_t>(hierarchy.leaf_of(rank)) * leaves +
                  static_cast<std::size_t>(hierarchy.leaf_of(static_cast<Rank>(to)))] += counted.bytes_to[to];
  });

  run.seconds = clock->seconds();
  for (Rank r = 0; r < hierarchy.size(); ++r) run.ranks.push_back(clock->spent(r));
  for (const LevelTraffic& t : clock->traffic()) {
    run.levels.push_back({t.bulk, t.bulk_bytes - t.bulk * World::kHeaderBytes});  // as Counters count: payload
    run.queued.push_back({t.small, t.small_bytes});
  }
  for (int l = 0; l < hierarchy.depth(); ++l) run.kinds.emplace_back(hierarchy.kind_at(l));
  run.memory_bytes = clock->memory_bytes();
  return run;
}

nlohmann::json VirtualRun::to_json() const {
  TimeSpent sum;
  for (const TimeSpent& r : ranks) sum += r;
  nlohmann::json j{{"rank_seconds", sum.to_json()}, {"memory_bytes", memory_bytes}};
  for (std::size_t l = 0; l < levels.size(); ++l)
    j["levels"].push_back({{"level", l},
                           {"kind", kinds[l]},
                           {"messages", levels[l].messages + queued[l].messages},
                           {"bytes", levels[l].bytes + queued[l].bytes}});
  if (!traffic.empty()) j["traffic"] = {{"between", "leaf domains"}, {"bytes", traffic}};
  return j;
}

}  // namespace atl
