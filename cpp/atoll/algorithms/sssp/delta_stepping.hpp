// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/algorithms/sssp/lists.hpp>
#include <atoll/base/error.hpp>
#include <atoll/graph/graph.hpp>
#include <atomic>
#include <limits>
#include <utility>

/// What the forms of shortest paths on one rank and over several have in common: distances, buckets of threads, and how a
/// bucket is emptied, an edge followed, and a far vertex asked. See sssp_local.cpp for what each is in the papers.
namespace atl {

/// Not reached. Of whole numbers half of what fits, or of 64 bits a quarter, which a double holds: so an edge may be added
/// to it.
template <class Sum>
inline constexpr Sum kSsspFar = std::numeric_limits<Sum>::infinity();
template <>
inline constexpr std::uint32_t kSsspFar<std::uint32_t> = 0x7fffffff;
template <>
inline constexpr std::uint64_t kSsspFar<std::uint64_t> = std::uint64_t{1} << 62;

/// Collective, where Sum is 64 bits: InputError, the same on all ranks, that names a vertex whose distance Real would round.
/// distance(natural) is this rank's.
template <class Real, class Sum, class F>
void refuse_rounded(const Graph& graph, F&& distance) {
  if constexpr (std::is_same_v<Sum, std::uint64_t>)
    graph.world().collective_try([&] {
      for (Vertex v = 0; v < graph.owned(); ++v)
        if (const Sum d = distance(v); d != kSsspFar<Sum>)
          check(static_cast<Sum>(static_cast<Real>(d)) == d,
                "sssp: {}: the shortest path to {} is {} long (float64 does not hold every whole number beyond 2^53). "
                "Scale the weights down.",
                graph.name(), graph.ids().id_of(v), d);
    });
}

/// Sum: what distances are added up in; float, double, or an unsigned type if all are below kSsspFar.
template <class Sum>
class DeltaSteppingCore {
 protected:
  static constexpr Sum kFar = kSsspFar<Sum>;
  static constexpr std::size_t kNone = SIZE_MAX;
  /// How many vertices ahead memory is fetched.
  static constexpr std::size_t kAhead = 8;
  /// The lower edge of a bucket times this is below all that bucket_of() puts into it.
  static constexpr double kRoundingRoom = 1 - 1e-6;
  /// Graphs whose largest degree is so many times the mean have hubs that most vertices are behind. Of 18 real graphs, on
  /// one rank, those above, from 62 times on, take 0.3 to 1.1 of the time so, and those below, up to 47 times, 0.8 to 4
  /// times as long.
  static constexpr double kSkew = 50;
  using Entry = SsspEntry<Sum>;
  /// Who gave a vertex the distance `reached`, and was closer itself.
  struct alignas(2 * sizeof(Sum)) Predecessor {
    Local vertex;
    Sum reached;
  };
  struct alignas(128) Thread {
    std::vector<std::vector<Local>> buckets;
    std::vector<Local> fused;
    std::vector<Local> kept;
    std::vector<Local> changed;  // over ranks: beyond the horizon, or late below it
    Sum least = kFar;            // over ranks: of the distances of masters that it has changed
    Vertex reached = 0;
    std::vector<Local> flat;  // vertices whose tight edges all come from their own distance
  };

  /// Distances of `vertices`, of which the first `givers` note who gave theirs.
  DeltaSteppingCore(Team& team, std::size_t vertices, std::size_t givers)
      : team_(team),
        one_thread_(team.size() == 1),
        distance_(vertices),
        settled_(vertices),
        predecessor_(givers),
        threads_(static_cast<std::size_t>(team.size())) {}

  void set_delta(double delta) {
    delta_ = std::max(delta, std::numeric_limits<double>::min());  // so that 1 / delta is finite
    buckets_per_unit_ = 1 / delta_;
  }

  Sum load(Local v) { return std::atomic_ref(distance_[static_cast<std::size_t>(v)]).load(std::memory_order_relaxed); }

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

  /// The first that is not empty; kNone.
  std::size_t least_bucket(std::size_t from) const {
    std::size_t least = kNone;
    for (const Thread& t : threads_) {
      std::size_t first = from;
      while (first < t.buckets.size() && t.buckets[first].empty()) ++first;
      if (first < t.buckets.size()) least = std::min(least, first);
    }
    return least;
  }

  /// Nothing is reached, and no bucket has anything.
  void clear() {
    constexpr std::size_t kGrain = 1 << 14;
    team_.for_range(distance_.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
      std::fill(distance_.begin() + a, distance_.begin() + b, kFar);
      std::fill(settled_.begin() + a, settled_.begin() + b, kFar);
    });
    team_.for_range(predecessor_.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
      std::fill(predecessor_.begin() + a, predecessor_.begin() + b, Predecessor{-1, 0});
    });
    for (Thread& t : threads_)
      for (auto& bucket : t.buckets) bucket.clear();
    horizon_ = kFar;
    lower_ = 0;
    bucket_ = 0;
  }

  /// Whether u, popped from a bucket, has to follow its edges: not if it has from this distance, nor if it was closer and
  /// so in an earlier bucket.
  bool is_due(Local u, Sum distance) {
    const std::atomic_ref settled(settled_[static_cast<std::size_t>(u)]);
    if (distance == settled.load(std::memory_order_relaxed) || bucket_of(distance) < bucket_) return false;
    settled.store(distance, std::memory_order_relaxed);
    return true;
  }

  /// Whether the edge e of u, itself at `distance`, has brought its end closer.
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
    // A predecessor of 8 bytes is noted whole; of 16 it might be torn, so the parent is looked for instead.
    if constexpr (sizeof(Predecessor) == 8)
      if (distance < reached)
        std::atomic_ref(predecessor_[v]).store(Predecessor{u, reached}, std::memory_order_relaxed);
    return true;
  }

  /// Asks the edges into a vertex at the horizon or beyond, each(ask) giving them lightest first and ending with the first
  /// for which ask(edge) is false; `lower`: no closer vertex can improve it. Whether one did.
  template <class Each>
  bool pull_one(Local v, Sum lower, Each&& each) {
    const Sum known = load(v);
    Sum best = known;
    Predecessor predecessor{};
    each([&](const Entry& e) {
      if (lower + e.weight >= best) return false;
      if (const Sum before = load(e.vertex), reached = before + e.weight; reached < best) {
        best = reached;
        predecessor = {before < reached ? e.vertex : -1, reached};
      }
      return true;
    });
    if (best == known) return false;
    predecessor_[static_cast<std::size_t>(v)] = predecessor;
    std::atomic_ref(distance_[static_cast<std::size_t>(v)]).store(best, std::memory_order_relaxed);
    return true;
  }

  /// What the threads have kept becomes the frontier.
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

  /// Calls settle(thread, v) for all that is in bucket_, and for what that puts back into it as long as it is little. The
  /// team is woken for large buckets only: of a graph of large diameter there are many small ones.
  template <class F>
  void empty_bucket(const SsspLists<Sum>& lists, F&& settle) {
    for (Thread& t : threads_)
      if (bucket_ < t.buckets.size()) t.kept.swap(t.buckets[bucket_]);
    collect_kept();
    next_ = 0;
    one_thread_ = team_.size() == 1 || frontier_size_ <= kSerialFrontier;
    if (!one_thread_) {
      team_.run([&](int t) { settle_share(t, lists, settle); });
    } else {
      settle_share(0, lists, settle);
      one_thread_ = team_.size() == 1;
    }
  }

  std::size_t steps_bytes() const {
    return (distance_.size() + settled_.size()) * sizeof(Sum) + predecessor_.size() * sizeof(Predecessor) +
           frontier_.size() * sizeof(Local);
  }

  Team& team_;
  bool one_thread_;                          // one thread: no other lowers a distance meanwhile
  bool skewed_ = false;                      // there are hubs: lists are sorted by weight, and the far vertices pull
  double delta_ = 0, buckets_per_unit_ = 1;  // the latter 1 / delta
  double reach_ = 0;                         // of the horizon beyond the first hub
  Array<Sum> distance_, settled_;            // [local] best known; that with which edges were last followed
  Array<Predecessor> predecessor_;           // [local] the last that was noted; right if `reached` is the distance
  Array<Local> frontier_;
  std::size_t frontier_size_ = 0, bucket_ = 0;
  std::atomic<Sum> horizon_{kFar};
  Sum lower_ = 0;  // what is closer has followed all its edges
  std::vector<Thread> threads_;

 private:
  static constexpr std::size_t kFrontierGrain = 32;
  // A thread goes on with its own next vertices of the bucket while they are fewer.
  static constexpr std::size_t kFusion = 2000;
  // Frontiers up to this one thread takes alone.
  static constexpr std::size_t kSerialFrontier = 512;
  // Buckets beyond are one.
  static constexpr double kMostBuckets = 1 << 20;

  // A thread's part of a bucket: of the frontier, then of what it has itself put back into the bucket.
  template <class F>
  void settle_share(int number, const SsspLists<Sum>& lists, F&& settle) {
    Thread& thread = threads_[static_cast<std::size_t>(number)];
    for (std::size_t i; (i = next_.fetch_add(kFrontierGrain, std::memory_order_relaxed)) < frontier_size_;) {
      team_.cancellation_point(number);
      for (const std::size_t end = std::min(frontier_size_, i + kFrontierGrain); i < end; ++i) {
        if (i + kAhead < frontier_size_) {
          const Local soon = frontier_[i + kAhead];
          __builtin_prefetch(lists.of(soon).data());
          __builtin_prefetch(&distance_[static_cast<std::size_t>(soon)]);
        }
        settle(thread, frontier_[i]);
      }
    }
    while (bucket_ < thread.buckets.size() && !thread.buckets[bucket_].empty() &&
           thread.buckets[bucket_].size() < kFusion) {
      team_.cancellation_point(number);
      thread.fused.clear();
      thread.fused.swap(thread.buckets[bucket_]);
      for (const Local u : thread.fused) settle(thread, u);
    }
  }

  std::atomic<std::size_t> next_{0};
};

}  // namespace atl
