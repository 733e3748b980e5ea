// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/start_thread.hpp>
#include <atoll/runtime/job/rank_order.hpp>
#include <atoll/runtime/world.hpp>
#include <atoll/topology/machine.hpp>
#include <atoll/transport/bootstrap/discover.hpp>
#include <atoll/transport/shared_memory/inproc.hpp>
#include <thread>

// Ranks as threads of this process.
namespace atl {

void run_ranks(Rank ranks, const Plan& plan, const std::function<void(World&)>& f, World::Options options) {
  Hierarchy hierarchy = plan.domains.empty() ? Hierarchy::flat(ranks) : read_domains(plan.domains, ranks, options.log);
  check(hierarchy.size() == ranks, "domains '{}' make {} ranks (there are {}). Correct --domains or --ranks.",
        plan.domains, hierarchy.size(), ranks);
  if (const std::vector<Rank> order = rank_order(plan, ranks); !order.empty()) hierarchy = hierarchy.of_places(order);
  std::vector<int> nodes;
  for (Rank r = 0; r < ranks; ++r) nodes.push_back(hierarchy.leaf_of(r));
  auto fabrics = make_inproc({.ranks = ranks,
                              .slot_bytes = plan.slot_bytes_for(ranks),
                              .slots_per_peer = plan.slots_per_peer,
                              .ring_bytes = plan.ring_bytes_for(ranks),
                              .shuffle_seed = plan.shuffle_seed,
                              .nodes = nodes});
  Plan local = plan;
  if (local.threads == 0) local.threads = std::max(1, usable_cores() / ranks);

  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(ranks));
  std::atomic<Rank> first_failed{-1};
  auto play = [&](Rank r) {
    try {
      World::Options mine = options;
      mine.lost_peer = [&, r]() -> std::optional<std::string> {
        if (const Rank failed = first_failed.load(); failed >= 0 && failed != r)
          return fmt::format("rank {} stopped with an error", failed);
        return options.lost_peer ? options.lost_peer() : std::nullopt;
      };
      World world(std::move(fabrics[r]), local, hierarchy, std::move(mine));
      f(world);
      world.close();
    } catch (...) {
      errors[r] = std::current_exception();
      Rank none = -1;
      first_failed.compare_exchange_strong(none, r);
    }
  };
  std::vector<std::thread> others;
  others.reserve(static_cast<std::size_t>(ranks));  // a thread that runs has its place
  try {
    for (Rank r = 1; r < ranks; ++r)
      others.push_back(start_thread(fmt::format("rank {} of {}", r, ranks), [&play, r] { play(r); }));
    play(0);
  } catch (...) {  // those that run hear that it is gone
    const auto r = static_cast<Rank>(others.size() + 1);
    errors[r] = std::current_exception();
    Rank none = -1;
    first_failed.compare_exchange_strong(none, r);
  }
  for (auto& t : others) t.join();
  // The rank that failed first knows why; the others only know that it is gone.
  if (const Rank failed = first_failed.load(); failed >= 0) std::rethrow_exception(errors[failed]);
}

}  // namespace atl
