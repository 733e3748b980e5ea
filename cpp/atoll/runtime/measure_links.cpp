// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/random.hpp>
#include <atoll/runtime/measure_links.hpp>
#include <atoll/runtime/ping_pong.hpp>
#include <atoll/topology/cost.hpp>
#include <atoll/topology/measured_costs.hpp>
#include <limits>
#include <numeric>

namespace atl {
namespace {

constexpr std::size_t kShortBytes = 8, kLongBytes = std::size_t{1} << 16;
constexpr int kTrips = 16, kLongTrips = 3;
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

struct Sample {
  Rank a, b;
  double short_s, long_s;
};

// Who meets whom in a round of a tournament of n by the circle method: over the rounds 0 to n - 2, for odd n to n - 1,
// everyone meets everyone else once.
std::size_t opponent(std::size_t who, std::size_t round, std::size_t n) {
  const std::size_t last = n - (n % 2 == 0);  // it stands in the middle; for odd n nobody does, and who meets it rests
  if (who == last) return round;
  const std::size_t other = (2 * round + last - who) % last;
  if (other != who) return other;
  return last < n ? last : kNone;
}

// Returns the rounds of a whole tournament.
std::vector<std::size_t> rounds_of(std::size_t ranks) {
  std::vector<std::size_t> rounds(ranks < 2 ? 0 : ranks - (ranks % 2 == 0));
  std::iota(rounds.begin(), rounds.end(), std::size_t{0});
  return rounds;
}

class Rounds {
 public:
  explicit Rounds(World& world) : world_(world) {}

  // One round: this rank and `peer`, kNone for a rank that rests. Collective.
  void meet(std::size_t peer) {
    // A first trip makes the connection, and a first long one has the memory mapped.
    const std::uint64_t first = reserve_tags(world_, 2 + kTrips + kLongTrips);
    world_.barrier();
    ++rounds_;
    if (peer == kNone) return;
    const Rank me = world_.rank(), a = std::min(me, static_cast<Rank>(peer)), b = std::max(me, static_cast<Rank>(peer));
    std::uint64_t tag = first;
    const auto fastest = [&](std::size_t bytes, int trips) {
      ping_pong(world_, a, b, tag++, bytes, 1);
      double least = std::numeric_limits<double>::infinity();
      for (int i = 0; i < trips; ++i) least = std::min(least, ping_pong(world_, a, b, tag++, bytes, 1));
      return least;
    };
    const double short_s = fastest(kShortBytes, kTrips), long_s = fastest(kLongBytes, kLongTrips);
    if (me == a) samples_.push_back({a, b, short_s, long_s});
  }

  // The rounds of a tournament among some ranks, of which this one need not be.
  void tournament(const std::vector<Rank>& ranks, std::span<const std::size_t> rounds) {
    const auto at = static_cast<std::size_t>(std::ranges::find(ranks, world_.rank()) - ranks.begin());
    for (const std::size_t round : rounds) {
      const std::size_t other = at < ranks.size() ? opponent(at, round, ranks.size()) : kNone;
      meet(other == kNone ? kNone : static_cast<std::size_t>(ranks[other]));
    }
  }

  // Full tournaments of several groups at once.
  void tournaments(const std::vector<std::vector<Rank>>& groups) {
    std::size_t longest = 0;
    const std::vector<Rank>* mine = nullptr;
    for (const std::vector<Rank>& group : groups) {
      longest = std::max(longest, rounds_of(group.size()).size());
      if (std::ranges::find(group, world_.rank()) != group.end()) mine = &group;
    }
    const std::vector<std::size_t> rounds = rounds_of(mine->size());
    tournament(*mine, rounds);
    for (std::size_t round = rounds.size(); round < longest; ++round) meet(kNone);
  }

  // Each rank of the list and the next one.
  void chain(const std::vector<Rank>& ranks) {
    const auto at = static_cast<std::size_t>(std::ranges::find(ranks, world_.rank()) - ranks.begin());
    for (const std::size_t parity : {0u, 1u}) {
      const std::size_t other = at % 2 == parity ? at + 1 : at - 1;  // of the first one: beyond the end
      meet(at < ranks.size() && other < ranks.size() ? static_cast<std::size_t>(ranks[other]) : kNone);
    }
  }

  // The costs that are known by now, on rank 0. Collective.
  LinkCosts costs() {
    const std::vector<Sample> all = world_.all_gather_varying(std::span<const Sample>(samples_));
    LinkCosts links{.ranks = world_.size(), .latency_s = {}, .byte_s = {}, .measured = 0, .rounds = rounds_};
    world_.collective_try([&] {
      if (world_.rank() == 0) fill(links, all);
    });
    return links;
  }

 private:
  static void fill(LinkCosts& links, std::span<const Sample> all) {
    const auto n = static_cast<std::size_t>(links.ranks);
    links.latency_s.assign(n * n, std::numeric_limits<double>::infinity());
    links.byte_s = links.latency_s;
    for (const Sample& s : all) {
      const auto a = static_cast<std::size_t>(s.a), b = static_cast<std::size_t>(s.b);
      double &latency = links.latency_s[a * n + b], &byte = links.byte_s[a * n + b];
      if (!(latency < std::numeric_limits<double>::infinity())) ++links.measured;
      latency = std::min(latency, s.short_s);
      byte = std::min(byte, std::max(0.0, (s.long_s - s.short_s) / static_cast<double>(kLongBytes - kShortBytes)));
      links.latency_s[b * n + a] = latency;
      links.byte_s[b * n + a] = byte;
    }
    for (auto* matrix : {&links.latency_s, &links.byte_s}) {
      for (std::size_t r = 0; r < n; ++r) (*matrix)[r * n + r] = 0;
      infer_costs(*matrix);
    }
  }

  World& world_;
  std::vector<Sample> samples_;  // that this rank has timed
  int rounds_ = 0;
};

// The first of each cluster of these ranks, on all ranks. Collective.
std::vector<Rank> representatives(World& world, const LinkCosts& links, const std::vector<Rank>& ranks) {
  std::vector<Rank> first;
  world.collective_try([&] {
    if (world.rank() != 0) return;
    std::vector<double> between;
    for (const Rank a : ranks)
      for (const Rank b : ranks)
        between.push_back(links.latency_s[static_cast<std::size_t>(a) * static_cast<std::size_t>(links.ranks) +
                                          static_cast<std::size_t>(b)]);
    const std::vector<double> thresholds = clustering_thresholds(between);
    if (thresholds.empty()) return;
    const Hierarchy clusters = cluster(between, thresholds[0]);
    std::vector<char> seen(ranks.size(), 0);
    for (std::size_t i = 0; i < ranks.size(); ++i)
      if (!std::exchange(seen[clusters.leaf_of(static_cast<Rank>(i))], char{1})) first.push_back(ranks[i]);
  });
  return world.all_gather_varying(std::span<const Rank>(first));
}

}  // namespace

std::vector<double> LinkCosts::seconds(std::size_t bytes) const {
  std::vector<double> all(latency_s.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = latency_s[i] + byte_s[i] * static_cast<double>(bytes);
  return all;
}

LinkCosts measure_links(World& world, const LinkOptions& options) {
  check(world.size() > 1, "links of {} rank (a message needs two). Give --ranks 2 or more.", world.size());
  Rounds rounds(world);
  std::vector<Rank> ranks(static_cast<std::size_t>(world.size()));
  std::iota(ranks.begin(), ranks.end(), 0);
  const auto all_pairs = static_cast<std::size_t>(std::max<Rank>(2, options.all_pairs_up_to));
  Random random(options.seed);  // the same on all ranks
  if (ranks.size() > all_pairs) {
    std::vector<std::vector<Rank>> nodes;
    for (const Rank r : ranks) {
      const auto node = static_cast<std::size_t>(world.fabric().node_of(r));
      if (node >= nodes.size()) nodes.resize(node + 1);
      nodes[node].push_back(r);
    }
    rounds.tournaments(nodes);
    ranks.clear();
    for (const std::vector<Rank>& node : nodes) ranks.push_back(node[0]);
  }
  while (ranks.size() > all_pairs) {
    rounds.chain(ranks);
    std::vector<std::size_t> some = rounds_of(ranks.size());
    std::ranges::shuffle(some, random);
    some.resize(std::min(some.size(), static_cast<std::size_t>(std::max(0, options.sampled_rounds))));
    rounds.tournament(ranks, some);
    std::vector<Rank> next = representatives(world, rounds.costs(), ranks);
    // Where there are hardly any clusters, sampling again would tell no more.
    if (next.size() < 2 || 10 * next.size() > 9 * ranks.size()) return rounds.costs();
    ranks = std::move(next);
  }
  rounds.tournament(ranks, rounds_of(ranks.size()));
  world.barrier();
  return rounds.costs();
}

}  // namespace atl
