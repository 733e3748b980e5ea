// SPDX-License-Identifier: Apache-2.0
// Rabbit Order [1]: communities by incremental aggregation, numbered in the order of their trees.
//
//   in the paper               here
//   atom(v) = degree, child    state_[v]: strength and newest child, one word, or kTaken for the child
//   sibling(v)                 sibling_[v]: the child that v's community had taken before v
//   dest(v)                    parent_[v]; root_of() shortens ways
//   edges of a community       lists_[v]: written when v joins another, read once, by that one's thread
//   dQ(u, v)                   w_uv - d_u d_v / 2m, which has its sign and order
//
// Vertices take their turn by rising degree, so that hubs have gathered their leaves before they join. A thread takes v
// (nobody can join it then), sums v's edges and its children's by community, and lets v join the neighbour that gains
// most, by compare-and-swap on that one's word. Where that one is taken itself, v is let go and tried again later; what
// still fails in the end is done by one thread, so no two can hinder each other for ever.
//
// Here and not in the paper: strengths are 32-bit integers, in units of edges that fit them (one edge below 2^31
// nonzeros); communities come in the order of their roots' old numbers; rows without nonzeros but their own are last.
//
// [1] J. Arai, H. Shiokawa, T. Yamamuro, M. Onizuka, S. Iwamura. "Rabbit Order: just-in-time parallel reordering for fast
//     graph analysis." IPDPS 2016.
#include <algorithm>
#include <atoll/order/methods.hpp>
#include <atoll/order/rows.hpp>
#include <atoll/order/stable_sort.hpp>
#include <atoll/order/symmetric_pattern.hpp>
#include <bit>
#include <vector>

namespace atl::order {
namespace {

constexpr Local kNoCommunity = -1, kTaken = -2;

struct Link {
  Local community;
  float weight;  // edges
};

// Sums of links by community: a hash table as large as the row in hand, so that most stay in the first cache.
class LinkSums {
 public:
  /// Empties it; at most `most` links follow.
  void begin(std::size_t most) {
    for (const std::size_t at : used_) slots_[at].community = kNoCommunity;
    used_.clear();
    const int bits = static_cast<int>(std::bit_width(most)) + 1;
    shift_ = 64 - bits;
    mask_ = (std::size_t{1} << bits) - 1;
    if (slots_.size() <= mask_) slots_.resize(mask_ + 1, {kNoCommunity, 0});
  }
  void add(Local community, float weight) {
    auto at = static_cast<std::size_t>(static_cast<std::uint64_t>(community) * 0x9e3779b97f4a7c15ULL >> shift_);
    for (;; at = (at + 1) & mask_) {
      if (slots_[at].community == community) {
        slots_[at].weight += weight;
        return;
      }
      if (slots_[at].community == kNoCommunity) break;
    }
    slots_[at] = {community, weight};
    used_.push_back(at);
  }
  std::size_t size() const { return used_.size(); }
  const Link& operator[](std::size_t i) const { return slots_[used_[i]]; }

 private:
  std::vector<Link> slots_;
  std::vector<std::size_t> used_;
  int shift_ = 0;
  std::size_t mask_ = 0;
};

// Memory of one thread's lists; all of it is freed at the end.
class LinkLists {
 public:
  std::span<Link> take(std::size_t size) {
    constexpr std::size_t kBlock = std::size_t{1} << 16;
    if (free_.size() < size) {
      blocks_.emplace_back(std::max(size, kBlock));
      free_ = {blocks_.back().data(), blocks_.back().size()};
    }
    const std::span<Link> list = free_.first(size);
    free_ = free_.subspan(size);
    return list;
  }

 private:
  std::vector<Array<Link>> blocks_;
  std::span<Link> free_;
};

// A vertex that could not join: its links are in its list, those of children up to `child` included.
struct Retry {
  Local vertex, child;
};

struct Worker {
  LinkSums sums;
  LinkLists lists;
  std::vector<Retry> retries;
  std::size_t turns = 0;  // since it last tried them again
};

class Aggregation {
 public:
  Aggregation(Team& team, const SparsePattern& a)
      : team_(team),
        a_(a),
        unit_((static_cast<std::uint64_t>(a.nonzeros()) >> 31) + 1),
        state_(static_cast<std::size_t>(a.rows)),
        parent_(state_.size()),
        sibling_(state_.size()),
        child_(state_.size()),
        lists_(state_.size()),
        workers_(static_cast<std::size_t>(team.size())) {
    team.for_range(state_.size(), std::size_t{1} << 14, [&](int, std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        const std::uint64_t strength = (degree(a_, static_cast<Local>(v)) + unit_ - 1) / unit_;
        state_[v] = word(static_cast<std::uint32_t>(strength), kNoCommunity);
        parent_[v] = static_cast<Local>(v);
        lists_[v] = {};
      }
    });
    expected_ = static_cast<double>(unit_) / (static_cast<double>(a.nonzeros()) / static_cast<double>(unit_));
  }

  void run() {
    Array<Local> turns = identity(team_, a_.rows);
    sort_stably(team_, turns, largest_degree(a_), [&](Local v) { return degree(a_, v); });
    // Hubs are handed out one by one: those of the end cost as much as a thousand others each.
    constexpr std::uint64_t kHub = 512;
    const auto light = static_cast<std::size_t>(
        std::ranges::partition_point(turns, [&](Local v) { return degree(a_, v) < kHub; }) - turns.begin());
    const auto join_all = [&](std::span<const Local> vertices, std::size_t grain) {
      team_.for_range(vertices.size(), grain, [&](int thread, std::size_t begin, std::size_t end) {
        Worker& worker = workers_[thread];
        for (std::size_t i = begin; i < end; ++i) join({vertices[i], kNoCommunity}, worker);
        // A thread waits as many turns as it has retried: else those who wait for a hub that another thread holds would
        // cost their square.
        worker.turns += end - begin;
        if (worker.turns < worker.retries.size()) return;
        worker.turns = 0;
        try_again(worker);
      });
    };
    const std::span<const Local> all(turns.data(), turns.size());
    join_all(all.first(light), 256);
    join_all(all.subspan(light), 1);
    for (Worker& worker : workers_) try_again(worker);  // by one thread nothing is ever taken
  }

  // [new row] -> old row: each tree in preorder, the newest child first.
  Array<Local> in_order_of_trees() {
    std::vector<Local> roots, isolated;
    for (Local v = 0; v < a_.rows; ++v)
      if (at(parent_, v) == v) (is_isolated(v) ? isolated : roots).push_back(v);
    constexpr std::size_t kRoots = 256;  // a chunk
    std::vector<std::vector<Local>> parts(roots.size() / kRoots + 1);
    team_.for_range(roots.size(), kRoots, [&](int, std::size_t begin, std::size_t end) {
      std::vector<Local>& part = parts[begin / kRoots];
      std::vector<Local> open;
      for (std::size_t r = begin; r < end; ++r) {
        part.push_back(roots[r]);
        // A vertex on the stack stands for itself and its older siblings.
        for (Local v = child_of(at(state_, roots[r]));;) {
          if (v == kNoCommunity) {
            if (open.empty()) break;
            v = open.back();
            open.pop_back();
          }
          part.push_back(v);
          if (at(sibling_, v) != kNoCommunity) open.push_back(at(sibling_, v));
          v = at(child_, v);
        }
      }
    });
    parts.push_back(std::move(isolated));
    Array<Local> order(static_cast<std::size_t>(a_.rows));
    Local* to = order.data();
    for (const auto& part : parts) to = std::ranges::copy(part, to).out;
    return order;
  }

 private:
  static std::uint64_t word(std::uint32_t strength, Local child) {
    return std::uint64_t{strength} << 32 | static_cast<std::uint32_t>(child);
  }
  static std::uint32_t strength_of(std::uint64_t state) { return static_cast<std::uint32_t>(state >> 32); }
  static Local child_of(std::uint64_t state) { return static_cast<Local>(static_cast<std::uint32_t>(state)); }
  template <class T>
  static T& at(Array<T>& array, Local v) {
    return array[v];
  }

  bool is_isolated(Local v) {
    return child_of(at(state_, v)) == kNoCommunity && std::ranges::all_of(row(a_, v), [v](Local u) { return u == v; });
  }

  Local root_of(Local v) {
    for (;;) {
      const Local up = std::atomic_ref(at(parent_, v)).load(std::memory_order_relaxed);
      if (up == v) return v;
      const Local top = std::atomic_ref(at(parent_, up)).load(std::memory_order_relaxed);
      if (top == up) return up;
      std::atomic_ref(at(parent_, v)).store(top, std::memory_order_relaxed);  // an ancestor for ever: any order will do
      v = top;
    }
  }

  void try_again(Worker& worker) {
    for (const Retry& retry : std::exchange(worker.retries, {})) join(retry, worker);
  }

  // The sums of v's links and of those of its children that joined after `known`, by today's communities.
  void gather(Local v, Local newest, Local known, LinkSums& sums) {
    const std::span<const Link> own = at(lists_, v);
    const auto neighbours = known == kNoCommunity && own.empty() ? row(a_, v) : std::span<const Local>();
    std::size_t most = own.size() + neighbours.size();
    for (Local child = newest; child != known; child = at(sibling_, child)) most += at(lists_, child).size();
    sums.begin(std::min(most, state_.size()));
    const auto add = [&](Local to, float weight) {
      const Local community = root_of(to);
      if (community != v) sums.add(community, weight);
    };
    for (const Local u : neighbours) add(u, 1);
    for (const Link& link : own) add(link.community, link.weight);
    for (Local child = newest; child != known; child = at(sibling_, child))
      for (const Link& link : at(lists_, child)) add(link.community, link.weight);
  }

  void join(const Retry& turn, Worker& worker) {
    const Local v = turn.vertex;
    std::atomic_ref mine(at(state_, v));
    std::uint64_t free = mine.load(std::memory_order_relaxed);
    while (!mine.compare_exchange_weak(free, word(strength_of(free), kTaken), std::memory_order_acquire)) {
    }
    const std::uint32_t strength = strength_of(free);
    const Local newest = child_of(free);
    gather(v, newest, turn.child, worker.sums);

    Local best = kNoCommunity;
    double most = 0;
    const double per_strength = static_cast<double>(strength) * expected_;
    for (std::size_t i = 0; i < worker.sums.size(); ++i) {
      const Link& link = worker.sums[i];
      const std::uint64_t other = std::atomic_ref(at(state_, link.community)).load(std::memory_order_relaxed);
      const double gain = static_cast<double>(link.weight) - per_strength * static_cast<double>(strength_of(other));
      if (gain > most || (gain == most && best != kNoCommunity && link.community < best))
        most = gain, best = link.community;
    }
    if (best == kNoCommunity) return mine.store(free, std::memory_order_release);

    const std::span<Link> list = worker.lists.take(worker.sums.size());
    for (std::size_t i = 0; i < list.size(); ++i) list[i] = worker.sums[i];
    at(lists_, v) = list;
    at(child_, v) = newest;
    std::atomic_ref target(at(state_, best));
    std::uint64_t seen = target.load(std::memory_order_relaxed);
    while (child_of(seen) != kTaken) {
      at(sibling_, v) = child_of(seen);
      if (target.compare_exchange_weak(seen, word(strength_of(seen) + strength, v), std::memory_order_acq_rel))
        return std::atomic_ref(at(parent_, v)).store(best, std::memory_order_relaxed);
    }
    worker.retries.push_back({v, newest});
    mine.store(free, std::memory_order_release);
  }

  Team& team_;
  const SparsePattern a_;
  const std::uint64_t unit_;  // edges in a unit of strength
  double expected_ = 0;       // edges expected between two vertices of strength 1
  Array<std::uint64_t> state_;
  Array<Local> parent_, sibling_, child_;  // child_: of vertices that have joined another
  Array<std::span<const Link>> lists_;
  std::vector<Worker> workers_;
};

}  // namespace

Array<Local> by_communities(Team& team, const SparsePattern& a) {
  const SymmetricPattern symmetric(team, a);
  Aggregation aggregation(team, symmetric.pattern());
  aggregation.run();
  return aggregation.in_order_of_trees();
}

}  // namespace atl::order
