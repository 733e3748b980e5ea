// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/algorithms/sssp/lists.hpp>
#include <atoll/base/error.hpp>
#include <atoll/graph/graph.hpp>
#include <atomic>
#include <limits>
#include <utility>

/// The part that delta-stepping on one rank and over several ranks share: distances, buckets per thread, emptying a
/// bucket, relaxing an edge, and the pull of a far vertex. kernel.cpp relates them to the papers.
namespace atl {

/// The distance of an unreached vertex. For unsigned types it leaves room to add a weight without overflow: 2^31 - 1 of
/// 32 bits, 2^62 of 64 bits (which a double represents).
template <class Sum>
inline constexpr Sum kSsspUnreached = std::numeric_limits<Sum>::infinity();
template <>
inline constexpr std::uint32_t kSsspUnreached<std::uint32_t> = 0x7fffffff;
template <>
inline constexpr std::uint64_t kSsspUnreached<std::uint64_t> = std::uint64_t{1} << 62;

/// Where Sum is std::uint64_t: throws InputError, the same on all ranks, if Real would round a distance; the message
/// names the vertex. Collective. distance(owned index) returns the distance of a vertex of this rank.
template <class Real, class Sum, class F>
void refuse_rounded(const Graph& graph, F&& distance) {
  if constexpr (std::is_same_v<Sum, std::uint64_t>)
    graph.world().collective_try([&] {
      for (Vertex v = 0; v < graph.owned(); ++v)
        if (const Sum d = distance(v); d != kSsspUnreached<Sum>)
          check(static_cast<Sum>(static_cast<Real>(d)) == d,
                "sssp: {}: the shortest path to {} is {} long (float64 does not hold every whole number beyond 2^53). "
                "Scale the weights down.",
                graph.name(), graph.ids().id_of(v), d);
    });
}

/// Sum: the type in which distances are summed; float, double, or unsigned if all distances are below kSsspUnreached.
template <class Sum>
class DeltaSteppingCore {
 protected:
  static constexpr Sum kUnreached = kSsspUnreached<Sum>;
  static constexpr std::size_t kNone = SIZE_MAX;
  /// Prefetch distance in vertices.
  static constexpr std::size_t kAhead = 8;
  /// The lower bound of a bucket times this is below every distance that bucket_of() puts into it, despite rounding.
  static constexpr double kRoundingRoom = 1 - 1e-6;
  /// A graph whose largest degree exceeds kSkew times the mean is treated as having hubs: only near vertices push, far
  /// ones pull. Of 18 real graphs on one rank, those above (from 62 times on) take 0.3 to 1.1 of the time this way, and
  /// those below (up to 47 times) would take 0.8 to 4 times as long.
  static constexpr double kSkew = 50;
  /// The first so many local vertices, which are hubs, are landmarks: the first of them to be relaxed sets the horizon.
  /// Over ranks each has its share of them.
  static constexpr Local kLandmarks = 64;
  /// Weights from which delta and the reach are chosen.
  static constexpr std::size_t kSamples = 4096;
  using Entry = SsspEntry<Sum>;
  /// The vertex from which the distance `reached` was relaxed; its own distance was smaller.
  struct alignas(2 * sizeof(Sum)) Predecessor {
    Local vertex;
    Sum reached;
  };
  struct alignas(128) Thread {
    std::vector<std::vector<Local>> buckets;
    std::vector<Local> fused;
    std::vector<Local> kept;
    std::vector<Local> changed;  // over ranks: vertices changed beyond the horizon, or below it once pulling has begun
    Sum least = kUnreached;      // over ranks: least distance of a master that this thread has changed
    Vertex reached = 0;
    std::vector<Local>
        equal_distance;  // vertices with no strictly nearer parent: tight edges come from equal distances
  };

  /// Keeps distances of local vertices 0 .. vertices-1, and predecessors of the first `masters` of them.
  DeltaSteppingCore(Team& team, std::size_t vertices, std::size_t masters)
      : team_(team),
        one_thread_(team.size() == 1),
        distance_(vertices),
        relaxed_distance_(vertices),
        predecessor_(masters),
        threads_(static_cast<std::size_t>(team.size())) {}

  void set_delta(double delta) {
    delta_ = std::max(delta, std::numeric_limits<double>::min());  // so that 1 / delta is finite
    buckets_per_unit_ = 1 / delta_;
  }

  Sum load(Local v) { return std::atomic_ref(distance_[v]).load(std::memory_order_relaxed); }

  std::size_t bucket_of(Sum distance) const {
    return static_cast<std::size_t>(std::min(static_cast<double>(distance) * buckets_per_unit_, kMostBuckets));
  }

  bool is_beyond_horizon(std::size_t bucket) const {
    return static_cast<double>(bucket) * delta_ >= static_cast<double>(horizon_.load(std::memory_order_relaxed));
  }

  void put(Thread& thread, Local v, Sum distance) {
    const std::size_t bucket = bucket_of(distance);
    if (bucket >= thread.buckets.size()) thread.buckets.resize(bucket + 1);
    thread.buckets[bucket].push_back(v);
  }

  /// The first bucket at or after `from` that is not empty for some thread; kNone if there is none.
  std::size_t least_bucket(std::size_t from) const {
    std::size_t least = kNone;
    for (const Thread& t : threads_) {
      std::size_t first = from;
      while (first < t.buckets.size() && t.buckets[first].empty()) ++first;
      if (first < t.buckets.size()) least = std::min(least, first);
    }
    return least;
  }

  /// Resets all distances to kUnreached and empties all buckets.
  void clear() {
    constexpr std::size_t kGrain = 1 << 14;
    team_.for_range(distance_.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
      std::fill(distance_.begin() + a, distance_.begin() + b, kUnreached);
      std::fill(relaxed_distance_.begin() + a, relaxed_distance_.begin() + b, kUnreached);
    });
    team_.for_range(predecessor_.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
      std::fill(predecessor_.begin() + a, predecessor_.begin() + b, Predecessor{-1, 0});
    });
    for (Thread& t : threads_)
      for (auto& bucket : t.buckets) bucket.clear();
    horizon_ = kUnreached;
    lower_ = 0;
    bucket_ = 0;
  }

  /// Whether the edges of u, popped from bucket_, have to be relaxed: not if they were relaxed at this distance
  /// already, nor if u has moved to an earlier bucket.
  bool is_due(Local u, Sum distance) {
    const std::atomic_ref relaxed(relaxed_distance_[u]);
    if (distance == relaxed.load(std::memory_order_relaxed) || bucket_of(distance) < bucket_) return false;
    relaxed.store(distance, std::memory_order_relaxed);
    return true;
  }

  /// Relaxes the edge e of u, which is at `distance`; returns whether that lowered the distance of e's target.
  bool relax(Sum distance, Local u, const Entry& e) {
    const Sum reached = distance + e.weight;
    const auto v = static_cast<std::size_t>(e.vertex);
    if (one_thread_) {
      if (reached >= distance_[v]) return false;
      distance_[v] = reached;
      if (distance < reached) predecessor_[v] = {u, reached};
      return true;
    }
    const std::atomic_ref best(distance_[v]);
    Sum known = best.load(std::memory_order_relaxed);
    do {
      if (reached >= known) return false;
    } while (!best.compare_exchange_weak(known, reached, std::memory_order_relaxed));
    // A predecessor of 8 bytes is stored atomically. One of 16 bytes might be torn, so it is not stored, and
    // parent_of() searches for the parent.
    if constexpr (sizeof(Predecessor) == 8)
      if (distance < reached)
        std::atomic_ref(predecessor_[v]).store(Predecessor{u, reached}, std::memory_order_relaxed);
    return true;
  }

  /// Pulls along the edges into v, a vertex at or beyond the horizon; returns whether its distance fell.
  /// for_each_edge(try_edge) must call try_edge with the entering edges, lightest first, until it returns false.
  /// `lower`: vertices with a smaller distance cannot improve v, so the pull ends at the first edge with lower + weight
  /// >= best.
  template <class Each>
  bool pull_one(Local v, Sum lower, Each&& for_each_edge) {
    const Sum known = load(v);
    Sum best = known;
    Predecessor predecessor{};
    for_each_edge([&](const Entry& e) {
      if (lower + e.weight >= best) return false;
      if (const Sum before = load(e.vertex), reached = before + e.weight; reached < best) {
        best = reached;
        predecessor = {before < reached ? e.vertex : -1, reached};
      }
      return true;
    });
    if (best == known) return false;
    predecessor_[v] = predecessor;
    std::atomic_ref(distance_[v]).store(best, std::memory_order_relaxed);
    return true;
  }

  /// Moves the vertices that the threads have kept into frontier_.
  void collect_kept() {
    frontier_size_ = 0;
    for (const Thread& t : threads_) frontier_size_ += t.kept.size();
    if (frontier_size_ > frontier_.size()) frontier_ = Array<Local>(2 * frontier_size_);
    Local* at = frontier_.data();
    for (Thread& t : threads_) {
      at = std::copy(t.kept.begin(), t.kept.end(), at);
      t.kept.clear();
    }
  }

  /// Empties the buckets from `from` to below `end`, and below the horizon, in order: calls relax_edges(thread, v) for
  /// every entry, and for entries that this adds to the same bucket while these are few (bucket fusion). Graphs of
  /// large diameter have many small buckets: the smallest are left to one thread, and the team stays together from one
  /// larger bucket to the next.
  template <class F>
  void empty_buckets(const SsspLists<Sum>& lists, std::size_t from, std::size_t end, F&& relax_edges) {
    bucket_ = from;
    bool more = take_bucket(end);
    while (more) {
      one_thread_ = team_.size() == 1 || is_small_frontier();
      if (one_thread_) {
        relax_share(0, lists, relax_edges);
        more = take_bucket(end);
        continue;
      }
      team_.run([&](int t) {
        while (more && !one_thread_) {
          relax_share(t, lists, relax_edges);
          team_.barrier();
          if (t == 0) {
            more = take_bucket(end);
            one_thread_ = is_small_frontier();
          }
          team_.barrier();
        }
      });
    }
    one_thread_ = team_.size() == 1;
  }

  std::size_t steps_bytes() const {
    return (distance_.size() + relaxed_distance_.size()) * sizeof(Sum) + predecessor_.size() * sizeof(Predecessor) +
           frontier_.size() * sizeof(Local);
  }

  Team& team_;
  bool one_thread_;                          // no other thread lowers distances, so they need no atomics
  bool skewed_ = false;                      // the graph has hubs: lists are sorted by weight, and far vertices pull
  double delta_ = 0, buckets_per_unit_ = 1;  // buckets_per_unit_ = 1 / delta_
  double reach_ = 0;                         // from the first hub to the horizon
  Array<Sum> distance_, relaxed_distance_;   // [local] best known; the distance at which the edges were last relaxed
  Array<Predecessor> predecessor_;           // [master] the last stored; valid if its `reached` equals the distance
  Array<Local> frontier_;
  std::size_t frontier_size_ = 0, bucket_ = 0;
  std::atomic<Sum> horizon_{kUnreached};
  Sum lower_ = 0;  // vertices with a smaller distance have relaxed all their edges, also those beyond the horizon
  std::vector<Thread> threads_;

 private:
  // Vertices that a thread takes at a time, at most.
  static constexpr std::size_t kFrontierGrain = 32;
  // Bucket fusion: a thread continues with the vertices it added to the current bucket while they are fewer than this.
  static constexpr std::size_t kFusion = 2000;
  // One thread processes frontiers of up to so many vertices for each thread: the two barriers of a bucket cost about
  // as much.
  static constexpr std::size_t kSerialPerThread = 16;
  // The last bucket holds all larger distances.
  static constexpr double kMostBuckets = 1 << 20;

  bool is_small_frontier() const { return frontier_size_ <= kSerialPerThread * static_cast<std::size_t>(team_.size()); }

  // Moves the first bucket from bucket_ on that is not empty into the frontier; false if there is none below `end` and
  // the horizon.
  bool take_bucket(std::size_t end) {
    bucket_ = least_bucket(bucket_);
    if (bucket_ >= end || is_beyond_horizon(bucket_)) return false;
    for (Thread& t : threads_)
      if (bucket_ < t.buckets.size()) t.kept.swap(t.buckets[bucket_]);
    collect_kept();
    next_.position = 0;
    return true;
  }

  // A thread's share of a bucket: chunks of the frontier, then the vertices that it added to the same bucket.
  template <class F>
  void relax_share(int number, const SsspLists<Sum>& lists, F&& relax_edges) {
    Thread& thread = threads_[number];
    const std::size_t share = frontier_size_ / (4 * static_cast<std::size_t>(team_.size()));
    const std::size_t grain = one_thread_ ? kFrontierGrain : std::clamp<std::size_t>(share, 4, kFrontierGrain);
    for (std::size_t i; (i = next_.position.fetch_add(grain, std::memory_order_relaxed)) < frontier_size_;) {
      team_.cancellation_point(number);
      for (const std::size_t end = std::min(frontier_size_, i + grain); i < end; ++i) {
        if (i + kAhead < frontier_size_) {
          const Local soon = frontier_[i + kAhead];
          __builtin_prefetch(lists.of(soon).data());
          __builtin_prefetch(&distance_[soon]);
        }
        relax_edges(thread, frontier_[i]);
      }
    }
    while (bucket_ < thread.buckets.size() && !thread.buckets[bucket_].empty() &&
           thread.buckets[bucket_].size() < kFusion) {
      team_.cancellation_point(number);
      thread.fused.clear();
      thread.fused.swap(thread.buckets[bucket_]);
      for (const Local u : thread.fused) relax_edges(thread, u);
    }
  }

  // Apart from what the threads only read.
  struct alignas(64) Next {
    std::atomic<std::size_t> position{0};
  } next_;
};

}  // namespace atl
