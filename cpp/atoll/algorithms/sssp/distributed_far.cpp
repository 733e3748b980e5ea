// SPDX-License-Identifier: Apache-2.0
// The far part of shortest paths over ranks: vertices at or beyond the horizon pull along their entering edges.
#include <algorithm>
#include <atoll/algorithms/sssp/distributed.hpp>

namespace atl {
namespace {

constexpr std::size_t kFarGrain = 1024;
// Vertices that changed beyond the horizon push if they are at most this fraction of the vertices that could pull.
constexpr double kMany = 1.0 / 8;

}  // namespace

template <class Real, class Sum>
bool DistributedSssp<Real, Sum>::pull_one(Local v, Sum lower) {
  return Steps::pull_one(v, lower, [&](auto&& try_edge) {
    const Head& head = heads_[v];
    if (!std::all_of(head.begin(), head.end(), try_edge)) return;
    if (const std::span<const Entry> edges = in_.of(v); edges.size() > head.size())
      std::all_of(edges.begin() + head.size(), edges.end(), try_edge);
  });
}

// Prefetches the distances at the other ends of v's two lightest entering edges.
template <class Real, class Sum>
void DistributedSssp<Real, Sum>::prefetch_heads(Local v) const {
  __builtin_prefetch(&distance_[heads_[v][0].vertex]);
  __builtin_prefetch(&distance_[heads_[v][1].vertex]);
}

// Computes the distances at and beyond the horizon. Each far vertex first pulls from near vertices and from vertices of
// this rank. Then, round by round, changed vertices, none with a distance below `least`, improve others. If many have
// changed, the far vertices that these could still improve pull again; if few have, they push. Vertices below the
// horizon that change this late are relaxed first.
template <class Real, class Sum>
void DistributedSssp<Real, Sum>::pull() {
  horizon_open_ = false;
  const Sum horizon = horizon_;
  team_.for_range(predecessor_.size(), kFarGrain, [&](int t, std::size_t a, std::size_t b) {
    Thread& thread = threads_[t];
    for (std::size_t i = a; i < b; ++i) {
      prefetch_heads(static_cast<Local>(std::min(i + kAhead, b - 1)));
      if (distance_[i] < horizon) continue;
      const auto v = static_cast<Local>(i);
      pull_one(v, lower_);
      // No two threads write the same word: the grain is a multiple of 64.
      if (distance_[i] < kUnreached) changed_.at(i / 64) |= std::uint64_t{1} << (i % 64);
      if (least_unsent_ + heads_[i][0].weight < distance_[i]) thread.kept.push_back(v);
    }
  });
  collect_kept();
  bool pulled = false;  // all must pull once: the changes of the first pass on this rank have not been sources yet
  for (Sum least = least_unsent_; least < kUnreached;) {
    // A broadcast of most values sends all of them, so skip mirrors whose distance has been relaxed already.
    broadcast_changed([&](Thread& thread, Local mirror) {
      const Sum distance = distance_[mirror];
      if (distance < horizon && distance == relaxed_distance_[mirror]) return;
      if (distance < horizon) put(thread, mirror, distance);
      thread.changed.push_back(mirror);
    });
    const std::vector<Local> pulling(frontier_.begin(), frontier_.begin() + frontier_size_);
    take_least();
    empty_buckets(0, kNone);
    Sum changed = take_least();
    std::copy(pulling.begin(), pulling.end(), frontier_.begin());
    frontier_size_ = pulling.size();
    for (Sum here = least;; changed = std::min(changed, here)) {
      const std::vector<Local> sources = take_changed();
      if (sources.empty() && pulled) break;
      if (!pulled || static_cast<double>(sources.size()) > kMany * static_cast<double>(frontier_size_)) {
        pull_frontier(least, here);
        pulled = true;
      } else {
        push_from(sources);
      }
      here = take_least();
    }
    least = world_.min(changed);
  }
}

// The frontier pulls. `here` is a lower bound of the distances changed on this rank, `least` of those changed on any
// rank. A vertex stays in the frontier while a source at `least` could still improve it.
template <class Real, class Sum>
void DistributedSssp<Real, Sum>::pull_frontier(Sum least, Sum here) {
  team_.for_range(frontier_size_, kFarGrain / 4, [&](int t, std::size_t a, std::size_t b) {
    Thread& thread = threads_[t];
    for (std::size_t i = a; i < b; ++i) {
      prefetch_heads(frontier_[std::min(i + kAhead, b - 1)]);
      const Local v = frontier_[i];
      if (least + heads_[v][0].weight >= distance_[v]) continue;
      thread.kept.push_back(v);
      if (!pull_one(v, here)) continue;
      changed_.set(v);
      thread.changed.push_back(v);
      thread.least = std::min(thread.least, distance_[v]);
    }
  });
  collect_kept();
}

// Relaxes all edges of the sources; used where these are few.
template <class Real, class Sum>
void DistributedSssp<Real, Sum>::push_from(const std::vector<Local>& sources) {
  team_.for_range(sources.size(), kFarGrain / 4, [&](int t, std::size_t a, std::size_t b) {
    Thread& thread = threads_[t];
    for (std::size_t i = a; i < b; ++i) {
      if (i + kAhead < b) __builtin_prefetch(out_.of(sources[i + kAhead]).data());
      const Local u = sources[i];
      const Sum distance = load(u);
      for (const Entry& e : out_.of(u)) {
        if (!relax(distance, u, e)) continue;
        changed_.set(e.vertex);
        thread.changed.push_back(e.vertex);
        thread.least = std::min(thread.least, distance + e.weight);
      }
    }
  });
}

template <class Real, class Sum>
std::vector<Local> DistributedSssp<Real, Sum>::take_changed() {
  std::vector<Local> all;
  for (Thread& t : threads_) {
    all.insert(all.end(), t.changed.begin(), t.changed.end());
    t.changed.clear();
  }
  return all;
}

// Returns and resets the least distance changed since the last call.
template <class Real, class Sum>
Sum DistributedSssp<Real, Sum>::take_least() {
  Sum least = kUnreached;
  for (Thread& t : threads_) least = std::min(least, std::exchange(t.least, kUnreached));
  return least;
}

template void DistributedSssp<float>::pull();
template void DistributedSssp<double>::pull();
template void DistributedSssp<double, std::uint32_t>::pull();
template void DistributedSssp<double, std::uint64_t>::pull();

}  // namespace atl
