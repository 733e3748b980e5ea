// SPDX-License-Identifier: Apache-2.0
// Hamorder.
//
//   in the paper                        here
//   topology T                          sites and what is beside them
//   weight 1, MAX_INT (complement T_c)  site_hops(): 1, or as many as there are, so that sums say something
//   L                                   the tour
//   M                                   the inverse of what hamorder() returns: M[place] is the number of a place
#include <algorithm>
#include <atoll/base/random.hpp>
#include <atoll/topology/numbering/numbering.hpp>
#include <limits>
#include <numeric>

namespace atl {
namespace {

constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max();

// Tours that jump all the time, as between the leaves of a large tree, cost O(sites^2) each: some 10 s of them.
constexpr std::int64_t kMostScanned = 10'000'000'000;

enum class Tie { smallest, fewest_unvisited };

class Greedy {
 public:
  explicit Greedy(const PlaceGraph& places)
      : places_(places), unvisited_(static_cast<std::size_t>(places.sites())), visited_(unvisited_.size()) {}

  // The tour from `start`, or an empty one if it has `limit` hops or more (with those of the closing edge, if that
  // counts).
  std::vector<int> tour(int start, Tie tie, bool closed, std::int64_t limit, std::int64_t& hops) {
    const std::size_t n = visited_.size();
    std::ranges::fill(visited_, char{0});
    for (std::size_t s = 0; s < n; ++s)
      unvisited_[s] = static_cast<int>(places_.neighbours_of(static_cast<int>(s)).size());
    std::vector<int> order;
    order.reserve(n);
    hops = 0;
    for (int at = start;;) {
      order.push_back(at);
      visited_[at] = 1;
      if (order.size() == n) break;
      const int next = next_of(at, tie);
      hops += places_.site_hops(at, next);
      if (hops >= limit) return {};
      at = next;
    }
    if (closed) hops += places_.site_hops(order.back(), start);
    if (hops >= limit) order.clear();
    return order;
  }

  // How many sites were looked at for the nearest ones.
  std::int64_t scanned() const { return scanned_; }

 private:
  int next_of(int at, Tie tie) {
    int best = -1, best_hops = 2, best_unvisited = 0;
    const auto hops = places_.hops_from(at);
    for (const int t : places_.neighbours_of(at)) {
      const auto i = static_cast<std::size_t>(t);
      const int unvisited = --unvisited_[i];
      if (visited_[i]) continue;
      if (hops[i] < best_hops || (hops[i] == best_hops && tie == Tie::fewest_unvisited && unvisited < best_unvisited)) {
        best = t;
        best_hops = hops[i];
        best_unvisited = unvisited;
      }
    }
    if (best >= 0) return best;
    std::uint16_t least = std::numeric_limits<std::uint16_t>::max();
    scanned_ += static_cast<std::int64_t>(visited_.size());
    for (std::size_t t = 0; t < visited_.size(); ++t)
      if (!visited_[t] && hops[t] < least) {
        least = hops[t];
        best = static_cast<int>(t);
      }
    return best;
  }

  const PlaceGraph& places_;
  std::vector<int> unvisited_;  // [site] how many sites beside it the tour has not passed
  std::vector<char> visited_;
  std::int64_t scanned_ = 0;
};

// A closed tour under 2-opt. An edge (a, next(a)) of more than one hop is a jump.
class ClosedTour {
 public:
  ClosedTour(const PlaceGraph& places, std::vector<int> order)
      : places_(places), order_(std::move(order)), at_(order_.size()) {
    renumber();
  }

  // Shortens the tour as long as replacing a jump by an edge to a site beside one of its ends does so, and walks jumps
  // about by rotations until `patience` of them in a row were of no use.
  void improve(Random& random, std::int64_t patience) {
    descend();
    std::vector<int> best = order_;
    auto best_cost = std::pair(jumps_.size(), hops());
    const auto bundle = static_cast<std::int64_t>(order_.size());
    for (std::int64_t left = patience; left > 0 && !jumps_.empty(); left -= bundle) {
      const std::size_t before = jumps_.size();
      for (std::int64_t i = 0; i < bundle && jumps_.size() == before; ++i) rotate(random);
      descend();
      if (const auto cost = std::pair(jumps_.size(), hops()); cost < best_cost) {
        best = order_;
        best_cost = cost;
        left = patience;
      }
    }
    order_ = std::move(best);
    renumber();
  }

  // The sites from one end of the longest edge to the other; from site 0 on if there is no jump.
  std::vector<int> cut() && {
    std::size_t longest = previous(place(0));
    for (std::size_t i = 0; i < order_.size(); ++i)
      if (hops_after(i) > std::max(hops_after(longest), 1)) longest = i;
    std::ranges::rotate(order_, order_.begin() + static_cast<std::ptrdiff_t>(next(longest)));
    return std::move(order_);
  }

 private:
  std::size_t next(std::size_t i) const { return i + 1 == order_.size() ? 0 : i + 1; }
  std::size_t previous(std::size_t i) const { return i == 0 ? order_.size() - 1 : i - 1; }
  std::size_t place(int site) const { return static_cast<std::size_t>(at_[site]); }
  int hops_after(std::size_t i) const { return places_.site_hops(order_[i], order_[next(i)]); }
  std::int64_t hops() const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < order_.size(); ++i) sum += hops_after(i);
    return sum;
  }
  void renumber() {
    for (std::size_t i = 0; i < order_.size(); ++i) at_[order_[i]] = static_cast<int>(i);
  }

  // Reverses positions i .. j, around the end if j < i; or all others, which is the same tour, if these are fewer.
  void reverse(std::size_t i, std::size_t j) {
    const std::size_t n = order_.size();
    std::size_t inside = (j + n - i) % n + 1;
    if (2 * inside > n) {
      std::swap(i, j);
      i = next(i);
      j = previous(j);
      inside = n - inside;
    }
    for (std::size_t k = 0; k < inside / 2; ++k) {
      std::swap(order_[i], order_[j]);
      at_[order_[i]] = static_cast<int>(i);
      at_[order_[j]] = static_cast<int>(j);
      i = next(i);
      j = previous(j);
    }
  }

  // Edges (a, b) and (c, d), of which a and c come first in the tour, become (a, c) and (b, d).
  void exchange(int a, int c) { reverse(next(place(a)), place(c)); }

  void collect_jumps() {
    jumps_.clear();
    for (std::size_t i = 0; i < order_.size(); ++i)
      if (hops_after(i) > 1) jumps_.emplace_back(order_[i], order_[next(i)]);
  }

  // Strict 2-opt. Only edges of several hops can begin a move that gains: an edge to a site beside an end is shorter.
  void descend() {
    collect_jumps();
    for (bool gained = true; gained;) {
      gained = false;
      const std::vector<std::pair<int, int>> work = jumps_;
      for (const auto& [x, y] : work)
        if (gain_at(x, y)) gained = true;
      if (gained) collect_jumps();
    }
  }

  bool gain_at(int x, int y) {
    for (const bool forwards : {true, false}) {
      const int a = forwards ? x : y, b = forwards ? y : x;
      // The tour may run the other way since the edge was noted, or not have it any more.
      const std::size_t at = place(a);
      const bool ahead = order_[next(at)] == b;
      if (!ahead && order_[previous(at)] != b) return false;
      for (const int c : places_.neighbours_of(a)) {
        const int d = order_[ahead ? next(place(c)) : previous(place(c))];
        if (c == b || d == a) continue;
        if (places_.site_hops(a, c) + places_.site_hops(b, d) >= places_.site_hops(a, b) + places_.site_hops(c, d))
          continue;
        ahead ? exchange(a, c) : exchange(d, b);
        return true;
      }
    }
    return false;
  }

  // Tries a random move that puts an edge from one end of a jump to a site beside it in the jump's place, and may leave
  // a jump elsewhere.
  void rotate(Random& random) {
    const std::size_t which = random.below(jumps_.size());
    auto [a, b] = jumps_[which];
    if (random() & 1) std::swap(a, b);
    const auto neighbours = places_.neighbours_of(a);
    if (neighbours.empty()) return;
    const int c = neighbours[random.below(neighbours.size())];
    const bool ahead = order_[next(place(a))] == b;
    const int d = order_[ahead ? next(place(c)) : previous(place(c))];
    if (c == b || d == a || places_.site_hops(c, d) > 1) return;
    ahead ? exchange(a, c) : exchange(d, b);
    if (places_.site_hops(b, d) > 1) {
      jumps_[which] = {b, d};
    } else {
      jumps_[which] = jumps_.back();
      jumps_.pop_back();
    }
  }

  const PlaceGraph& places_;
  std::vector<int> order_;                  // sites
  std::vector<int> at_;                     // [site] its position
  std::vector<std::pair<int, int>> jumps_;  // in either direction
};

}  // namespace

std::vector<int> hamorder(const PlaceGraph& places) {
  std::int64_t hops = 0;
  return places_in_order(places, Greedy(places).tour(0, Tie::smallest, /*closed=*/false, kEndless, hops));
}

std::vector<int> hamorder_w(const PlaceGraph& places, std::uint64_t seed) {
  Greedy greedy(places);
  std::vector<int> best;
  std::int64_t best_hops = kEndless;
  const auto n = static_cast<std::int64_t>(places.sites());
  for (int start = 0; start < places.sites() && best_hops > n && greedy.scanned() < kMostScanned; ++start) {
    std::int64_t hops = 0;
    std::vector<int> tour = greedy.tour(start, Tie::fewest_unvisited, /*closed=*/true, best_hops, hops);
    if (tour.empty()) continue;
    best = std::move(tour);
    best_hops = hops;
  }
  constexpr std::int64_t kPatience = 50;
  Random random(seed);
  ClosedTour closed(places, std::move(best));
  if (n > 3) closed.improve(random, kPatience * n);
  return places_in_order(places, std::move(closed).cut());
}

std::vector<int> random_order(const PlaceGraph& places, std::uint64_t seed) {
  std::vector<int> order(static_cast<std::size_t>(places.places()));
  std::iota(order.begin(), order.end(), 0);
  Random random(seed);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

int jumps_of(const PlaceGraph& places, std::span<const int> order) {
  int jumps = 0;
  for (std::size_t r = 1; r < order.size(); ++r) jumps += places.hops(order[r - 1], order[r]) > 1;
  return jumps;
}

}  // namespace atl
