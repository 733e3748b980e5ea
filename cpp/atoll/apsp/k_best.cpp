// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/apsp/paths.hpp>
#include <atoll/base/error.hpp>
#include <cmath>
#include <queue>
#include <unordered_map>

// The k shortest paths without a vertex twice, after Yen [1] as Lawler [2] divides the work: the paths that are left are
// kept as disjoint sets, each "begins like this, and goes on otherwise than these".
//
//   in the paper             here                          meaning
//   root path                Candidate::walk up to fixed   what all of a set's paths begin with
//   spur node                the last vertex of it
//   edges taken out          Candidate::without            vertices that may not come next
//   shortest spur path       complete()                    A* with D(u, .) as the estimate: straight there
//
// Walks go backwards, from v to u, because the distances at hand are those from u. Sets wait with a lower bound (the best
// first step by D) and are only searched when it is the least of all: most never are.
//
// [1] J. Yen. "Finding the k shortest loopless paths in a network." Management Science 17(11), 1971.
// [2] E. Lawler. "A procedure for computing the k best solutions to discrete optimization problems and its application
//     to the shortest path problem." Management Science 18(7), 1972.

namespace atl {
namespace {

constexpr std::size_t at(Local v) { return static_cast<std::size_t>(v); }

template <class T>
class KBest {
 public:
  using Length = PathLength<T>;
  struct Candidate {
    Length bound{};  ///< no path of the set is shorter; the length where it is complete
    bool is_complete = false;
    std::vector<Local> walk;     ///< from v; complete: to u
    std::size_t fixed = 1;       ///< how much of the walk the set has in common
    std::vector<Local> without;  ///< what may not follow walk[fixed - 1]
  };

  KBest(const Arcs<T>& in, Local u, std::span<const T> from_u) : in_(in), u_(u), from_u_(from_u) {}

  std::vector<Candidate> run(Local v, std::size_t k) {
    std::vector<Candidate> best;
    push({.bound = left(v), .is_complete = u_ == v, .walk = {v}, .fixed = 1, .without = {}});
    while (!heap_.empty() && best.size() < k) {
      std::pop_heap(heap_.begin(), heap_.end(), later);
      Candidate c = std::move(heap_.back());
      heap_.pop_back();
      if (!c.is_complete) {
        if (complete(c)) push(std::move(c));
      } else {
        divide(c);
        best.push_back(std::move(c));
      }
    }
    return best;
  }

 private:
  static bool later(const Candidate& a, const Candidate& b) {
    if (a.bound != b.bound) return a.bound > b.bound;
    if (a.is_complete != b.is_complete) return b.is_complete;
    if (a.walk.size() != b.walk.size()) return a.walk.size() > b.walk.size();
    return a.walk > b.walk;
  }
  void push(Candidate c) {
    heap_.push_back(std::move(c));
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  /// At most what is left from x to u: D, which may have been rounded up.
  Length left(Local x) const {
    const auto d = static_cast<Length>(from_u_[at(x)]);
    if constexpr (std::is_floating_point_v<T>) return d - kPathSlack<T> * std::abs(d);
    return d;
  }
  bool leads_to_u(Local x) const { return from_u_[at(x)] != kNoPath<T>; }
  static bool has(const std::vector<Local>& list, Local x) {
    return std::find(list.begin(), list.end(), x) != list.end();
  }

  template <class F>
  void each_step(Local x, F&& f) const {
    for (auto e = static_cast<std::size_t>(in_.begin(x)); e < static_cast<std::size_t>(in_.end(x)); ++e)
      if (leads_to_u(in_.heads[e])) f(in_.heads[e], static_cast<Length>(in_.weights[e]));
  }

  /// The sets that a path's own set without it falls into.
  void divide(const Candidate& c) {
    Length so_far{};
    for (std::size_t fixed = 1; fixed < c.walk.size(); ++fixed) {
      const Local spur = c.walk[fixed - 1], next = c.walk[fixed];
      Length step{};
      each_step(spur, [&](Local p, Length w) {
        if (p == next) step = w;
      });
      if (fixed >= c.fixed) {
        Candidate rest{.bound = {},
                       .is_complete = false,
                       .walk = {c.walk.begin(), c.walk.begin() + static_cast<std::ptrdiff_t>(fixed)},
                       .fixed = fixed,
                       .without = {}};
        if (fixed == c.fixed) rest.without = c.without;
        rest.without.push_back(next);
        bool any = false;
        each_step(spur, [&](Local p, Length w) {
          if (has(rest.without, p) || has(rest.walk, p)) return;
          const Length bound = so_far + w + left(p);
          rest.bound = any ? std::min(rest.bound, bound) : bound;
          any = true;
        });
        if (any) push(std::move(rest));
      }
      so_far += step;
    }
  }

  /// The shortest path of the set; false if it has none.
  bool complete(Candidate& c) {
    struct Reached {
      Length gone{};
      Local before = -1;
    };
    struct Open {
      Length bound, gone;
      Local vertex;
      bool operator>(const Open& other) const {
        return bound != other.bound ? bound > other.bound : vertex > other.vertex;
      }
    };
    Length gone{};
    for (std::size_t i = 1; i < c.fixed; ++i)
      each_step(c.walk[i - 1], [&](Local p, Length w) {
        if (p == c.walk[i]) gone += w;
      });
    const Local spur = c.walk.back();
    std::unordered_map<Local, Reached> reached;
    std::priority_queue<Open, std::vector<Open>, std::greater<>> open;
    for (const Local x : c.walk) reached[x] = {-std::numeric_limits<Length>::max(), -1};  // not again
    const auto expand = [&](Local x, Length so_far) {
      each_step(x, [&](Local p, Length w) {
        if (x == spur && has(c.without, p)) return;
        const auto [place, is_new] = reached.try_emplace(p);
        if (!is_new && !(so_far + w < place->second.gone)) return;
        place->second = {so_far + w, x};
        open.push({so_far + w + left(p), so_far + w, p});
      });
    };
    for (expand(spur, gone); !open.empty();) {
      const Open x = open.top();
      open.pop();
      if (reached[x.vertex].gone < x.gone) continue;
      if (x.vertex != u_) {
        expand(x.vertex, x.gone);
        continue;
      }
      std::vector<Local> rest;
      for (Local y = u_; y != spur; y = reached[y].before) rest.push_back(y);
      c.walk.insert(c.walk.end(), rest.rbegin(), rest.rend());
      c.bound = x.gone;
      c.is_complete = true;
      return true;
    }
    return false;
  }

  const Arcs<T>& in_;
  const Local u_;
  const std::span<const T> from_u_;
  std::vector<Candidate> heap_;
};

}  // namespace

template <class T>
std::vector<KnownPath<T>> PathFinder<T>::k_best(Local u, Local v, int k, std::span<const T> from_u) const {
  check_asked(u, v, from_u.size());
  check(k >= 1, "{} paths are asked for (at least 1). Give k >= 1.", k);
  std::vector<KnownPath<T>> paths;
  if (from_u[at(v)] == kNoPath<T>) return paths;
  for (auto& c : KBest<T>(in_, u, from_u).run(v, static_cast<std::size_t>(k))) {
    std::reverse(c.walk.begin(), c.walk.end());
    paths.push_back({std::move(c.walk), c.bound});
  }
  return paths;
}

template std::vector<KnownPath<float>> PathFinder<float>::k_best(Local, Local, int, std::span<const float>) const;
template std::vector<KnownPath<double>> PathFinder<double>::k_best(Local, Local, int, std::span<const double>) const;
template std::vector<KnownPath<std::int32_t>> PathFinder<std::int32_t>::k_best(Local, Local, int,
                                                                               std::span<const std::int32_t>) const;
template std::vector<KnownPath<std::uint16_t>> PathFinder<std::uint16_t>::k_best(Local, Local, int,
                                                                                 std::span<const std::uint16_t>) const;
template std::vector<KnownPath<std::uint8_t>> PathFinder<std::uint8_t>::k_best(Local, Local, int,
                                                                               std::span<const std::uint8_t>) const;

}  // namespace atl
