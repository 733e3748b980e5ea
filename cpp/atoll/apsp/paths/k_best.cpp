// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/apsp/paths/last_arc.hpp>
#include <atoll/apsp/paths/paths.hpp>
#include <atoll/base/error.hpp>
#include <cmath>
#include <optional>
#include <queue>
#include <utility>

// The k shortest loopless paths by Yen's algorithm [1], with Lawler's [2] division into disjoint sets: the remaining
// candidates are sets of paths that share a prefix and exclude some continuations.
//
//   in the paper             here                          meaning
//   root path                Set::like, Set::fixed         common prefix of a set's paths, given by a path found before
//   spur node                the last vertex of the prefix
//   edges removed            Set::without                  vertices that may not come next
//   shortest spur path       complete()                    along D(u, .), else A* with D as the estimate
//
// Paths are searched backwards, from v to u, because the distances at hand are those from u. Sets wait in a heap by a
// lower bound (the best first step by D) and are completed only when it is the smallest: most never are.
//
// Where the vertices of the prefix separate the two ends, A* would settle all that v's side can reach before it gave
// up: tens of milliseconds. So both sides are searched in turn first: they soon meet, or the smaller one soon ends.
//
// [1] J. Yen. "Finding the k shortest loopless paths in a network." Management Science 17(11), 1971.
// [2] E. Lawler. "A procedure for computing the k best solutions to discrete optimization problems and its application
//     to the shortest path problem." Management Science 18(7), 1972.

namespace atl {
namespace {

/// The search's path to each vertex it has reached: a hash table, because these are few.
template <class Length>
class Reached {
 public:
  struct Slot {
    Length travelled{};
    Local vertex = -1, before = -1;
  };
  void clear() {
    slots_.assign(kFirstSlots, Slot{});
    used_ = 0;
  }
  const Slot& of(Local v) const { return slots_[place_of(v)]; }
  /// Records this path if it is shorter than the known one; returns whether it is.
  bool improve(Local v, Length travelled, Local before) {
    std::size_t place = place_of(v);
    if (slots_[place].vertex == v) {
      if (!(travelled < slots_[place].travelled)) return false;
    } else if (2 * ++used_ > slots_.size()) {
      grow();
      place = place_of(v);
    }
    slots_[place] = {travelled, v, before};
    return true;
  }

 private:
  static constexpr std::size_t kFirstSlots = 256;
  std::size_t place_of(Local v) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t place = static_cast<std::uint32_t>(v) * std::size_t{0x9e3779b1} >> 7 & mask;
    while (slots_[place].vertex >= 0 && slots_[place].vertex != v) place = (place + 1) & mask;
    return place;
  }
  void grow() {
    const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
    for (const Slot& slot : before)
      if (slot.vertex >= 0) slots_[place_of(slot.vertex)] = slot;
  }

  std::vector<Slot> slots_ = std::vector<Slot>(kFirstSlots);
  std::size_t used_ = 0;
};

}  // namespace

template <class T>
class SimplePaths<T>::Search {
 public:
  using Length = PathSum<T>;
  struct Path {
    std::vector<Local> walk;  ///< from v to u
    Length length{};
    std::size_t fixed = 1;  ///< length of the prefix shared with its set
    Local without = -1;     ///< the exclusions of its set
  };

  Search(const PathFinder<T>& finder, Local u, Local v, std::span<const T> from_u)
      : finder_(finder), in_(finder.entering()), u_(u), from_u_(from_u), barred_(from_u.size(), 0) {
    if (from_u[v] == kNoPath<T>) return;
    found_.push_back({.walk = {v}});  // the prefix of the first set
    if (u == v) {
      push({.like = 0, .is_complete = true});
    } else {
      add({.like = 0, .fixed = 1}, {});
    }
  }

  /// From v to u; null: there is no further one, or keep_on has ended the search.
  const Path* next(const std::function<bool()>& keep_on) {
    keep_on_ = &keep_on;
    // The last path's set is divided only now, when another one is wanted.
    if (last_) divide(*std::exchange(last_, std::nullopt));
    while (!heap_.empty() && keeps_on()) {
      std::pop_heap(heap_.begin(), heap_.end(), later);
      const Set set = heap_.back();
      heap_.pop_back();
      if (set.is_complete) {
        last_ = set.like;
        return &found_[set.like];
      }
      if (complete(set) && !ended_)
        push({.bound = found_.back().length, .like = found_.size() - 1, .is_complete = true});
    }
    return nullptr;
  }

 private:
  struct Set {
    Length bound{};          ///< lower bound of the set's paths; the exact length if complete
    Length travelled{};      ///< length of the prefix, plus the step to `first`
    std::size_t like = 0;    ///< number of the path whose prefix it shares; if complete, of the path itself
    std::size_t fixed = 0;   ///< length of the prefix
    std::size_t number = 0;  ///< in order of creation: among equal bounds the oldest comes first
    Local without = -1;      ///< excluded next vertices: head of a list in excluded_
    Local first = -1;        ///< best next vertex by D
    bool is_complete = false;
  };
  struct Excluded {
    Local vertex, rest;
  };

  static bool later(const Set& a, const Set& b) {
    if (a.bound != b.bound) return a.bound > b.bound;
    if (a.is_complete != b.is_complete) return b.is_complete;
    return a.number > b.number;
  }
  void push(Set set) {
    set.number = made_++;
    heap_.push_back(set);
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  /// A lower bound of the distance from x to u: D, which may have been rounded up.
  Length remaining(Local x) const {
    const auto d = static_cast<Length>(from_u_[x]);
    if constexpr (std::is_floating_point_v<T>) return d - kPathSlack<T> * std::abs(d);
    return d;
  }
  bool is_without(Local list, Local x) const {
    for (; list >= 0; list = excluded_[list].rest)
      if (excluded_[list].vertex == x) return true;
    return false;
  }
  bool keeps_on() {
    ended_ = ended_ || (*keep_on_ && !(*keep_on_)());
    return !ended_;
  }
  void bar(std::span<const Local> walk, char whether) {
    for (const Local x : walk) barred_[x] = whether;
  }

  /// Pushes the set if it has a first step; its prefix must be blocked. `travelled`: length to its spur node.
  void add(Set set, Length travelled) {
    const Local spur = found_[set.like].walk[set.fixed - 1];
    const auto tails = in_.heads_of(spur);
    const auto weights = in_.weights_of(spur);
    for (std::size_t e = 0; e < tails.size(); ++e) {
      const Local p = tails[e];
      const Length to_p = travelled + static_cast<Length>(weights[e]), bound = to_p + remaining(p);
      if (set.first >= 0 && !(bound < set.bound)) continue;
      if (from_u_[p] == kNoPath<T> || barred_[p] || is_without(set.without, p)) continue;
      set.first = p;
      set.travelled = to_p;
      set.bound = bound;
    }
    if (set.first >= 0) push(set);
  }

  /// Divides the rest of a path's set, without the path itself, into disjoint sets.
  void divide(std::size_t number) {
    Length travelled{};
    const std::size_t size = found_[number].walk.size();
    for (std::size_t fixed = 1; fixed < size; ++fixed) {
      const Path& path = found_[number];
      const Local spur = path.walk[fixed - 1], next = path.walk[fixed];
      barred_[spur] = 1;
      if (fixed >= path.fixed) {
        excluded_.push_back({next, fixed == path.fixed ? path.without : Local{-1}});
        add({.like = number, .fixed = fixed, .without = static_cast<Local>(excluded_.size() - 1)}, travelled);
      }
      const auto tails = in_.heads_of(spur);
      const auto e = std::ranges::lower_bound(tails, next) - tails.begin();
      travelled += static_cast<Length>(in_.weights_of(spur)[e]);
    }
    bar(found_[number].walk, 0);
  }

  /// Appends the shortest path of the set to found_; false if it has none.
  bool complete(const Set& set) {
    const std::vector<Local>& like = found_[set.like].walk;
    const std::span<const Local> common(like.data(), set.fixed);
    bar(common, 1);
    Path path{
        .walk = {common.begin(), common.end()}, .length = set.travelled, .fixed = set.fixed, .without = set.without};
    bool any = follow(set.first, path);
    // A path along D is the shortest, unless rounding in D says otherwise.
    if (!any || path.length > set.bound) any = search(set, common, any, path) || any;
    bar(common, 0);
    if (any) found_.push_back(std::move(path));
    return any;
  }

  /// Follows D from x to u through unblocked vertices; false if it ends before. D decreases along the way, so no vertex
  /// repeats.
  bool follow(Local x, Path& path) const {
    for (path.walk.push_back(x); x != u_; path.walk.push_back(x)) {
      const Edge e = last_arc(in_, x, from_u_, [&](Local p) { return !barred_[p]; });
      if (e < 0) return false;
      path.length += static_cast<Length>(in_.weights[e]);
      x = in_.heads[e];
    }
    return true;
  }

  /// Whether u cannot be left forwards, or the spur node backwards, far enough for the two to meet.
  bool is_cut_off(Local spur, Local without) {
    struct Direction {
      const ReplicatedCsr<T>& arcs;
      std::vector<Local> seen;
      std::size_t next = 0;
      Edge scanned = 0;
    };
    Direction near_u{finder_.leaving(), {u_}}, near_spur{in_, {}};
    sides_.clear();
    sides_.improve(u_, 0, -1);
    const auto see = [&](Direction& direction, int number, Local x) {  // true: the other side has seen it
      if (const auto& slot = sides_.of(x); slot.vertex == x) return slot.travelled != number;
      sides_.improve(x, number, -1);
      direction.seen.push_back(x);
      return false;
    };
    for (const Local p : in_.heads_of(spur))
      if (!barred_[p] && !is_without(without, p) && see(near_spur, 1, p)) return false;
    for (int settled = 1;; ++settled) {
      if (settled % kSettledBetweenAsking == 0 && !keeps_on()) return true;
      Direction& direction = near_u.scanned <= near_spur.scanned ? near_u : near_spur;
      if (direction.next == direction.seen.size()) return true;
      const auto heads = direction.arcs.heads_of(direction.seen[direction.next++]);
      direction.scanned += std::ssize(heads) + 1;
      for (const Local y : heads)
        if (!barred_[y] && see(direction, &direction == &near_u ? 0 : 1, y)) return false;
    }
  }

  /// A*: the shortest path of the set, if it is shorter than `path` (if `known`). From each settled vertex D is
  /// followed: where nothing blocks that, only rounding errors of D are left to search.
  bool search(const Set& set, std::span<const Local> common, bool known, Path& path) {
    struct Open {
      Length bound, travelled;
      Local vertex;
      bool operator>(const Open& other) const {
        return bound != other.bound ? bound > other.bound : vertex > other.vertex;
      }
    };
    const Local spur = common.back();
    if (!known && is_cut_off(spur, set.without)) return false;
    std::priority_queue<Open, std::vector<Open>, std::greater<>> open;
    reached_.clear();
    const auto expand = [&](Local x, Length so_far) {
      const auto tails = in_.heads_of(x);
      const auto weights = in_.weights_of(x);
      for (std::size_t e = 0; e < tails.size(); ++e) {
        const Local p = tails[e];
        const Length travelled = so_far + static_cast<Length>(weights[e]), bound = travelled + remaining(p);
        if (known && !(bound < path.length)) continue;
        if (from_u_[p] == kNoPath<T> || barred_[p] || (x == spur && is_without(set.without, p))) continue;
        if (reached_.improve(p, travelled, x)) open.push({bound, travelled, p});
      }
    };
    Length travelled{};
    for (std::size_t i = 1; i < common.size(); ++i) {
      const auto tails = in_.heads_of(common[i - 1]);
      const auto e = std::ranges::lower_bound(tails, common[i]) - tails.begin();
      travelled += static_cast<Length>(in_.weights_of(common[i - 1])[e]);
    }
    bool found = false;
    Path rest;
    int settled = 0;
    for (expand(spur, travelled); !open.empty();) {
      if (++settled % kSettledBetweenAsking == 0 && !keeps_on()) return false;
      const Open x = open.top();
      open.pop();
      if (known && !(x.bound < path.length)) break;
      if (reached_.of(x.vertex).travelled < x.travelled) continue;
      rest.walk.clear();
      rest.length = x.travelled;
      // It meets no vertex of the path to x: that vertex would have been settled and followed before.
      if (follow(x.vertex, rest) && (!known || rest.length < path.length)) {
        path.walk.assign(common.begin(), common.end());
        for (Local y = reached_.of(x.vertex).before; y != spur; y = reached_.of(y).before) path.walk.push_back(y);
        std::reverse(path.walk.begin() + std::ssize(common), path.walk.end());
        path.walk.insert(path.walk.end(), rest.walk.begin(), rest.walk.end());
        path.length = rest.length;
        found = known = true;
      }
      expand(x.vertex, x.travelled);
    }
    return found;
  }

  static constexpr int kSettledBetweenAsking = 256;

  const PathFinder<T>& finder_;
  const ReplicatedCsr<T>& in_;
  const Local u_;
  const std::span<const T> from_u_;
  const std::function<bool()>* keep_on_ = nullptr;  // of the call of next()
  std::vector<char> barred_;                        // [vertex] used by the current path
  std::vector<Path> found_;
  std::vector<Excluded> excluded_;
  Reached<Length> reached_;
  Reached<int> sides_;
  std::vector<Set> heap_;
  std::size_t made_ = 0;
  std::optional<std::size_t> last_;  // of found_: the last path that next() has given
  bool ended_ = false;
};

template <class T>
SimplePaths<T>::SimplePaths(const PathFinder<T>& finder, Local u, Local v, std::span<const T> from_u) {
  finder.check_asked(u, v, from_u.size());
  search_ = std::make_unique<Search>(finder, u, v, from_u);
}
template <class T>
SimplePaths<T>::~SimplePaths() = default;
template <class T>
SimplePaths<T>::SimplePaths(SimplePaths&&) noexcept = default;

template <class T>
std::optional<KnownPath<T>> SimplePaths<T>::next(const std::function<bool()>& keep_on) {
  const auto* found = search_->next(keep_on);
  if (!found) return std::nullopt;
  return KnownPath<T>{{found->walk.rbegin(), found->walk.rend()}, found->length};
}

template <class T>
std::vector<KnownPath<T>> PathFinder<T>::k_best(Local u, Local v, int k, std::span<const T> from_u,
                                                const std::function<bool()>& keep_on) const {
  check(k >= 1, "{} paths are asked for (at least 1). Give k >= 1.", k);
  SimplePaths<T> all(*this, u, v, from_u);
  std::vector<KnownPath<T>> paths;
  while (std::ssize(paths) < k) {
    std::optional<KnownPath<T>> path = all.next(keep_on);
    if (!path) break;
    paths.push_back(std::move(*path));
  }
  return paths;
}

#define ATOLL_K_BEST_OF(T)                                                                        \
  template class SimplePaths<T>;                                                                  \
  template std::vector<KnownPath<T>> PathFinder<T>::k_best(Local, Local, int, std::span<const T>, \
                                                           const std::function<bool()>&) const;
ATOLL_K_BEST_OF(float)
ATOLL_K_BEST_OF(double)
ATOLL_K_BEST_OF(std::int32_t)
ATOLL_K_BEST_OF(std::uint16_t)
ATOLL_K_BEST_OF(std::uint8_t)
#undef ATOLL_K_BEST_OF

}  // namespace atl
