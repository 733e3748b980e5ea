// SPDX-License-Identifier: Apache-2.0
// The far part of shortest paths over ranks: what lies at the horizon or beyond asks its edges.
#include <algorithm>
#include <atoll/algorithms/sssp/distributed.hpp>

namespace atl {
namespace {

constexpr std::size_t kGrain = 1024;
// What has changed beyond the horizon follows its edges where it is at most this part of those who might ask.
constexpr double kMany = 1.0 / 8;

std::size_t index(Local v) { return static_cast<std::size_t>(v); }

}  // namespace

template <class Real, class Sum>
bool DistributedSssp<Real, Sum>::pull_one(Local v, Sum lower) {
  return Steps::pull_one(v, lower, [&](auto&& ask) {
    const Head& head = heads_[index(v)];
    if (!std::all_of(head.begin(), head.end(), ask)) return;
    if (const std::span<const Entry> edges = in_.of(v); edges.size() > head.size())
      std::all_of(edges.begin() + head.size(), edges.end(), ask);
  });
}

// Fetches what the first edges of a vertex that will be asked lead to.
template <class Real, class Sum>
void DistributedSssp<Real, Sum>::look_ahead(Local v) const {
  __builtin_prefetch(&distance_[index(heads_[index(v)][0].vertex)]);
  __builtin_prefetch(&distance_[index(heads_[index(v)][1].vertex)]);
}

// What lies at the horizon or beyond: first from the near vertices and those of this rank; then, round by round, from what
// has changed, none of it closer than `least`. Where that is much, those ask again for whom it is close enough; where it
// is little, it follows its edges. What comes late from below the horizon is settled first.
template <class Real, class Sum>
void DistributedSssp<Real, Sum>::pull() {
  horizon_open_ = false;
  const Sum horizon = horizon_;
  team_.for_range(predecessor_.size(), kGrain, [&](int t, std::size_t a, std::size_t b) {
    Thread& thread = threads_[static_cast<std::size_t>(t)];
    for (std::size_t i = a; i < b; ++i) {
      look_ahead(static_cast<Local>(std::min(i + kAhead, b - 1)));
      if (distance_[i] < horizon) continue;
      const auto v = static_cast<Local>(i);
      pull_one(v, lower_);
      // A word of bits is one thread's, the grain being a multiple of it.
      if (distance_[i] < kFar) told_.at(i / 64) |= std::uint64_t{1} << (i % 64);
      if (first_late_ + heads_[i][0].weight < distance_[i]) thread.kept.push_back(v);
    }
  });
  collect_kept();
  bool asked = false;  // once by all, since what has just changed here is nobody's source yet
  for (Sum least = first_late_; least < kFar;) {
    // Where most have changed all are told, also what has been settled.
    tell([&](Thread& thread, Local mirror) {
      const Sum distance = distance_[index(mirror)];
      if (distance < horizon && distance == settled_[index(mirror)]) return;
      if (distance < horizon) put(thread, mirror, distance);
      thread.changed.push_back(mirror);
    });
    const std::vector<Local> asking(frontier_.begin(), frontier_.begin() + frontier_size_);
    take_least();
    empty_buckets(0, kNone);
    Sum changed = take_least();
    std::copy(asking.begin(), asking.end(), frontier_.begin());
    frontier_size_ = asking.size();
    for (Sum here = least;; changed = std::min(changed, here)) {
      const std::vector<Local> sources = take_changed();
      if (sources.empty() && asked) break;
      if (!asked || static_cast<double>(sources.size()) > kMany * static_cast<double>(frontier_size_)) {
        pull_again(least, here);
        asked = true;
      } else {
        push_from(sources);
      }
      here = take_least();
    }
    least = world_.min(changed);
  }
}

// Those of the frontier whom something no closer than `here`, which is what has changed on this rank, might improve; whom
// something no closer than `least` might, on any rank, stay in it.
template <class Real, class Sum>
void DistributedSssp<Real, Sum>::pull_again(Sum least, Sum here) {
  team_.for_range(frontier_size_, kGrain / 4, [&](int t, std::size_t a, std::size_t b) {
    Thread& thread = threads_[static_cast<std::size_t>(t)];
    for (std::size_t i = a; i < b; ++i) {
      look_ahead(frontier_[std::min(i + kAhead, b - 1)]);
      const Local v = frontier_[i];
      if (least + heads_[index(v)][0].weight >= distance_[index(v)]) continue;
      thread.kept.push_back(v);
      if (!pull_one(v, here)) continue;
      told_.set(v);
      thread.changed.push_back(v);
      thread.least = std::min(thread.least, distance_[index(v)]);
    }
  });
  collect_kept();
}

// All edges of the sources, where these are few.
template <class Real, class Sum>
void DistributedSssp<Real, Sum>::push_from(const std::vector<Local>& sources) {
  team_.for_range(sources.size(), kGrain / 4, [&](int t, std::size_t a, std::size_t b) {
    Thread& thread = threads_[static_cast<std::size_t>(t)];
    for (std::size_t i = a; i < b; ++i) {
      if (i + kAhead < b) __builtin_prefetch(out_.of(sources[i + kAhead]).data());
      const Local u = sources[i];
      const Sum distance = load(u);
      for (const Entry& e : out_.of(u)) {
        if (!relax(distance, u, e)) continue;
        told_.set(e.vertex);
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

// The least distance that has changed since it was last taken.
template <class Real, class Sum>
Sum DistributedSssp<Real, Sum>::take_least() {
  Sum least = kFar;
  for (Thread& t : threads_) least = std::min(least, std::exchange(t.least, kFar));
  return least;
}

template void DistributedSssp<float>::pull();
template void DistributedSssp<double>::pull();
template void DistributedSssp<double, std::uint32_t>::pull();
template void DistributedSssp<double, std::uint64_t>::pull();

}  // namespace atl
