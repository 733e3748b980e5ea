// SPDX-License-Identifier: Apache-2.0
// The buckets of delta-stepping, emptied in order. Each thread has its own part of a bucket, the vertices whose distance
// it lowered itself: what it knows of them is in its cache. A thread that has emptied its part goes on with the others'.
// Edges are relaxed in two steps: first those are gathered that may lower a distance, without a branch that depends on
// the data, then these do (4elt, delaunay_n15, ca-CondMat: a fifth faster by one thread). Tried and slower or the same
// with two threads: distance and trace in one word of 64 bits, and bins of candidates by the thread that owns the
// target's cache line, which need no compare-and-swap.
#include <algorithm>
#include <atoll/algorithms/sssp/delta_stepping.hpp>

namespace atl {
namespace {

// Vertices that a thread takes at a time, at most: of several, and if it is the only one.
constexpr std::ptrdiff_t kGrain = 32, kGrainAlone = 4096;
// Bucket fusion: a thread continues with the vertices it added to the current bucket while they are fewer than this.
constexpr std::size_t kFusion = 2000;
// One thread processes buckets of up to so many vertices for each thread: the barrier of a bucket costs about as much.
constexpr std::size_t kSerialPerThread = 16;
// Edges of a list that are gathered without a look at the room for candidates, and the candidates that are relaxed at
// once. Fewer would be relaxed sooner, so that vertices are relaxed at smaller distances.
constexpr std::size_t kPiece = 512, kMostCandidates = 256;

}  // namespace

template <class Real, class Sum>
bool DeltaStepping<Real, Sum>::is_small(std::size_t size) const {
  return size <= kSerialPerThread * static_cast<std::size_t>(team_.size());
}

// Empties the buckets from `from` to below `end`, and below the horizon, in order: relaxes the edges of every entry, and
// of entries that this adds to the same bucket while these are few (bucket fusion). Graphs of large diameter have many
// small buckets: the smallest are left to one thread, and the team stays together from one larger bucket to the next.
template <class Real, class Sum>
void DeltaStepping<Real, Sum>::empty_buckets(std::size_t from, std::size_t end) {
  for (Thread& t : threads_) {
    t.bucket = from;
    if (t.candidates.empty()) t.candidates = Array<Candidate>(kMostCandidates + kPiece);
  }
  for (std::size_t size; (size = take_bucket(end)) > 0;) {
    one_thread_ = team_.size() == 1 || is_small(size);
    if (one_thread_) {
      relax_share(0);
    } else {
      team_.run([&](int t) {
        int round = 0;
        do {
          relax_share(t);
        } while (take_common_bucket(t, round++, end));
      });
    }
  }
  one_thread_ = team_.size() == 1;
  for (Thread& t : threads_) t.kept.clear();
}

// Makes the first bucket that is not empty the one that is being emptied; returns its size, 0 if there is none below
// `end` and the horizon.
template <class Real, class Sum>
std::size_t DeltaStepping<Real, Sum>::take_bucket(std::size_t end) {
  const std::size_t bucket = least_bucket(threads_[0].bucket);
  if (bucket >= end || is_beyond(bucket, horizon_)) return 0;
  std::size_t size = 0;
  for (Thread& t : threads_) {
    take(t, bucket);
    size += t.kept.size();
  }
  return size;
}

template <class Real, class Sum>
void DeltaStepping<Real, Sum>::take(Thread& thread, std::size_t bucket) {
  thread.bucket = bucket;
  thread.kept.clear();
  if (bucket < thread.buckets.size()) thread.kept.swap(thread.buckets[bucket]);
  thread.left.store(static_cast<std::ptrdiff_t>(thread.kept.size()), std::memory_order_release);
}

// The same, called by each thread of the team when it has nothing left to do; false on all if a bucket is small, or if
// there is none. After the barrier each knows what all of them knew before it. What they know changes two barriers
// later at the earliest, when all have read it.
template <class Real, class Sum>
bool DeltaStepping<Real, Sum>::take_common_bucket(int number, int round, std::size_t end) {
  const std::size_t now = static_cast<std::size_t>(round) % 2;
  Thread& thread = threads_[number];
  std::size_t mine = thread.bucket;
  while (mine < thread.buckets.size() && thread.buckets[mine].empty()) ++mine;
  const bool none = mine >= thread.buckets.size();
  thread.next[now] = {none ? kNone : mine, none ? 0 : thread.buckets[mine].size(),
                      horizon_.load(std::memory_order_relaxed)};
  team_.barrier();
  Upcoming all{kNone, 0, kUnreached};
  for (const Thread& t : threads_) {
    all.bucket = std::min(all.bucket, t.next[now].bucket);
    all.horizon = std::min(all.horizon, t.next[now].horizon);
  }
  for (const Thread& t : threads_)
    if (t.next[now].bucket == all.bucket) all.size += t.next[now].size;
  if (all.bucket >= end || is_beyond(all.bucket, all.horizon) || is_small(all.size)) return false;
  take(thread, all.bucket);
  return true;
}

// A thread's share of a bucket: its own part, what is left of the others', then the vertices that it added to the same
// bucket.
template <class Real, class Sum>
void DeltaStepping<Real, Sum>::relax_share(int number) {
  Thread& thread = threads_[number];
  for (std::size_t k = 0; k < threads_.size(); ++k) {
    Thread& owner = threads_[(static_cast<std::size_t>(number) + k) % threads_.size()];
    for (std::ptrdiff_t left; (left = owner.left.load(std::memory_order_relaxed)) > 0;) {
      const std::ptrdiff_t grain =
          one_thread_ ? std::min(left, kGrainAlone) : std::clamp<std::ptrdiff_t>(left / 2, 1, kGrain);
      left = owner.left.fetch_sub(grain, std::memory_order_acquire);
      if (left <= 0) break;
      team_.cancellation_point(number);
      const std::ptrdiff_t begin = std::max<std::ptrdiff_t>(0, left - grain);
      relax_edges(thread, {owner.kept.data() + begin, static_cast<std::size_t>(left - begin)});
    }
  }
  while (thread.bucket < thread.buckets.size() && !thread.buckets[thread.bucket].empty() &&
         thread.buckets[thread.bucket].size() < kFusion) {
    team_.cancellation_point(number);
    thread.fused.clear();
    thread.fused.swap(thread.buckets[thread.bucket]);
    relax_edges(thread, thread.fused);
  }
}

// Relaxes the edges of the sources that need it: not of those whose edges were relaxed at this distance already, nor of
// those that have moved to an earlier bucket.
template <class Real, class Sum>
void DeltaStepping<Real, Sum>::relax_edges(Thread& thread, std::span<const Local> sources) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (i + kAhead < sources.size()) {
      const Local soon = sources[i + kAhead];
      __builtin_prefetch(out_.of(soon).data());
      __builtin_prefetch(&distance_[soon]);
      __builtin_prefetch(&trace_[soon]);
    }
    const Local u = sources[i];
    const Sum distance = load(u);
    if (bucket_of(distance) < thread.bucket || !trace_[u].relax(distance, one_thread_)) continue;
    if (u < landmarks_ && horizon_open_) lower_horizon(distance, thread.bucket);
    if (distance >= horizon_.load(std::memory_order_relaxed)) continue;
    if (exchange_ && u < graph_.active()) {
      changed_.set(u);
      thread.least = std::min(thread.least, distance);
      if (!horizon_open_) thread.changed.push_back(u);
    }
    count = gather(thread, u, distance, count);
  }
  relax(thread, count);
}

// Gathers the edges of u, which is at `distance`, that end below the horizon and may lower the distance of their target,
// behind the first `count` candidates; relaxes all if there are many. Returns how many there are then.
template <class Real, class Sum>
std::size_t DeltaStepping<Real, Sum>::gather(Thread& thread, Local u, Sum distance, std::size_t count) {
  const Sum horizon = horizon_.load(std::memory_order_relaxed);
  const bool sorted = skewed_;  // only then is there a horizon
  Candidate* const candidates = thread.candidates.data();
  Sum* const known = distance_.data();
  for (std::span<const Entry> list = out_.of(u); !list.empty();) {
    const std::span<const Entry> piece = list.first(std::min(kPiece, list.size()));
    list = list.subspan(piece.size());
    for (const Entry& e : piece) {
      const Sum reached = distance + e.weight;
      if (sorted && reached >= horizon) {
        list = {};
        break;
      }
      candidates[count] = {e.vertex, predecessor_of(distance, reached, u), reached};
      count += reached < std::atomic_ref(known[e.vertex]).load(std::memory_order_relaxed);
    }
    if (count < kMostCandidates) continue;
    relax(thread, count);
    count = 0;
  }
  return count;
}

template <class Real, class Sum>
void DeltaStepping<Real, Sum>::relax(Thread& thread, std::size_t candidates) {
  for (const Candidate& c : std::span(thread.candidates.data(), candidates))
    if (lower(c.vertex, c.reached, c.from)) put(thread, c.vertex, c.reached);
}

// A hub at this distance moves the horizon, if it was farther.
template <class Real, class Sum>
void DeltaStepping<Real, Sum>::lower_horizon(Sum distance, std::size_t bucket) {
  const auto mine = static_cast<Sum>(std::min(static_cast<double>(distance) + reach_, static_cast<double>(kUnreached)));
  Sum known = horizon_.load(std::memory_order_relaxed);
  while (mine < known)
    if (horizon_.compare_exchange_weak(known, mine)) {
      if (known == kUnreached) lower_ = lower_bound_of(bucket);  // one thread only; over ranks push() replaces it
      return;
    }
}

template void DeltaStepping<float>::empty_buckets(std::size_t, std::size_t);
template void DeltaStepping<double>::empty_buckets(std::size_t, std::size_t);
template void DeltaStepping<double, std::uint32_t>::empty_buckets(std::size_t, std::size_t);
template void DeltaStepping<double, std::uint64_t>::empty_buckets(std::size_t, std::size_t);

}  // namespace atl
