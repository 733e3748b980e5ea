// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/engine/halo/domain_mirrors.hpp>
#include <atoll/runtime/routes/route.hpp>
#include <tuple>

namespace atl {

DomainMirrors::DomainMirrors(World& world, const Route& route, const std::vector<HaloRows>& known,
                             const std::vector<Edge>& positions)
    : route_(route), near_(static_cast<std::size_t>(world.size()), world.chooses_routes()) {
  if (world.chooses_routes()) return;
  const int level = route.depth() - 2;  // of the domains that the highest level separates
  for (const Rank r : route.domain(level, world.rank())) near_[r] = 1;

  struct Mirror {
    Local master;
    Copy copy;
  };
  // Message to a receiving rank: for each master the number of its copies, then rank and index of each.
  std::vector<std::vector<Local>> lists(static_cast<std::size_t>(world.size()));
  std::vector<Mirror> mirrors;
  for (Rank leader = 0; leader < world.size(); ++leader) {
    if (is_near(leader) || route.leader(level, leader) != leader) continue;
    mirrors.clear();
    for (const Rank r : route.domain(level, leader)) {
      const HaloRows& masters = known[r];
      for (std::size_t k = 0; k < masters.size(); ++k)
        mirrors.push_back({masters.row(k), {r, static_cast<Local>(positions[r] + static_cast<Edge>(k))}});
    }
    if (mirrors.empty()) continue;
    std::sort(mirrors.begin(), mirrors.end(), [](const Mirror& a, const Mirror& b) {
      return std::tie(a.master, a.copy.rank) < std::tie(b.master, b.copy.rank);
    });
    Domain& domain = domains_.emplace_back();
    domain.receiver = route.monitor(leader, level, world.rank());
    auto& list = lists[domain.receiver];
    std::vector<Local> own;
    for (std::size_t begin = 0, end = 0; begin < mirrors.size(); begin = end) {
      while (end < mirrors.size() && mirrors[end].master == mirrors[begin].master) ++end;
      own.push_back(mirrors[begin].master);
      list.push_back(static_cast<Local>(end - begin));
      for (std::size_t i = begin; i < end; ++i)
        list.insert(list.end(), {static_cast<Local>(mirrors[i].copy.rank), mirrors[i].copy.position});
    }
    domain.masters = HaloRows::listed(std::move(own));
  }
  std::vector<Edge> first_entry;  // [rank] first entry here of its masters
  for (const std::vector<Local>& list : world.exchange(lists)) {
    first_entry.push_back(static_cast<Edge>(entries()));
    for (std::size_t at = 0; at < list.size();) {
      for (Local left = list[at++]; left > 0; --left, at += 2)
        copies_.push_back({static_cast<Rank>(list[at]), list[at + 1]});
      first_.push_back(static_cast<std::uint32_t>(copies_.size()));
    }
  }
  const std::vector<Edge> firsts = world.exchange_lengths(first_entry);
  for (Domain& domain : domains_) domain.first = static_cast<Local>(firsts[domain.receiver]);
}

std::size_t DomainMirrors::memory_bytes() const {
  std::size_t bytes = near_.size() + first_.size() * sizeof(std::uint32_t) + copies_.size() * sizeof(Copy);
  for (const Domain& domain : domains_) bytes += domain.masters.memory_bytes();
  return bytes;
}

}  // namespace atl
