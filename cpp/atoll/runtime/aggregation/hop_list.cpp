// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/runtime/aggregation/hop_list.hpp>
#include <atoll/runtime/routes/route_model.hpp>
#include <atoll/runtime/world.hpp>
#include <map>
#include <numeric>
#include <set>

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
      if (const int level = world.level_to(to);
          phase == Phase::down && to != me && !(hands_down[level] && route.hands_on(level)))
        continue;
      const Route::Hop next = route.next(me, to, phase);
      const int level = world.level_to(next.rank);
      const Hop hop{next.rank, next.phase, route.round_of(phase, next.phase, level), level};
      const auto [it, is_new] = known.try_emplace(hop, static_cast<std::uint32_t>(hops_.size()));
      if (is_new) hops_.push_back(hop);
      number = it->second;
    }
  arriving_.assign(static_cast<std::size_t>(rounds()), 0);
  // One bit for each round and arrival phase.
  std::vector<Edge> mine(static_cast<std::size_t>(world.size()), 0);
  for (const Hop& w : hops_)
    if (w.next != me) mine[w.next] |= Edge{1} << (2 * w.round + static_cast<int>(w.arrival));
  const std::vector<Edge> theirs = world.exchange_lengths(mine);
  std::set<std::pair<int, Rank>> gathered;  // round, the first rank of the domain that a sum is of
  for (Rank from = 0; from < world.size(); ++from)
    for (int bit = 0; bit < 2 * rounds(); ++bit) {
      if ((theirs[from] >> bit & 1) == 0) continue;
      const int round = bit / 2;
      ++arriving_[round];
      if (static_cast<Phase>(bit % 2) != Phase::up || !route.gathers() || round == 0) continue;
      if (!gathered.emplace(round, route.leader(round - 1, from)).second) repeats_.emplace_back(from, bit);
    }
  const auto out = std::count_if(hops_.begin(), hops_.end(), [&](const Hop& h) { return h.next != me; });
  const int in = std::accumulate(arriving_.begin(), arriving_.end(), 0);
  std::vector<int> levels;
  for (int round = 0; round < rounds(); ++round)
    if (route.has_hops_in(round)) levels.push_back(route.level_of(round));
  closes_ = world.route_model().closing_pays(levels, world.max(std::max(static_cast<int>(out), in)));
}

}  // namespace atl
