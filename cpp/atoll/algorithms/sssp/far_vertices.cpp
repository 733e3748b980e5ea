// SPDX-License-Identifier: Apache-2.0
// The far part of shortest paths on graphs with hubs. Beyond a hub nearly every vertex has a light edge to a near
// vertex, and most relaxations pushed from near vertices fail. Once a hub is reached at distance h, the horizon is
// H = h + reach. Distances below H are found by pushing, along edges that end below H only (lists are sorted by weight,
// so these are a prefix). Then each vertex v at or beyond H pulls along its entering edges, lightest first, and stops
// at the first with L + w >= best, where L = lower_: vertices closer than L relaxed all their edges before there was a
// horizon. A vertex that another one at or beyond H could still improve, H + w < best for its lightest edge w, pulls
// again, and where few vertices change, these push. Rounding is monotone, so all these comparisons hold for the rounded
// sums.
#include <algorithm>
#include <atoll/algorithms/sssp/delta_stepping.hpp>

namespace atl {
namespace {

constexpr std::size_t kFarGrain = 1024;
// Over ranks, vertices that changed beyond the horizon push if they are at most this fraction of those that could pull.
// On one rank they always push: only the first pull has many.
constexpr double kMany = 1.0 / 8;

}  // namespace

// Computes the distances at and beyond the horizon. Each far vertex first pulls from near vertices and from vertices of
// this rank. Then, round by round, changed vertices, none with a distance below `least`, improve others. If many have
// changed, the far vertices that these could still improve pull again; if few have, they push.
template <class Real, class Sum>
void DeltaStepping<Real, Sum>::pull() {
  horizon_open_ = false;
  all_touched_ = true;
  const Sum horizon = horizon_;
  team_.for_range(index(graph_.active()), kFarGrain, [&](int t, std::size_t a, std::size_t b) {
    Thread& thread = threads_[t];
    for (std::size_t i = a; i < b; ++i) {
      prefetch_entering(static_cast<Local>(std::min(i + kAhead, b - 1)));
      if (distance_[i] < horizon) continue;
      const auto v = static_cast<Local>(i);
      pull_one(v, lower_);
      // No two threads write the same word: the grain is a multiple of 64.
      if (exchange_ && distance_[i] < kUnreached) changed_.set_unsynchronized(i);
      if (least_unsent_ + lightest(v) < distance_[i]) thread.kept.push_back(v);
    }
  });
  collect_kept();
  bool pulled = false;  // all must pull once: the changes of the first pass on this rank have not been sources yet
  for (Sum least = least_unsent_; least < kUnreached;) {
    Sum changed = exchange_changes(horizon);
    for (Sum here = least;; changed = std::min(changed, here)) {
      const std::vector<Local> sources = take_changed();
      if (sources.empty() && pulled) break;
      if (!pulled || (exchange_ && static_cast<double>(sources.size()) > kMany * static_cast<double>(frontier_size_))) {
        pull_frontier(least, here);
        pulled = true;
      } else {
        push_from(sources);
      }
      here = take_least();
    }
    least = exchange_ ? world_.min(changed) : kUnreached;
  }
}

// Over ranks, masters tell their mirrors; vertices below the horizon that change this late are relaxed first. Returns
// the least distance that this has changed.
template <class Real, class Sum>
Sum DeltaStepping<Real, Sum>::exchange_changes(Sum horizon) {
  if (!exchange_) return kUnreached;
  // A broadcast of most values sends all of them, so skip mirrors whose distance has been relaxed already.
  broadcast_changed([&](Thread& thread, Local mirror) {
    const Sum distance = distance_[mirror];
    if (distance < horizon && trace_[mirror].is_relaxed(distance)) return;
    if (distance < horizon) put(thread, mirror, distance);
    thread.changed.push_back(mirror);
  });
  take_least();
  empty_buckets(0, kNone);
  return take_least();
}

// The frontier pulls. `here` is a lower bound of the distances changed on this rank, `least` of those changed on any
// rank. A vertex stays in the frontier while a source at `least` could still improve it.
template <class Real, class Sum>
void DeltaStepping<Real, Sum>::pull_frontier(Sum least, Sum here) {
  team_.for_range(frontier_size_, kFarGrain / 4, [&](int t, std::size_t a, std::size_t b) {
    Thread& thread = threads_[t];
    for (std::size_t i = a; i < b; ++i) {
      prefetch_entering(frontier_[std::min(i + kAhead, b - 1)]);
      const Local v = frontier_[i];
      if (exchange_) {  // one rank pulls once: the first pass has just chosen the frontier
        if (least + lightest(v) >= distance_[v]) continue;
        thread.kept.push_back(v);
      }
      if (pull_one(v, here)) mark_changed(thread, v, distance_[v]);
    }
  });
  collect_kept();
}

// Relaxes all edges of the sources; used where these are few.
template <class Real, class Sum>
void DeltaStepping<Real, Sum>::push_from(const std::vector<Local>& sources) {
  team_.for_range(sources.size(), kFarGrain / 4, [&](int t, std::size_t a, std::size_t b) {
    Thread& thread = threads_[t];
    for (std::size_t i = a; i < b; ++i) {
      if (i + kAhead < b) __builtin_prefetch(out_.of(sources[i + kAhead]).data());
      const Local u = sources[i];
      const Sum distance = load(u);
      for (const Entry& e : out_.of(u))
        if (lower(e.vertex, distance + e.weight, predecessor_of(distance, distance + e.weight, u)))
          mark_changed(thread, e.vertex, distance + e.weight);
    }
  });
}

// Pulls along the edges into v, a vertex at or beyond the horizon; returns whether its distance fell. Vertices with a
// distance below `lower` cannot improve v, so the pull ends at the first edge with lower + weight >= best.
template <class Real, class Sum>
bool DeltaStepping<Real, Sum>::pull_one(Local v, Sum lower) {
  const Sum known = load(v);
  Sum best = known;
  std::uint32_t from = Trace::kNoPredecessor;
  const auto pull_along = [&](std::span<const Entry> edges) {  // whether to go on with the edges after these
    for (const Entry& e : edges) {
      if (lower + e.weight >= best) return false;
      const Sum before = load(e.vertex), reached = before + e.weight;
      if (reached >= best) continue;
      best = reached;
      from = predecessor_of(before, reached, e.vertex);
    }
    return true;
  };
  if (!exchange_) {
    pull_along(entering().of(v));
  } else if (const Head& head = heads_[v]; pull_along(head)) {
    const std::span<const Entry> edges = in_.of(v);
    if (edges.size() > head.size()) pull_along(edges.subspan(head.size()));
  }
  if (best == known) return false;
  if (tree_) trace_[v] = {from, best};
  std::atomic_ref(distance_[v]).store(best, std::memory_order_relaxed);
  return true;
}

// The weight of v's lightest entering edge; kUnreached if it has none.
template <class Real, class Sum>
Sum DeltaStepping<Real, Sum>::lightest(Local v) const {
  if (exchange_) return heads_[v][0].weight;
  const std::span<const Entry> edges = entering().of(v);
  return edges.empty() ? kUnreached : edges[0].weight;
}

// Prefetches what pull_one(v) reads first: over ranks, the distances at the other ends of the two lightest edges.
template <class Real, class Sum>
void DeltaStepping<Real, Sum>::prefetch_entering(Local v) const {
  if (exchange_) {
    __builtin_prefetch(&distance_[heads_[v][0].vertex]);
    __builtin_prefetch(&distance_[heads_[v][1].vertex]);
  } else {
    __builtin_prefetch(entering().of(v).data());
  }
}

// Moves the vertices that the threads have kept into frontier_.
template <class Real, class Sum>
void DeltaStepping<Real, Sum>::collect_kept() {
  frontier_size_ = 0;
  for (const Thread& t : threads_) frontier_size_ += t.kept.size();
  if (frontier_size_ > frontier_.size()) frontier_ = Array<Local>(2 * frontier_size_);
  Local* at = frontier_.data();
  for (Thread& t : threads_) {
    at = std::copy(t.kept.begin(), t.kept.end(), at);
    t.kept.clear();
  }
}

template <class Real, class Sum>
void DeltaStepping<Real, Sum>::mark_changed(Thread& thread, Local v, Sum distance) {
  thread.changed.push_back(v);
  if (!exchange_) return;
  changed_.set(index(v));
  thread.least = std::min(thread.least, distance);
}

template <class Real, class Sum>
std::vector<Local> DeltaStepping<Real, Sum>::take_changed() {
  std::vector<Local> all;
  for (Thread& t : threads_) {
    all.insert(all.end(), t.changed.begin(), t.changed.end());
    t.changed.clear();
  }
  return all;
}

// Returns and resets the least distance changed since the last call.
template <class Real, class Sum>
Sum DeltaStepping<Real, Sum>::take_least() {
  Sum least = kUnreached;
  for (Thread& t : threads_) least = std::min(least, std::exchange(t.least, kUnreached));
  return least;
}

template void DeltaStepping<float>::pull();
template void DeltaStepping<double>::pull();
template void DeltaStepping<double, std::uint32_t>::pull();
template void DeltaStepping<double, std::uint64_t>::pull();

}  // namespace atl
