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
#include <atoll/algorithms/sssp/tree.hpp>

namespace atl {
namespace {

// In the last window below the horizon, rounds end when fewer than this fraction of all vertices are pending; pull()
// relaxes the rest.
constexpr double kFewPending = 1.0 / 256;
// A search that reaches little resets and writes only the blocks of vertices in which it has reached some, of at most so
// many blocks. It counts as such if these hold less than one in kFewTouched of the vertices, times the threads.
constexpr std::size_t kMostBlocks = 4096, kFewTouched = 8;

}  // namespace

template <class Real, class Sum>
DeltaStepping<Real, Sum>::DeltaStepping(const Graph& graph, const SsspOptions& options)
    : graph_(graph),
      world_(graph.world()),
      team_(world_.team()),
      first_mirror_(std::min(graph.mirrors().begin[0], graph.locals())),
      one_thread_(team_.size() == 1),
      tree_(options.tree),
      distance_(index(world_.size() > 1 ? graph.locals() : graph.active())),
      trace_(distance_.size()),
      threads_(static_cast<std::size_t>(team_.size())),
      changed_(world_.size() > 1 ? index(graph.locals()) : 0) {
  if (world_.size() > 1) exchange_.emplace(graph);
  while (distance_.size() >> block_bits_ > kMostBlocks) ++block_bits_;
  for (Thread& t : threads_) t.touched.resize((distance_.size() >> block_bits_) + 1);
  choose_steps(options);
  make_lists();
}

template <class Real, class Sum>
void DeltaStepping<Real, Sum>::run(Vertex source, SsspResult<Real>& result) {
  const Local here = graph_.master_of(source).value_or(-1);
  start(here);
  push();
  if (horizon_ < kUnreached) pull();
  auto reached = list_reached();
  all_touched_ = !reached;
  const SsspFound<Sum> found{{distance_.data(), distance_.size()}, {trace_.data(), trace_.size()}, std::move(reached)};
  write_paths<Real, Sum>(graph_, here, found, tree_, result);
}

template <class Real, class Sum>
void DeltaStepping<Real, Sum>::start(Local source) {
  constexpr std::size_t kGrain = 1 << 14;
  const auto reset = [this](std::size_t begin, std::size_t end) {
    std::fill(&distance_[begin], distance_.data() + end, kUnreached);
    std::fill(&trace_[begin], trace_.data() + end, Trace{Trace::kNoPredecessor, kUnreached});
  };
  if (all_touched_) {
    team_.for_range(distance_.size(), kGrain, [&](int, std::size_t a, std::size_t b) { reset(a, b); });
  } else {
    for_touched(reset);
  }
  all_touched_ = exchange_.has_value();
  for (Thread& t : threads_) {
    for (auto& bucket : t.buckets) bucket.clear();
    std::fill(t.touched.begin(), t.touched.end(), 0);
  }
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
    if (vote.bucket == kNone || is_beyond(vote.bucket, horizon_)) {
      least_unsent_ = horizon_;
      return;
    }
    const bool below = vote.horizon < kUnreached;
    const std::size_t end = vote.bucket + (below ? near_window_ : window_);
    const bool last = below && is_beyond(end, horizon_);  // the same on all ranks
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
    for (std::size_t b = least_bucket(0); b != kNone && !is_beyond(b, horizon_); b = least_bucket(b + 1))
      for (const Thread& t : threads_)
        if (b < t.buckets.size()) pending += static_cast<double>(t.buckets[b].size());
  return pending;
}

// Calls f(begin, end) for each block of vertices in which a thread may have lowered a distance.
template <class Real, class Sum>
template <class F>
void DeltaStepping<Real, Sum>::for_touched(F&& f) const {
  for (std::size_t block = 0; block < threads_[0].touched.size(); ++block)
    if (std::any_of(threads_.begin(), threads_.end(), [&](const Thread& t) { return t.touched[block] != 0; }))
      f(block << block_bits_, std::min(distance_.size(), (block + 1) << block_bits_));
}

// The vertices reached, unless these may be many.
template <class Real, class Sum>
std::optional<std::vector<Local>> DeltaStepping<Real, Sum>::list_reached() const {
  if (all_touched_) return {};
  std::size_t touched = 0;
  for_touched([&](std::size_t begin, std::size_t end) { touched += end - begin; });
  if (touched * kFewTouched * threads_.size() > distance_.size()) return {};
  std::vector<Local> reached;
  for_touched([&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v)
      if (distance_[v] < kUnreached) reached.push_back(static_cast<Local>(v));
  });
  return reached;
}

template <class Real, class Sum>
std::size_t DeltaStepping<Real, Sum>::memory_bytes() const {
  return distance_.size() * sizeof(Sum) + trace_.size() * sizeof(Trace) + frontier_.size() * sizeof(Local) +
         out_.memory_bytes() + in_.memory_bytes() + out_offsets_.size() * sizeof(Edge) + heads_.size() * sizeof(Head) +
         (exchange_ ? exchange_->memory_bytes() : 0);
}

template class HaloExchange<std::uint32_t, MinOf>;
template class DeltaStepping<float>;
template class DeltaStepping<double>;
template class DeltaStepping<double, std::uint32_t>;
template class DeltaStepping<double, std::uint64_t>;

}  // namespace atl
