// SPDX-License-Identifier: Apache-2.0
// Single-source shortest paths over ranks by delta-stepping [1]; on graphs with hubs only the near part is found so, and
// the far vertices pull: sssp_spread_far.cpp (as in sssp_local.cpp, where the bounds are explained).
//
//   in the paper     here                meaning
//   tent(v)          distance_           best distance known; a mirror's is what its master last told
//   B[i]             Thread::buckets     vertices with i delta <= tent < (i+1) delta, mirrors too
//   relax            settle              of the edges of a vertex, or mirror, to masters of this rank
//   -                tell                masters tell their mirrors, on the ranks of the other edges
//   light, heavy     -                   all edges are followed at once: what comes too early is done again
//
// An edge is followed by the rank that owns its target, from the source's mirror if need be. So only distances travel,
// one for all edges of a vertex to a rank, and that rank sees who gave a distance: parents cost no message.
//
// A round takes a window of buckets: each rank empties them in order, as if it were alone, and then tells. A wide window has
// few rounds, and some work is done again when a shorter way comes from another rank. Once there is a horizon it is
// narrow: when each rank went on to the horizon, the others had nothing to do until it told them, so that two ranks took
// turns, each with most of what the other had done to do again (Kronecker 20: 47 ms a search, not 30).
//
// [1] U. Meyer, P. Sanders. "Delta-stepping: a parallelizable shortest path algorithm." J. Algorithms 49(1), 2003.
#include <algorithm>
#include <atoll/algorithms/sssp/distributed.hpp>

namespace atl {
namespace {

// In the last bucket below the horizon rounds end when fewer than this part of all vertices are pending: the rest is done
// with what lies beyond.
constexpr double kFewPending = 1.0 / 256;
std::size_t index(Local v) { return static_cast<std::size_t>(v); }

}  // namespace

template <class Real, class Sum>
DistributedSssp<Real, Sum>::DistributedSssp(const Graph& graph, const SsspOptions& options)
    : Steps(graph.world().team(), index(graph.locals()), index(graph.active())),
      graph_(graph),
      world_(graph.world()),
      exchange_(graph),
      first_mirror_(std::min(graph.mirrors().begin[0], graph.locals())),
      told_(graph.locals()) {
  choose_steps(options);
  make_lists();
}

template <class Real, class Sum>
void DistributedSssp<Real, Sum>::start(Local source) {
  this->clear();
  told_.clear();
  rounds_ = 0;
  horizon_open_ = true;
  horizon_before_ = kFar;
  if (source < 0) return;
  distance_[index(source)] = 0;
  put(threads_[0], source, 0);
}

template <class Real, class Sum>
void DistributedSssp<Real, Sum>::settle(Thread& thread, Local u) {
  const Sum distance = load(u);
  if (!this->is_due(u, distance)) return;
  Sum horizon = horizon_.load(std::memory_order_relaxed);
  if (distance >= horizon) return;
  if (u < landmarks_ && horizon_open_) {
    const auto mine = static_cast<Sum>(std::min(static_cast<double>(distance) + reach_, static_cast<double>(kFar)));
    while (mine < horizon && !horizon_.compare_exchange_weak(horizon, mine)) {
    }
    horizon = std::min(horizon, mine);
  }
  if (u < graph_.active()) {
    told_.set(u);
    thread.least = std::min(thread.least, distance);
    if (!horizon_open_) thread.changed.push_back(u);
  }
  for (const Entry& e : out_.of(u)) {
    const Sum reached = distance + e.weight;
    if (reached >= horizon) break;
    if (relax(distance, u, e)) put(thread, e.vertex, reached);
  }
}

// Buckets [from, end) below the horizon, as if this rank were alone.
template <class Real, class Sum>
void DistributedSssp<Real, Sum>::empty_buckets(std::size_t from, std::size_t end) {
  for (bucket_ = from; (bucket_ = least_bucket(bucket_)) < end && !this->is_beyond_horizon(bucket_);)
    this->empty_bucket(out_, [this](Thread& thread, Local u) { settle(thread, u); });
}

// The distances below the horizon, or all where there is none. The last round below the horizon is told of by pull().
template <class Real, class Sum>
void DistributedSssp<Real, Sum>::push() {
  struct Vote {
    std::size_t bucket;
    double pending;  // below the horizon
    Sum horizon;
    double told;  // in the round before
  };
  told_of_ = 1;
  for (std::size_t before = 0;;) {
    const std::size_t least = least_bucket(0);
    double pending = 0;
    if (horizon_ < kFar)
      for (std::size_t b = least; b != kNone && !this->is_beyond_horizon(b); b = least_bucket(b + 1))
        for (const Thread& t : threads_)
          if (b < t.buckets.size()) pending += static_cast<double>(t.buckets[b].size());
    const Vote vote = world_.fold(Vote{least, pending, horizon_, told_of_}, [](const Vote& a, const Vote& b) {
      return Vote{std::min(a.bucket, b.bucket), a.pending + b.pending, std::min(a.horizon, b.horizon), a.told + b.told};
    });
    // Who set the horizon has followed all edges of what was closer than that round's first bucket.
    const bool fresh = vote.horizon < kFar && horizon_before_ == kFar;
    if (fresh) lower_ = static_cast<Sum>(static_cast<double>(before) * delta_ * Steps::kRoundingRoom);
    before = vote.bucket;
    horizon_ = horizon_before_ = vote.horizon;
    if (vote.bucket == kNone || this->is_beyond_horizon(vote.bucket)) {
      first_late_ = horizon_;
      return;
    }
    const bool below = vote.horizon < kFar;
    const std::size_t end = vote.bucket + (below ? near_window_ : window_);
    const bool last = below && this->is_beyond_horizon(end);  // as it is on all ranks now
    first_late_ = static_cast<Sum>(static_cast<double>(vote.bucket) * delta_ * Steps::kRoundingRoom);
    empty_buckets(vote.bucket, end);
    if (last && !fresh && vote.pending < kFewPending * active_of_all_) return;
    // A round is like the one before; to count it would take a vote more.
    tell([&](Thread& thread, Local mirror) { put(thread, mirror, distance_[index(mirror)]); },
         exchange_.mirrors() * std::min(1.0, vote.told / active_of_all_));
  }
}

template <class Real, class Sum>
void DistributedSssp<Real, Sum>::run(Vertex source, SsspResult<Real>& result) {
  const auto [owner, natural] = graph_.find(source);
  const Local here = owner == world_.rank() ? graph_.local_of(natural) : -1;
  start(here);
  push();
  if (horizon_ < kFar) pull();
  write(here, result);
}

template <class Real, class Sum>
std::size_t DistributedSssp<Real, Sum>::memory_bytes() const {
  return this->steps_bytes() + out_.memory_bytes() + in_.memory_bytes() + out_offsets_.size() * sizeof(Edge) +
         heads_.size() * sizeof(Head) + exchange_.memory_bytes();
}

template class MirrorExchange<std::uint32_t, MinOf>;
template class DistributedSssp<float>;
template class DistributedSssp<double>;
template class DistributedSssp<double, std::uint32_t>;
template class DistributedSssp<double, std::uint64_t>;

}  // namespace atl
