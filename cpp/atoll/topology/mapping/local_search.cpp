// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/topology/mapping/local_search.hpp>
#include <cmath>
#include <deque>
#include <limits>
#include <utility>

namespace atl {
namespace {

constexpr int kFreePlace = -1;

}  // namespace

NearSites::NearSites(const PlaceGraph& places) : places_(places) {
  constexpr std::size_t kMost = 32;
  const int n = places.sites();
  for (int s = 0; s < n; ++s)
    if (!places.neighbours_of(s).empty()) return;
  first_.push_back(0);
  for (int s = 0; s < n; ++s) {
    const auto hops = places.hops_from(s);
    int least = std::numeric_limits<int>::max();
    for (int t = 0; t < n; ++t)
      if (t != s) least = std::min<int>(least, hops[t]);
    const std::size_t before = nearest_.size();
    for (int i = 1; i < n && nearest_.size() < before + kMost; ++i)
      if (const int t = (s + i) % n; hops[t] == least) nearest_.push_back(t);
    first_.push_back(static_cast<int>(nearest_.size()));
  }
}

std::span<const int> NearSites::of(int site) const {
  if (first_.empty()) return places_.neighbours_of(site);
  const auto s = static_cast<std::size_t>(site);
  return {nearest_.data() + first_[s], nearest_.data() + first_[s + 1]};
}

LocalSearch::LocalSearch(const PlaceGraph& places, const NearSites& near, const Peers& peers, std::vector<int> mapping)
    : places_(places),
      near_(near),
      peers_(peers),
      at_(std::move(mapping)),
      site_(at_.size()),
      who_(static_cast<std::size_t>(places.places()), kFreePlace) {
  for (std::size_t r = 0; r < at_.size(); ++r) {
    site_[r] = places.site_of(at_[r]);
    who_[at_[r]] = static_cast<int>(r);
  }
}

void LocalSearch::anneal(Random& random, int sweeps, double hottest) {
  constexpr double kLast = 0.05;
  const auto ranks = static_cast<std::uint64_t>(at_.size());
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    const double temperature = hottest * std::pow(kLast, static_cast<double>(sweep) / sweeps);
    for (std::uint64_t i = 0; i < ranks; ++i) {
      const int rank = static_cast<int>(random.below(ranks));
      const auto peers = peers_.of(rank);
      if (peers.empty()) continue;
      const int peer = site_of_rank(peers[random.below(peers.size())].rank);
      const auto near = near_.of(peer);
      const std::uint64_t which = random.below(near.size() + 1);
      const int site = which == near.size() ? peer : near[which], here = site_of_rank(rank);
      if (site == here) continue;
      const auto there = places_.places_of(site);
      const int to = there[random.below(there.size())];
      const double saved = exchange(rank, to, saving(rank, here, site)).saved;
      if (saved >= 0 || random.unit() < std::exp(saved / temperature)) move(rank, to);
    }
  }
}

void LocalSearch::descend(double most_work) {
  work_left_ = most_work;
  // Most exchanges that gain bring one of the two nearer to its peers; what is left is looked for at the end.
  for (const Moves moves : {Moves::nearer, Moves::all})
    while (descend_from_all(moves)) {
    }
}

// Tries all ranks, and again those whose peers have moved. Whether any did.
bool LocalSearch::descend_from_all(Moves moves) {
  bool moved_any = false;
  std::deque<int> queue;
  std::vector<char> queued(at_.size(), 1);
  for (int r = 0; r < peers_.ranks(); ++r) queue.push_back(r);
  const auto again = [&](int rank) {
    if (!std::exchange(queued[rank], char{1})) queue.push_back(rank);
  };
  while (!queue.empty() && work_left_ > 0) {
    const int r = queue.front();
    queue.pop_front();
    queued[r] = 0;
    const int old = place_of(r);
    if (!improve(r, moves)) continue;
    moved_any = true;
    for (const int moved : {r, who_[old]}) {
      if (moved == kFreePlace) continue;
      again(moved);
      for (const Peers::Peer& p : peers_.of(moved)) again(p.rank);
    }
  }
  return moved_any;
}

bool LocalSearch::improve(int rank, Moves moves) {
  constexpr std::size_t kPeers = 16;  // the work is their number times all peers: of dense traffic too much
  const auto peers = peers_.of(rank);
  for (const Peers::Peer& p : peers.first(std::min(kPeers, peers.size()))) {
    const int near = site_of_rank(p.rank);
    if (try_site(rank, near, moves)) return true;
    for (const int site : places_.neighbours_of(near))
      if (try_site(rank, site, moves)) return true;
  }
  return false;
}

bool LocalSearch::try_site(int rank, int site, Moves moves) {
  const int here = site_of_rank(rank);
  if (site == here) return false;
  const double saved_by_rank = saving(rank, here, site);
  work_left_ -= static_cast<double>(peers_.of(rank).size());
  if (moves == Moves::nearer && saved_by_rank <= 0) return false;
  for (const int to : places_.places_of(site)) {
    const Exchange gain = exchange(rank, to, saved_by_rank);
    // Rounding must not make a cycle of moves that each seem to gain.
    if (gain.saved <= 1e-9 * gain.size) continue;
    move(rank, to);
    return true;
  }
  return false;
}

// Returns the saving when `rank` moves from one site to another while all others stay.
double LocalSearch::saving(int rank, int from, int to) const {
  const auto here = places_.hops_from(from), there = places_.hops_from(to);
  double saved = 0;
  for (const Peers::Peer& p : peers_.of(rank)) {
    const auto s = static_cast<std::size_t>(site_of_rank(p.rank));
    saved += p.bytes * (static_cast<int>(here[s]) - static_cast<int>(there[s]));
  }
  return saved;
}

// Returns the saving when `rank` moves to `to` and the rank at `to` takes its place. `saved_by_rank` is the saving of
// the first move only.
LocalSearch::Exchange LocalSearch::exchange(int rank, int to, double saved_by_rank) const {
  const int other = who_[to];
  if (other == kFreePlace) return {saved_by_rank, std::abs(saved_by_rank)};
  const int from_site = site_of_rank(rank), to_site = site_of_rank(other);
  const auto here = places_.hops_from(to_site), there = places_.hops_from(from_site);
  double saved = 0;
  for (const Peers::Peer& p : peers_.of(other)) {
    if (p.rank == rank) {  // as far apart as before, though nearer if only this rank moved
      saved -= p.bytes * here[from_site];
      continue;
    }
    const auto s = static_cast<std::size_t>(site_of_rank(p.rank));
    saved += p.bytes * (static_cast<int>(here[s]) - static_cast<int>(there[s]));
  }
  return {saved_by_rank + saved, std::abs(saved_by_rank) + std::abs(saved)};
}

void LocalSearch::move(int rank, int to) {
  const int from = place_of(rank), other = who_[to];
  at_[rank] = to;
  who_[to] = rank;
  who_[from] = other;
  if (other != kFreePlace) {
    at_[other] = from;
    site_[other] = site_of_rank(rank);
  }
  site_[rank] = places_.site_of(to);
}

}  // namespace atl
