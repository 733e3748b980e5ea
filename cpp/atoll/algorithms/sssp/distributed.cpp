// SPDX-License-Identifier: Apache-2.0
// Single-source shortest paths over ranks by delta-stepping [1]. On graphs with hubs only the near vertices are reached
// by delta-stepping; far vertices pull (distributed_far.cpp; kernel.cpp explains the bounds).
//
//   in the paper     here                meaning
//   tent(v)          distance_           best distance known; a mirror has what its master last broadcast
//   B[i]             Thread::buckets     vertices, mirrors included, with i delta <= tent < (i+1) delta
//   relax            relax_edges         relaxes the edges of a vertex or mirror whose targets are masters of this rank
//   -                broadcast_changed   masters send their distance to their mirrors, which have the remaining edges
//   light, heavy     -                   all edges are relaxed at once; a vertex relaxed too early is relaxed again
//
// The rank that owns an edge's target relaxes the edge, from the source's mirror if the source is remote. So the only
// messages are distances, one for all edges from a vertex to a rank, and the owner of the target knows the predecessor
// without a message.
//
// A round processes a window of buckets: each rank empties them in order on its own, then all ranks broadcast. A wide
// window needs few rounds, but vertices are relaxed again when a shorter path arrives from another rank. Once there is
// a horizon the window is narrow. When each rank processed all buckets up to the horizon instead, two ranks took turns:
// one waited for the other's broadcast, which then invalidated most of its own work (Kronecker 20: 47 ms a search, not
// 30).
//
// [1] U. Meyer, P. Sanders. "Delta-stepping: a parallelizable shortest path algorithm." J. Algorithms 49(1), 2003.
#include <algorithm>
#include <atoll/algorithms/sssp/distributed.hpp>

namespace atl {
namespace {

// In the last window below the horizon, rounds end when fewer than this fraction of all vertices are pending; pull()
// relaxes the rest.
constexpr double kFewPending = 1.0 / 256;
}  // namespace

template <class Real, class Sum>
DistributedSssp<Real, Sum>::DistributedSssp(const Graph& graph, const SsspOptions& options)
    : Steps(graph.world().team(), index(graph.locals()), index(graph.active())),
      graph_(graph),
      world_(graph.world()),
      exchange_(graph),
      first_mirror_(std::min(graph.mirrors().begin[0], graph.locals())),
      changed_(graph.locals()) {
  choose_steps(options);
  make_lists();
}

template <class Real, class Sum>
void DistributedSssp<Real, Sum>::start(Local source) {
  this->clear();
  changed_.clear();
  rounds_ = 0;
  horizon_open_ = true;
  horizon_before_ = kUnreached;
  if (source < 0) return;
  distance_[source] = 0;
  put(threads_[0], source, 0);
}

template <class Real, class Sum>
void DistributedSssp<Real, Sum>::relax_edges(Thread& thread, Local u) {
  const Sum distance = load(u);
  if (!this->is_due(u, distance)) return;
  Sum horizon = horizon_.load(std::memory_order_relaxed);
  if (distance >= horizon) return;
  if (u < landmarks_ && horizon_open_) {
    const auto mine =
        static_cast<Sum>(std::min(static_cast<double>(distance) + reach_, static_cast<double>(kUnreached)));
    while (mine < horizon && !horizon_.compare_exchange_weak(horizon, mine)) {
    }
    horizon = std::min(horizon, mine);
  }
  if (u < graph_.active()) {
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

// Empties the buckets [from, end) below the horizon without communication.
template <class Real, class Sum>
void DistributedSssp<Real, Sum>::empty_buckets(std::size_t from, std::size_t end) {
  Steps::empty_buckets(out_, from, end, [this](Thread& thread, Local u) { relax_edges(thread, u); });
}

// Computes the distances below the horizon, or all distances if there is no horizon. pull() broadcasts the changes of
// the last round below the horizon.
template <class Real, class Sum>
void DistributedSssp<Real, Sum>::push() {
  struct Vote {
    std::size_t bucket;
    double pending;  // bucket entries below the horizon
    Sum horizon;
    double broadcast;  // masters broadcast in the previous round
  };
  broadcast_count_ = 1;
  for (std::size_t before = 0;;) {
    const std::size_t least = least_bucket(0);
    double pending = 0;
    if (horizon_ < kUnreached)
      for (std::size_t b = least; b != kNone && !this->is_beyond_horizon(b); b = least_bucket(b + 1))
        for (const Thread& t : threads_)
          if (b < t.buckets.size()) pending += static_cast<double>(t.buckets[b].size());
    const Vote vote = world_.fold(Vote{least, pending, horizon_, broadcast_count_}, [](const Vote& a, const Vote& b) {
      return Vote{std::min(a.bucket, b.bucket), a.pending + b.pending, std::min(a.horizon, b.horizon),
                  a.broadcast + b.broadcast};
    });
    // Before the round that set the horizon, all ranks had relaxed all edges of vertices below that round's first
    // bucket.
    const bool fresh = vote.horizon < kUnreached && horizon_before_ == kUnreached;
    if (fresh) lower_ = static_cast<Sum>(static_cast<double>(before) * delta_ * Steps::kRoundingRoom);
    before = vote.bucket;
    horizon_ = horizon_before_ = vote.horizon;
    if (vote.bucket == kNone || this->is_beyond_horizon(vote.bucket)) {
      least_unsent_ = horizon_;
      return;
    }
    const bool below = vote.horizon < kUnreached;
    const std::size_t end = vote.bucket + (below ? near_window_ : window_);
    const bool last = below && this->is_beyond_horizon(end);  // the same on all ranks
    least_unsent_ = static_cast<Sum>(static_cast<double>(vote.bucket) * delta_ * Steps::kRoundingRoom);
    empty_buckets(vote.bucket, end);
    if (last && !fresh && vote.pending < kFewPending * active_of_all_) return;
    // The estimate of this round's broadcast is the previous round's: the exact count would cost another reduction.
    broadcast_changed([&](Thread& thread, Local mirror) { put(thread, mirror, distance_[mirror]); },
                      exchange_.mirrors() * std::min(1.0, vote.broadcast / active_of_all_));
  }
}

template <class Real, class Sum>
void DistributedSssp<Real, Sum>::run(Vertex source, SsspResult<Real>& result) {
  const Local here = graph_.master_of(source).value_or(-1);
  start(here);
  push();
  if (horizon_ < kUnreached) pull();
  write(here, result);
}

template <class Real, class Sum>
std::size_t DistributedSssp<Real, Sum>::memory_bytes() const {
  return this->steps_bytes() + out_.memory_bytes() + in_.memory_bytes() + out_offsets_.size() * sizeof(Edge) +
         heads_.size() * sizeof(Head) + exchange_.memory_bytes();
}

template class HaloExchange<std::uint32_t, MinOf>;
template class DistributedSssp<float>;
template class DistributedSssp<double>;
template class DistributedSssp<double, std::uint32_t>;
template class DistributedSssp<double, std::uint64_t>;

}  // namespace atl
