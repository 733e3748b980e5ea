// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/random.hpp>
#include <atoll/topology/mapping/mapping_cost.hpp>
#include <atoll/topology/mapping/swap.hpp>
#include <cmath>
#include <deque>
#include <limits>

namespace atl {
namespace {

// Who talks with whom, both directions together: hops are the same either way.
class Peers {
 public:
  struct Peer {
    int rank;
    double bytes;
  };
  explicit Peers(const TrafficMatrix& traffic) : first_(static_cast<std::size_t>(traffic.ranks) + 1, 0) {
    for (const RankPair& f : traffic.pairs) {
      ++first_[static_cast<std::size_t>(f.from) + 1];
      ++first_[static_cast<std::size_t>(f.to) + 1];
    }
    for (std::size_t r = 1; r < first_.size(); ++r) first_[r] += first_[r - 1];
    peers_.resize(2 * traffic.pairs.size());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (const RankPair& f : traffic.pairs) {
      peers_[next[static_cast<std::size_t>(f.from)]++] = {f.to, f.bytes};
      peers_[next[static_cast<std::size_t>(f.to)]++] = {f.from, f.bytes};
    }
    // Of both directions one entry, in place.
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
  }
  int ranks() const { return static_cast<int>(first_.size()) - 1; }
  // Those that the rank talks most with come first.
  std::span<const Peer> of(int rank) const {
    const auto r = static_cast<std::size_t>(rank);
    return {peers_.data() + first_[r], first_[r + 1] - first_[r]};
  }

 private:
  std::vector<std::size_t> first_;
  std::vector<Peer> peers_;
};

constexpr int kFree = -1;

class LocalSearch {
 public:
  LocalSearch(const PlaceGraph& places, const Peers& peers, std::vector<int> mapping)
      : places_(places),
        peers_(peers),
        at_(std::move(mapping)),
        who_(static_cast<std::size_t>(places.places()), kFree) {
    for (std::size_t r = 0; r < at_.size(); ++r) who_[static_cast<std::size_t>(at_[r])] = static_cast<int>(r);
  }

  std::vector<int> take() && { return std::move(at_); }

  // Metropolis' rule: a move that loses is made with probability exp(-loss / temperature), which falls from a pair's
  // mean volume to a tenth of it. A sweep tries as many moves as there are ranks.
  void anneal(Random& random, int sweeps, double mean_bytes) {
    constexpr double kLast = 0.1;
    const auto ranks = static_cast<std::uint64_t>(at_.size());
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      const double temperature = mean_bytes * std::pow(kLast, static_cast<double>(sweep) / sweeps);
      for (std::uint64_t i = 0; i < ranks; ++i) {
        const int rank = static_cast<int>(random.below(ranks));
        const auto peers = peers_.of(rank);
        if (peers.empty()) continue;
        const int near = places_.site_of(place_of(peers[random.below(peers.size())].rank));
        const auto beside = places_.beside(near);
        const std::uint64_t which = random.below(beside.size() + 1);
        const auto there = places_.places_of(which == beside.size() ? near : beside[which]);
        const int to = there[random.below(there.size())];
        if (places_.site_of(to) == places_.site_of(place_of(rank))) continue;
        const double saved = gain_of(rank, to).saved;
        if (saved >= 0 || random.unit() < std::exp(saved / temperature)) move(rank, to);
      }
    }
  }

  // First-improvement descent, until a round over all ranks finds nothing.
  void descend() {
    while (descend_from_all()) {
    }
  }

 private:
  // Tries all ranks, and again those whose peers have moved. Whether any did.
  bool descend_from_all() {
    bool moved_any = false;
    std::deque<int> queue;
    std::vector<char> queued(at_.size(), 1);
    for (int r = 0; r < peers_.ranks(); ++r) queue.push_back(r);
    const auto again = [&](int rank) {
      if (!std::exchange(queued[static_cast<std::size_t>(rank)], char{1})) queue.push_back(rank);
    };
    while (!queue.empty()) {
      const int r = queue.front();
      queue.pop_front();
      queued[static_cast<std::size_t>(r)] = 0;
      const int old = place_of(r);
      if (!improve(r)) continue;
      moved_any = true;
      for (const int moved : {r, who_[static_cast<std::size_t>(old)]}) {
        if (moved == kFree) continue;
        again(moved);
        for (const Peers::Peer& p : peers_.of(moved)) again(p.rank);
      }
    }
    return moved_any;
  }

  int place_of(int rank) const { return at_[static_cast<std::size_t>(rank)]; }

  // What moving `rank` from its place to another one saves, while `partner` moves the other way.
  double saving(int rank, int to, int partner) const {
    const auto here = places_.hops_from(places_.site_of(place_of(rank))),
               there = places_.hops_from(places_.site_of(to));
    double saved = 0;
    for (const Peers::Peer& p : peers_.of(rank)) {
      if (p.rank == partner) continue;  // as far apart as before
      const auto s = static_cast<std::size_t>(places_.site_of(place_of(p.rank)));
      saved += p.bytes * (static_cast<int>(here[s]) - static_cast<int>(there[s]));
    }
    return saved;
  }

  bool improve(int rank) {
    constexpr std::size_t kPeers = 16;  // the work is their number times all peers: of dense traffic too much
    const int from = place_of(rank);
    const auto peers = peers_.of(rank);
    for (const Peers::Peer& p : peers.first(std::min(kPeers, peers.size()))) {
      const int near = places_.site_of(place_of(p.rank));
      if (try_site(rank, from, near)) return true;
      for (const int site : places_.beside(near))
        if (try_site(rank, from, site)) return true;
    }
    return false;
  }

  bool try_site(int rank, int from, int site) {
    if (site == places_.site_of(from)) return false;
    for (const int to : places_.places_of(site)) {
      const Gain gain = gain_of(rank, to);
      // Rounding must not make a cycle of moves that each seem to gain.
      if (gain.saved <= 1e-9 * gain.size) continue;
      move(rank, to);
      return true;
    }
    return false;
  }

  // The bytes * hops that are saved if `rank` moves to `to` and who is there takes its place; and how large the two
  // terms are that they are the sum of.
  struct Gain {
    double saved, size;
  };
  Gain gain_of(int rank, int to) const {
    const int other = who_[static_cast<std::size_t>(to)];
    const double mine = saving(rank, to, other), theirs = other == kFree ? 0 : saving(other, place_of(rank), rank);
    return {mine + theirs, std::abs(mine) + std::abs(theirs)};
  }
  void move(int rank, int to) {
    const int from = place_of(rank), other = who_[static_cast<std::size_t>(to)];
    at_[static_cast<std::size_t>(rank)] = to;
    who_[static_cast<std::size_t>(to)] = rank;
    who_[static_cast<std::size_t>(from)] = other;
    if (other != kFree) at_[static_cast<std::size_t>(other)] = from;
  }

  const PlaceGraph& places_;
  const Peers& peers_;
  std::vector<int> at_;   // [rank] its place
  std::vector<int> who_;  // [place] the rank there, or kFree
};

void check_room(const PlaceGraph& places, int ranks) {
  check(ranks <= places.places(),
        "{} ranks onto {} places (each rank needs one). Have fewer ranks, or more places a host.", ranks,
        places.places());
}

}  // namespace

std::vector<int> improve_by_swaps(const PlaceGraph& places, const TrafficMatrix& traffic, std::vector<int> mapping) {
  check_room(places, traffic.ranks);
  const Peers peers(traffic);
  LocalSearch search(places, peers, std::move(mapping));
  search.descend();
  return std::move(search).take();
}

std::vector<int> greedy_mapping(const PlaceGraph& places, const TrafficMatrix& traffic) {
  check_room(places, traffic.ranks);
  const Peers peers(traffic);
  const auto sites = static_cast<std::size_t>(places.sites());
  std::vector<std::size_t> taken(sites, 0);                              // [site]
  std::vector<double> pull(static_cast<std::size_t>(traffic.ranks), 0);  // [rank] bytes to those placed
  std::vector<double> total(pull.size(), 0);                             // [rank] bytes to all
  std::vector<int> mapping(pull.size(), kFree);
  std::vector<double> cost(sites);
  for (std::size_t r = 0; r < pull.size(); ++r)
    for (const Peers::Peer& p : peers.of(static_cast<int>(r))) total[r] += p.bytes;
  // The site with the fewest hops to all others is where the first rank goes, and those that talk with nobody placed.
  std::vector<double> eccentric(sites, 0);
  for (std::size_t s = 0; s < sites; ++s)
    for (const std::uint16_t hops : places.hops_from(static_cast<int>(s))) eccentric[s] += hops;
  for (int placed = 0; placed < traffic.ranks; ++placed) {
    std::size_t rank = pull.size();
    for (std::size_t r = 0; r < pull.size(); ++r)
      if (mapping[r] == kFree &&
          (rank == pull.size() || std::pair(pull[r], total[r]) > std::pair(pull[rank], total[rank])))
        rank = r;
    std::ranges::fill(cost, 0.0);
    bool alone = true;
    for (const Peers::Peer& p : peers.of(static_cast<int>(rank))) {
      const int place = mapping[static_cast<std::size_t>(p.rank)];
      if (place == kFree) continue;
      alone = false;
      const auto hops = places.hops_from(places.site_of(place));
      for (std::size_t s = 0; s < sites; ++s) cost[s] += p.bytes * hops[s];
    }
    const std::vector<double>& by = alone ? eccentric : cost;
    std::size_t best = sites;
    for (std::size_t s = 0; s < sites; ++s) {
      if (taken[s] == places.places_of(static_cast<int>(s)).size()) continue;
      if (best == sites || by[s] < by[best]) best = s;
    }
    mapping[rank] = places.places_of(static_cast<int>(best))[taken[best]++];
    for (const Peers::Peer& p : peers.of(static_cast<int>(rank))) pull[static_cast<std::size_t>(p.rank)] += p.bytes;
  }
  return mapping;
}

std::vector<int> swap_mapping(const PlaceGraph& places, const TrafficMatrix& traffic, std::span<const int> numbering,
                              const SwapOptions& options) {
  check_room(places, traffic.ranks);
  constexpr double kMostGreedy = 4e9, kMostAnnealing = 1e9;  // some seconds
  const Peers peers(traffic);
  std::vector<int> best(numbering.begin(), numbering.begin() + traffic.ranks);
  double least = hop_bytes_of(places, traffic, best), bytes = 0;
  for (const RankPair& pair : traffic.pairs) bytes += pair.bytes;
  const auto offer = [&](LocalSearch search) {
    search.descend();
    std::vector<int> mapping = std::move(search).take();
    const double cost = hop_bytes_of(places, traffic, mapping);
    if (cost >= least) return;
    best = std::move(mapping);
    least = cost;
  };
  offer({places, peers, best});
  if (static_cast<double>(traffic.pairs.size()) * places.sites() <= kMostGreedy)
    offer({places, peers, greedy_mapping(places, traffic)});
  if (options.sweeps > 0 && !traffic.pairs.empty()) {
    Random random(options.seed);
    LocalSearch search(places, peers, best);
    const auto sweeps = std::min<double>(options.sweeps, kMostAnnealing / static_cast<double>(traffic.pairs.size()));
    search.anneal(random, static_cast<int>(sweeps), bytes / static_cast<double>(traffic.pairs.size()));
    offer(std::move(search));
  }
  return best;
}

}  // namespace atl
