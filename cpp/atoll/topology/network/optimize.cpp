// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/random.hpp>
#include <atoll/topology/network/bisection.hpp>
#include <atoll/topology/network/optimize.hpp>
#include <atoll/topology/network/router_graph.hpp>
#include <bit>
#include <limits>
#include <optional>
#include <utility>

namespace atl {
namespace {

// A simple graph of routers under 2-opt moves.
class Graph2Opt {
 public:
  struct Move {
    std::size_t one, two;      // links
    std::pair<int, int> p, q;  // what they join afterwards
  };

  explicit Graph2Opt(const Network& network) : neighbours_(static_cast<std::size_t>(network.routers())) {
    for (std::size_t i = 0; i < network.links().size(); ++i) {
      const Link& l = network.links()[i];
      if (l.a < network.hosts() || l.b < network.hosts()) continue;
      const int a = l.a - network.hosts(), b = l.b - network.hosts();
      check(!linked(a, b),
            "network {}: routers {} and {} are joined by several links (the search is among simple graphs). Have one.",
            network.name(), a, b);
      links_.emplace_back(a, b);
      at(a).push_back(b);
      at(b).push_back(a);
    }
  }

  const std::vector<std::vector<int>>& neighbours() const { return neighbours_; }
  const std::vector<std::pair<int, int>>& links() const { return links_; }

  // A random move that keeps the graph simple; none after some tries.
  std::optional<Move> draw(Random& random) const {
    if (links_.size() < 2) return std::nullopt;
    constexpr int kTries = 1000;
    for (int i = 0; i < kTries; ++i) {
      Move m{random.below(links_.size()), random.below(links_.size()), {}, {}};
      if (m.one == m.two) continue;
      const auto [a, b] = links_[m.one];
      auto [c, d] = links_[m.two];
      if (random() & 1) std::swap(c, d);
      if (a == c || a == d || b == c || b == d || linked(a, c) || linked(b, d)) continue;
      m.p = {a, c};
      m.q = {b, d};
      return m;
    }
    return std::nullopt;
  }

  // Makes the move, which becomes the one that takes it back.
  void make(Move& m) {
    const auto old_p = links_[m.one], old_q = links_[m.two];
    replace(old_p, m.p, m.q);
    replace(old_q, m.q, m.p);
    links_[m.one] = m.p;
    links_[m.two] = m.q;
    m.p = old_p;
    m.q = old_q;
  }

 private:
  std::vector<int>& at(int router) { return neighbours_[router]; }
  bool linked(int a, int b) const {
    const auto& of_a = neighbours_[a];
    return std::ranges::find(of_a, b) != of_a.end();
  }
  // The ends of `old` get their new neighbours: each end is in one of the new links.
  void replace(const std::pair<int, int>& old, const std::pair<int, int>& p, const std::pair<int, int>& q) {
    const auto partner = [&](int end) {
      for (const auto& [a, b] : {p, q}) {
        if (a == end) return b;
        if (b == end) return a;
      }
      return -1;
    };
    for (const auto& [end, other] : {old, std::pair(old.second, old.first)})
      *std::ranges::find(at(end), other) = partner(end);
  }

  std::vector<std::pair<int, int>> links_;
  std::vector<std::vector<int>> neighbours_;
};

constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max();

// Sums of distances over ordered pairs of routers. All searches go on together: a router has a bit for each router that
// is within so many links, and gets its neighbours' bits for the next level.
class DistanceSum {
 public:
  explicit DistanceSum(std::size_t routers)
      : routers_(routers), words_((routers + 63) / 64), within_(routers * words_), next_(within_.size()) {}

  // kEndless if the sum is above `limit`, or the graph is not connected.
  std::int64_t operator()(const std::vector<std::vector<int>>& neighbours, std::int64_t limit) {
    std::ranges::fill(within_, 0);
    for (std::size_t r = 0; r < routers_; ++r) within_[r * words_ + r / 64] |= std::uint64_t{1} << (r % 64);
    const auto all = static_cast<std::int64_t>(routers_ * routers_);
    // A pair counts once for each level at which it is not yet within.
    std::int64_t sum = 0;
    for (std::int64_t reached = static_cast<std::int64_t>(routers_); reached < all;) {
      sum += all - reached;
      if (sum > limit) return kEndless;
      std::int64_t now = 0;
      for (std::size_t r = 0; r < routers_; ++r) {
        std::uint64_t* const to = next_.data() + r * words_;
        std::copy_n(within_.data() + r * words_, words_, to);
        for (const int n : neighbours[r]) {
          const std::uint64_t* const from = within_.data() + static_cast<std::size_t>(n) * words_;
          for (std::size_t w = 0; w < words_; ++w) to[w] |= from[w];
        }
        for (std::size_t w = 0; w < words_; ++w) now += std::popcount(to[w]);
      }
      if (now == reached) return kEndless;
      reached = now;
      within_.swap(next_);
    }
    return sum;
  }

 private:
  std::size_t routers_, words_;
  std::vector<std::uint64_t> within_, next_;
};

// Calls try_move(graph, random) until `patience` calls in a row return false.
template <class Try>
void search_until(Graph2Opt& graph, Random& random, int patience, Try&& try_move) {
  for (int left = patience; left > 0; --left) {
    auto move = graph.draw(random);
    if (!move) return;
    if (try_move(*move)) left = patience + 1;
  }
}

std::int64_t minimise_distances(Graph2Opt& graph, Random& random, int patience) {
  DistanceSum sum_of(graph.neighbours().size());
  std::int64_t best = sum_of(graph.neighbours(), kEndless);
  search_until(graph, random, patience, [&](Graph2Opt::Move& move) {
    graph.make(move);
    const std::int64_t sum = sum_of(graph.neighbours(), best);
    if (sum == kEndless) {
      graph.make(move);
      return false;
    }
    return sum < std::exchange(best, sum);
  });
  return best;
}

// Known bisections of a graph: good cuts of it, or of graphs that differ in some links.
class KnownCuts {
 public:
  KnownCuts(const Graph2Opt& graph, const std::vector<int>& hosts) : halving_(graph.neighbours(), hosts) {}

  // The least cut, and how many of the known ones are as small.
  struct Value {
    std::int64_t cut = 0;
    std::size_t times = 0;
    bool operator==(const Value&) const = default;
    bool worse_than(const Value& other) const { return cut < other.cut || (cut == other.cut && times > other.times); }
  };
  Value known() const {
    Value value{Halving::kNone, 0};
    for (const std::vector<char>& parts : bisections_) {
      const std::int64_t cut = halving_.cut(parts);
      if (cut < value.cut) value = {cut, 0};
      value.times += cut == value.cut;
    }
    return value;
  }
  // Looks for smaller ones from the known cuts and from random starts.
  void look(Random& random, int starts) {
    std::vector<std::vector<char>> found;
    for (const std::vector<char>& parts : bisections_) found.push_back(parts);
    for (int i = 0; i < starts; ++i) found.push_back(halving_.random_bisection(random));
    for (std::vector<char>& parts : found) {
      if (halving_.improve(parts) == Halving::kNone) continue;
      if (parts[0])
        for (char& s : parts) s = static_cast<char>(1 - s);
      if (std::ranges::find(bisections_, parts) == bisections_.end()) bisections_.push_back(std::move(parts));
    }
    std::ranges::stable_sort(bisections_, {}, [&](const std::vector<char>& parts) { return halving_.cut(parts); });
    if (bisections_.size() > kKept) bisections_.resize(kKept);
  }

 private:
  static constexpr std::size_t kKept = 32;
  Halving halving_;
  std::vector<std::vector<char>> bisections_;
};

std::int64_t maximise_bisection(Graph2Opt& graph, const std::vector<int>& hosts, Random& random, int patience) {
  constexpr int kFirstStarts = 40, kStarts = 4;
  DistanceSum sum_of(hosts.size());
  KnownCuts cuts(graph, hosts);
  cuts.look(random, kFirstStarts);
  // Looking again may find smaller cuts of the graph at hand, so `best` also falls; a move counts as a gain only if it
  // is better than all before, or the search would not end.
  KnownCuts::Value best = cuts.known(), greatest = best;
  search_until(graph, random, patience, [&](Graph2Opt::Move& move) {
    graph.make(move);
    const auto refused = [&] {
      graph.make(move);
      best = cuts.known();  // looking may have found smaller cuts of the graph as it was
      return false;
    };
    const KnownCuts::Value quick = cuts.known();
    if (quick.worse_than(best) || quick == best) {  // most moves end here
      graph.make(move);
      return false;
    }
    if (sum_of(graph.neighbours(), kEndless) == kEndless) return refused();
    cuts.look(random, kStarts);
    const KnownCuts::Value now = cuts.known();
    if (now.worse_than(best) || now == best) return refused();
    best = now;
    if (now.worse_than(greatest) || now == greatest) return false;
    greatest = now;
    return true;
  });
  cuts.look(random, kFirstStarts);
  return cuts.known().cut;
}

}  // namespace

Network optimized(const Network& base, Objective objective, const TopologySearch& search) {
  check(search.patience >= 1 && search.restarts >= 1,
        "a search of {} moves and {} restarts (at least one of each). Give more.", search.patience, search.restarts);
  const RouterGraph routers(base);
  std::vector<int> hosts(static_cast<std::size_t>(base.routers()), 0);
  for (int h = 0; h < base.hosts(); ++h) {
    check(routers.routers_of(h).size() == 1,
          "network {}: host {} has {} routers (the search is among networks whose hosts have one each). Take another.",
          base.name(), h, routers.routers_of(h).size());
    ++hosts[routers.routers_of(h)[0]];
  }
  for (std::size_t r = 0; r < hosts.size(); ++r)
    check(
        hosts[r] == hosts[0],
        "network {}: router {} has {} hosts, router 0 has {} (the search is among networks that have as many at each). "
        "Take another.",
        base.name(), r, hosts[r], hosts[0]);

  std::optional<Graph2Opt> best;
  std::int64_t best_value = 0;
  for (int i = 0; i < search.restarts; ++i) {
    Random random(mix64(search.seed) + static_cast<std::uint64_t>(i));
    Graph2Opt graph(base);
    // The smaller value is better for both objectives.
    const std::int64_t value = objective == Objective::min_aspl
                                   ? minimise_distances(graph, random, search.patience)
                                   : -maximise_bisection(graph, hosts, random, search.patience);
    if (best && value >= best_value) continue;
    best = std::move(graph);
    best_value = value;
  }

  Network::Parts parts{.name = base.name(),
                       .hosts = base.hosts(),
                       .routers = base.routers(),
                       .links = {base.links().begin(), base.links().end()},
                       .groups = base.hierarchy().root(),
                       .path = {},
                       .bisection = std::nullopt};
  auto next = best->links().begin();
  for (Link& l : parts.links) {
    if (l.a < base.hosts() || l.b < base.hosts()) continue;
    l.a = base.hosts() + next->first;
    l.b = base.hosts() + next->second;
    ++next;
  }
  return Network(std::move(parts));
}

double moore_bound(int routers, int degree) {
  check(routers >= 1 && degree >= 1, "{} routers of degree {} (at least one, and 1). Correct it.", routers, degree);
  double left = routers - 1, sum = 0, width = degree;
  for (int distance = 1; left > 0; ++distance) {
    const double here = std::min(left, width);
    sum += here * distance;
    left -= here;
    width *= degree - 1;
    if (degree == 1 && left > 0) return std::numeric_limits<double>::infinity();
  }
  return routers > 1 ? sum / (routers - 1) : 0;
}

}  // namespace atl
