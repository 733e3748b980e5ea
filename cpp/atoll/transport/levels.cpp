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

void Levels::carry(std::uint32_t block) {
  const Message& m = message(block);
  const auto link = [&](int level, int direction, int number) -> double& {
    return busy_until_[static_cast<std::size_t>(level)][static_cast<std::size_t>(number)]
                      [static_cast<std::size_t>(direction)];
  };
  double start = m.departs, least = kNever;
  for_links(m, [&](int level, int direction, int number) {
    start = std::max(start, link(level, direction, number));
    least = std::min(least, cost(level).bytes_per_second);
  });
  const auto bytes = static_cast<double>(m.bytes);
  for_links(m, [&](int level, int direction, int number) {
    link(level, direction, number) = start + bytes / cost(level).bytes_per_second;
  });
  arrive(block, start + cost(m.level).latency_s + bytes / least);
}

}  // namespace atl
