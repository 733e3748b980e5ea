// SPDX-License-Identifier: Apache-2.0
#include <atoll/runtime/aggregation/hop_list.hpp>
#include <atoll/runtime/world.hpp>
#include <map>

namespace atl {

HopList::HopList(World& world, const Route& route) : route_(route) {
  const Rank me = world.rank();
  // A record that has crossed a domain's boundary stays inside that domain, and it enters at a few ranks only. Other
  // ranks need no hops down.
  const auto depth = static_cast<std::size_t>(route.depth());
  std::vector<char> hands_down(depth, !route.gathers());
  if (route.gathers())
    for (std::size_t level = depth - 1; level-- > 0;)
      hands_down[level] = hands_down[level + 1] || route.receives_across(static_cast<int>(level) + 1, me);
  std::map<Hop, std::uint32_t> known;
  for (const Phase phase : {Phase::up, Phase::down})
    for (Rank to = 0; to < world.size(); ++to) {
      std::uint32_t& number = hop_for_[static_cast<std::size_t>(phase)].emplace_back(0);
      if (phase == Phase::down && to != me && !hands_down[world.level_to(to)]) continue;
      const Route::Hop next = route.next(me, to, phase);
      const Hop hop{next.rank, next.phase, route.round_of(phase, next.phase, world.level_to(next.rank))};
      const auto [it, is_new] = known.try_emplace(hop, static_cast<std::uint32_t>(hops_.size()));
      if (is_new) hops_.push_back(hop);
      number = it->second;
    }
  closes_ = route.gathers();
  arriving_.assign(static_cast<std::size_t>(rounds()), 0);
  if (!closes_) return;
  // One bit for each round and arrival phase.
  std::vector<Edge> mine(static_cast<std::size_t>(world.size()), 0);
  for (const Hop& w : hops_)
    if (w.next != me) mine[w.next] |= Edge{1} << (2 * w.round + static_cast<int>(w.arrival));
  for (const Edge theirs : world.exchange_lengths(mine))
    for (int bit = 0; bit < 2 * rounds(); ++bit) arriving_[bit / 2] += static_cast<int>(theirs >> bit & 1);
}

}  // namespace atl
