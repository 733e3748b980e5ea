// SPDX-License-Identifier: Apache-2.0
// Single-source shortest paths by delta-stepping [1] with bucket fusion [2]. On graphs with hubs only the near vertices
// are reached by delta-stepping; far vertices pull (far_vertices.cpp).
//
//   in the papers    here                meaning
//   tent(v)          distance_           best distance known; a mirror has what its master last broadcast
//   B[i]             Thread::buckets     vertices, mirrors included, with i delta <= tent < (i+1) delta, per thread
//   relax            relax_edges         relaxes the edges of a vertex or mirror whose targets are masters of this rank
//   -                broadcast_changed   masters send their distance to their mirrors, which have the remaining edges
//   light, heavy     -                   all edges are relaxed at once; a vertex relaxed too early is relaxed again
//
// The rank that owns an edge's target relaxes the edge, from the source's mirror if the source is remote. So the only
// messages are distances, one for all edges from a vertex to a rank, and the owner of the target knows the predecessor
// without a message.
//
// A round processes a window of buckets: each rank empties them in order on its own, then all ranks broadcast. One rank
// has no one to wait for: its window has no end. Over ranks, a wide window needs few rounds, but vertices are relaxed
// again when a shorter path arrives from another rank. Once there is a horizon the window is narrow. When each rank
// processed all buckets up to the horizon instead, two ranks took turns: one waited for the other's broadcast, which
// then invalidated most of its own work (Kronecker 20: 47 ms a search, not 30).
//
// [1] U. Meyer, P. Sanders. "Delta-stepping: a parallelizable shortest path algorithm." J. Algorithms 49(1), 2003.
// [2] Y. Zhang et al. "Optimizing ordered graph algorithms with GraphIt." CGO 2020.
#include <algorithm>
#include <atoll/algorithms/sssp/delta_stepping.hpp>

namespace atl {
namespace {

// In the last window below the horizon, rounds end when fewer than this fraction of all vertices are pending; pull()
// relaxes the rest.
constexpr double kFewPending = 1.0 / 256;
// Vertices that a thread takes at a time, at most.
constexpr std::size_t kFrontierGrain = 32;
// Bucket fusion: a thread continues with the vertices it added to the current bucket while they are fewer than this.
constexpr std::size_t kFusion = 2000;
// One thread processes frontiers of up to so many vertices for each thread: the two barriers of a bucket cost about as
// much.
constexpr std::size_t kSerialPerThread = 16;

}  // namespace

template <class Real, class Sum>
DeltaStepping<Real, Sum>::DeltaStepping(const Graph& graph, const SsspOptions& options)
    : graph_(graph),
      world_(graph.world()),
      team_(world_.team()),
      first_mirror_(std::min(graph.mirrors().begin[0], graph.locals())),
      one_thread_(team_.size() == 1),
      distance_(index(world_.size() > 1 ? graph.locals() : graph.active())),
      relaxed_distance_(distance_.size()),
      predecessor_(index(graph.active())),
      threads_(static_cast<std::size_t>(team_.size())),
      changed_(world_.size() > 1 ? index(graph.locals()) : 0) {
  if (world_.size() > 1) exchange_.emplace(graph);
  choose_steps(options);
  make_lists();
}

template <class Real, class Sum>
void DeltaStepping<Real, Sum>::run(Vertex source, SsspResult<Real>& result) {
  const Local here = graph_.master_of(source).value_or(-1);
  start(here);
  push();
  if (horizon_ < kUnreached) pull();
  write_tree<Real, Sum>(graph_, here, {distance_.data(), distance_.size()}, {predecessor_.data(), predecessor_.size()},
                        result);
}

template <class Real, class Sum>
void DeltaStepping<Real, Sum>::start(Local source) {
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
  changed_.clear();
  rounds_ = 0;
  horizon_ = kUnreached;
  horizon_open_ = true;
  lower_ = 0;
  if (source < 0 || index(source) >= distance_.size()) return;  // on another rank, or without edges
  distance_[source] = 0;
  put(threads_[0], source, 0);
}

// Computes the distances below the horizon, or all distances if there is no horizon. pull() broadcasts the changes of
// the last round below the horizon.
template <class Real, class Sum>
void DeltaStepping<Real, Sum>::push() {
  struct Vote {
    std::size_t bucket;
    double pending;  // bucket entries below the horizon
    Sum horizon;
    double broadcast;  // masters broadcast in the previous round
  };
  broadcast_count_ = 1;
  Sum known_horizon = kUnreached;
  for (std::size_t before = 0;;) {
    const Vote vote = world_.fold(Vote{least_bucket(0), pending_below_horizon(), horizon_, broadcast_count_},
                                  [](const Vote& a, const Vote& b) {
                                    return Vote{std::min(a.bucket, b.bucket), a.pending + b.pending,
                                                std::min(a.horizon, b.horizon), a.broadcast + b.broadcast};
                                  });
    // Before the round that set the horizon, all ranks had relaxed all edges of vertices below that round's first
    // bucket; one rank knows the bucket in which it did.
    const bool fresh = vote.horizon < kUnreached && known_horizon == kUnreached;
    if (fresh && exchange_) lower_ = lower_bound_of(before);
    before = vote.bucket;
    horizon_ = known_horizon = vote.horizon;
    if (vote.bucket == kNone || is_beyond_horizon(vote.bucket)) {
      least_unsent_ = horizon_;
      return;
    }
    const bool below = vote.horizon < kUnreached;
    const std::size_t end = vote.bucket + (below ? near_window_ : window_);
    const bool last = below && is_beyond_horizon(end);  // the same on all ranks
    least_unsent_ = lower_bound_of(vote.bucket);
    empty_buckets(vote.bucket, end);
    if (last && !fresh && vote.pending < kFewPending * active_of_all_) return;
    // The estimate of this round's broadcast is the previous round's: the exact count would cost another reduction.
    broadcast_changed([&](Thread& thread, Local mirror) { put(thread, mirror, distance_[mirror]); },
                      std::min(1.0, vote.broadcast / active_of_all_));
  }
}

// The first bucket at or after `from` that is not empty for some thread; kNone if there is none.
template <class Real, class Sum>
std::size_t DeltaStepping<Real, Sum>::least_bucket(std::size_t from) const {
  std::size_t least = kNone;
  for (const Thread& t : threads_) {
    std::size_t first = from;
    while (first < t.buckets.size() && t.buckets[first].empty()) ++first;
    if (first < t.buckets.size()) least = std::min(least, first);
  }
  return least;
}

template <class Real, class Sum>
double DeltaStepping<Real, Sum>::pending_below_horizon() const {
  double pending = 0;
  if (horizon_ < kUnreached)
    for (std::size_t b = least_bucket(0); b != kNone && !is_beyond_horizon(b); b = least_bucket(b + 1))
      for (const Thread& t : threads_)
        if (b < t.buckets.size()) pending += static_cast<double>(t.buckets[b].size());
  return pending;
}

// Empties the buckets from `from` to below `end`, and below the horizon, in order: relaxes the edges of every entry, and
// of entries that this adds to the same bucket while these are few (bucket fusion). Graphs of large diameter have many
// small buckets: the smallest are left to one thread, and the team stays together from one larger bucket to the next.
template <class Real, class Sum>
void DeltaStepping<Real, Sum>::empty_buckets(std::size_t from, std::size_t end) {
  const auto is_small = [&] { return frontier_size_ <= kSerialPerThread * static_cast<std::size_t>(team_.size()); };
  bucket_ = from;
  bool more = take_bucket(end);
  while (more) {
    one_thread_ = team_.size() == 1 || is_small();
    if (one_thread_) {
      relax_share(0);
      more = take_bucket(end);
      continue;
    }
    team_.run([&](int t) {
      while (more && !one_thread_) {
        relax_share(t);
        team_.barrier();
        if (t == 0) {
          more = take_bucket(end);
          one_thread_ = is_small();
        }
        team_.barrier();
      }
    });
  }
  one_thread_ = team_.size() == 1;
}

// Moves the first bucket from bucket_ on that is not empty into the frontier; false if there is none below `end` and
// the horizon.
template <class Real, class Sum>
bool DeltaStepping<Real, Sum>::take_bucket(std::size_t end) {
  bucket_ = least_bucket(bucket_);
  if (bucket_ >= end || is_beyond_horizon(bucket_)) return false;
  for (Thread& t : threads_)
    if (bucket_ < t.buckets.size()) t.kept.swap(t.buckets[bucket_]);
  collect_kept();
  next_.position = 0;
  return true;
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

// A thread's share of a bucket: chunks of the frontier, then the vertices that it added to the same bucket.
template <class Real, class Sum>
void DeltaStepping<Real, Sum>::relax_share(int number) {
  Thread& thread = threads_[number];
  const std::size_t share = frontier_size_ / (4 * static_cast<std::size_t>(team_.size()));
  const std::size_t grain = one_thread_ ? kFrontierGrain : std::clamp<std::size_t>(share, 4, kFrontierGrain);
  for (std::size_t i; (i = next_.position.fetch_add(grain, std::memory_order_relaxed)) < frontier_size_;) {
    team_.cancellation_point(number);
    for (const std::size_t end = std::min(frontier_size_, i + grain); i < end; ++i) {
      if (i + kAhead < frontier_size_) {
        const Local soon = frontier_[i + kAhead];
        __builtin_prefetch(out_.of(soon).data());
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

template <class Real, class Sum>
void DeltaStepping<Real, Sum>::relax_edges(Thread& thread, Local u) {
  const Sum distance = load(u);
  if (!is_due(u, distance)) return;
  if (u < landmarks_ && horizon_open_) lower_horizon(distance);
  const Sum horizon = horizon_.load(std::memory_order_relaxed);
  if (distance >= horizon) return;
  if (exchange_ && u < graph_.active()) {
    changed_.set(u);
    thread.least = std::min(thread.least, distance);
    if (!horizon_open_) thread.changed.push_back(u);
  }
  for (const Entry& e : out_.of(u)) {
    const Sum reached = distance + e.weight;
    if (reached >= horizon) break;
    if (relax(distance, u, e)) put(thread, e.vertex, reached);
  }
}

// Whether the edges of u, popped from bucket_, have to be relaxed: not if they were relaxed at this distance already,
// nor if u has moved to an earlier bucket.
template <class Real, class Sum>
bool DeltaStepping<Real, Sum>::is_due(Local u, Sum distance) {
  const std::atomic_ref relaxed(relaxed_distance_[u]);
  if (distance == relaxed.load(std::memory_order_relaxed) || bucket_of(distance) < bucket_) return false;
  relaxed.store(distance, std::memory_order_relaxed);
  return true;
}

// A hub at this distance moves the horizon, if it was farther.
template <class Real, class Sum>
void DeltaStepping<Real, Sum>::lower_horizon(Sum distance) {
  const auto mine = static_cast<Sum>(std::min(static_cast<double>(distance) + reach_, static_cast<double>(kUnreached)));
  Sum known = horizon_.load(std::memory_order_relaxed);
  while (mine < known)
    if (horizon_.compare_exchange_weak(known, mine)) {
      if (known == kUnreached) lower_ = lower_bound_of(bucket_);  // one thread only; over ranks push() replaces it
      return;
    }
}

template <class Real, class Sum>
std::size_t DeltaStepping<Real, Sum>::memory_bytes() const {
  return (distance_.size() + relaxed_distance_.size()) * sizeof(Sum) + predecessor_.size() * sizeof(Predecessor) +
         frontier_.size() * sizeof(Local) + out_.memory_bytes() + in_.memory_bytes() +
         out_offsets_.size() * sizeof(Edge) + heads_.size() * sizeof(Head) +
         (exchange_ ? exchange_->memory_bytes() : 0);
}

template class HaloExchange<std::uint32_t, MinOf>;
template class DeltaStepping<float>;
template class DeltaStepping<double>;
template class DeltaStepping<double, std::uint32_t>;
template class DeltaStepping<double, std::uint64_t>;

}  // namespace atl
