// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/transport/levels.hpp>

namespace atl {

Levels::Levels(ClockOptions options) : EventClock(std::move(options)) {
  for (int l = 0; l < depth(); ++l) busy_until_.emplace_back(static_cast<std::size_t>(links_at(l)));
}

void Levels::run(const std::function<void(Rank)>& f) {
  for (Rank r = 0; r < ranks(); ++r) {
    fibers_.push_back(std::make_unique<Fiber>([this, r, &f] { live(r, f); }));
    start(r);
  }
  while (!all_ended()) nothing_ahead() ? break_off() : step();
  rethrow_first_error();
}

void Levels::resume(Rank rank) {
  auto& fiber = fibers_[static_cast<std::size_t>(rank)];
  fiber->resume();
  if (fiber->ended()) fiber.reset();  // its stack too
}

// Link after link: on each it waits until those before it have left, while its front is already on the next.
void Levels::carry(std::uint32_t block) {
  const Message& m = message(block);
  double at = m.departs, left = m.departs;  // its front, and its end
  const auto pass = [&](Rank end, int level, int direction) {
    const int number = level == 0 ? end : domains_of(end)[level - 1];
    double& busy_until = busy_until_[static_cast<std::size_t>(level)][static_cast<std::size_t>(number)]
                                    [static_cast<std::size_t>(direction)];
    at = std::max(at, busy_until);
    busy_until = at + static_cast<double>(m.bytes) / cost(level).bytes_per_second;
    left = std::max(left, busy_until);
  };
  for (int level = 0; level <= m.level; ++level) pass(m.from, level, 0);
  for (int level = m.level; level >= 0; --level) pass(m.to, level, 1);
  arrive(block, left + cost(m.level).latency_s);
}

}  // namespace atl
