// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/random.hpp>
#include <atoll/transport/simulation/levels.hpp>
#include <cmath>

namespace atl {

Levels::Levels(ClockOptions options) : EventClock(std::move(options)) {
  for (int l = 0; l < depth(); ++l) {
    wires_.emplace_back(static_cast<std::size_t>(links_at(l)) * static_cast<std::size_t>(cost(l).cards));
    card_.push_back(cost(l).cards > 1 ? cards_of_ranks(l) : std::vector<int>());
  }
  for (const NoiseModel::SlowLink& s : this->options().noise.slow_links) {
    check(s.level >= 0 && s.level < depth() && s.link >= 0 && s.link < links_at(s.level) && s.factor > 0,
          "a slow link {} of level {} by a factor of {} (there are {} levels{}). Correct it.", s.link, s.level,
          s.factor, depth(),
          s.level >= 0 && s.level < depth() ? fmt::format(", and {} links at that one", links_at(s.level)) : "");
    const int cards = cost(s.level).cards;
    for (int c = 0; c < cards; ++c) wires_[s.level][s.link * cards + c].slower = s.factor;
  }
}

// The card of each rank, by its place among the ranks of its domain below that level.
std::vector<int> Levels::cards_of_ranks(int level) const {
  std::vector<int> sizes(static_cast<std::size_t>(links_at(level))), place(static_cast<std::size_t>(ranks())), card;
  std::vector<Rank> by_place(place.size());
  for (Rank r = 0; r < ranks(); ++r) by_place[place_of(r)] = r;
  for (const Rank r : by_place) place[r] = sizes[domains_of(r)[level - 1]]++;
  for (Rank r = 0; r < ranks(); ++r) card.push_back(place[r] * cost(level).cards / sizes[domains_of(r)[level - 1]]);
  return card;
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
  auto& fiber = fibers_[rank];
  fiber->resume();
  if (fiber->ended()) fiber.reset();  // frees its stack
}

// Passes the sender's links, then the receiver's. A message that waits for the former reaches the latter only when it
// has passed them: other messages that are sent there meanwhile go first.
void Levels::carry(std::uint32_t block) {
  Message& m = message(block);
  const double front = pass(m, m.from, 0);
  if (front > m.departs) return cross_at(block, front);
  cross(block);
}

void Levels::cross(std::uint32_t block) {
  Message& m = message(block);
  pass(m, m.to, 1);
  arrive(block, m.left + cost(m.level).latency_s);
}

// Passes the links of one of its ranks in order. On each link the message waits until earlier ones have left, while its
// front is already on the next link. Returns when its front has passed.
double Levels::pass(Message& m, Rank end, int direction) {
  const NoiseModel& noise = options().noise;
  double stretch = 1;
  if (noise.jitter > 0) stretch -= noise.jitter * std::log1p(-Random(random_at(noise.seed, passed_++)).unit());
  double front = direction == 0 ? m.departs : std::max(m.departs, m.front);
  m.left = std::max(m.left, front);
  for (int i = 0; i <= m.level; ++i) {
    const int level = direction == 0 ? i : m.level - i;
    const LevelCost& link = cost(level);
    const std::vector<int>& cards = card_[level];
    const int number =
        (level == 0 ? place_of(end) : domains_of(end)[level - 1]) * link.cards + (cards.empty() ? 0 : cards[end]);
    Wire& wire = wires_[level][number];
    double& busy_until = wire.busy_until[direction];
    front = std::max(front, busy_until);
    busy_until = front + static_cast<double>(m.travel) * link.cards / link.bytes_per_second * wire.slower * stretch;
    m.left = std::max(m.left, busy_until);
    // A card that has passed a message needs its time before the next one, however short; the message itself goes on.
    if (const double rate = cost(m.level).messages_per_second; level == 0 && rate > 0)
      busy_until = std::max(busy_until, front + 1 / rate);
  }
  m.front = front;
  return front;
}

}  // namespace atl
