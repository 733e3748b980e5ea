// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/topology/mapping/peers.hpp>

namespace atl {

Peers::Peers(const TrafficMatrix& traffic) : first_(static_cast<std::size_t>(traffic.ranks) + 1, 0) {
  for (const RankPair& f : traffic.pairs) {
    ++first_[static_cast<std::size_t>(f.from) + 1];
    ++first_[static_cast<std::size_t>(f.to) + 1];
  }
  for (std::size_t r = 1; r < first_.size(); ++r) first_[r] += first_[r - 1];
  peers_.resize(2 * traffic.pairs.size());
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for (const RankPair& f : traffic.pairs) {
    peers_[next[f.from]++] = {f.to, f.bytes};
    peers_[next[f.to]++] = {f.from, f.bytes};
  }
  // Merges both directions into one entry, in place.
  std::size_t kept = 0;
  for (std::size_t r = 0; r + 1 < first_.size(); ++r) {
    const auto begin = peers_.begin() + static_cast<std::ptrdiff_t>(first_[r]),
               end = peers_.begin() + static_cast<std::ptrdiff_t>(next[r]);
    std::sort(begin, end, [](const Peer& a, const Peer& b) { return a.rank < b.rank; });
    first_[r] = kept;
    for (auto p = begin; p != end; ++p)
      if (kept > first_[r] && peers_[kept - 1].rank == p->rank)
        peers_[kept - 1].bytes += p->bytes;
      else
        peers_[kept++] = *p;
    std::stable_sort(peers_.begin() + static_cast<std::ptrdiff_t>(first_[r]),
                     peers_.begin() + static_cast<std::ptrdiff_t>(kept),
                     [](const Peer& a, const Peer& b) { return a.bytes > b.bytes; });
  }
  first_.back() = kept;
  peers_.resize(kept);
}

}  // namespace atl
