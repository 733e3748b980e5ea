// SPDX-License-Identifier: Apache-2.0
// Single-source shortest paths over ranks by delta-stepping [1]; on graphs with hubs only the near part is found so, and
// the far vertices pull (as in sssp_local.cpp, where the bounds are explained).
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
// A round takes a window of several buckets: each rank empties them in order, as if it were alone, and then tells. A wide
// window has few rounds, and some work is done again when a shorter way comes from another rank. Below the horizon there
// is so little work that the window is all of it.
//
// [1] U. Meyer, P. Sanders. "Delta-stepping: a parallelizable shortest path algorithm." J. Algorithms 49(1), 2003.
#include <algorithm>
#include <atoll/algorithms/sssp_spread.hpp>

namespace atl {
namespace {

constexpr std::size_t kGrain = 1024;
constexpr std::size_t kFrontierGrain = 32;
// A thread goes on with its own next vertices of the bucket while they are fewer.
constexpr std::size_t kFusion = 2000;
// Frontiers up to this one thread takes alone.
constexpr std::size_t kAlone = 512;
// Buckets beyond are one.
constexpr double kMostBuckets = 1 << 20;
// The lower edge of a bucket times this is below all that bucket_of() puts into it.
constexpr double kRoundingRoom = 1 - 1e-6;
constexpr std::size_t kAhead = 8;
// Below the horizon rounds end when fewer than this part of all vertices are pending: the rest is done with what lies
// beyond.
constexpr double kFewPending = 1.0 / 64;
// What has changed beyond the horizon follows its edges where it is at most this part of those who might ask.
constexpr double kMany = 1.0 / 8;
constexpr std::size_t kNone = SIZE_MAX;

std::size_t index(Local v) { return static_cast<std::size_t>(v); }

}  // namespace

template <class Real>
SsspSpread<Real>::SsspSpread(const Graph& graph, const SsspOptions& options)
    : graph_(graph),
      world_(graph.world()),
      team_(world_.team()),
      exchange_(graph),
      alone_(team_.size() == 1),
      distance_(index(graph.locals())),
      settled_(index(graph.locals())),
      giver_(index(graph.active())),
      told_(graph.locals()),
      threads_(static_cast<std::size_t>(team_.size())) {
  choose_steps(options);
  make_lists();
}

template <class Real>
std::size_t SsspSpread<Real>::bucket_of(Real distance) const {
  return static_cast<std::size_t>(std::min(static_cast<double>(distance) * buckets_per_unit_, kMostBuckets));
}

/// The first that is not empty; kNone.
template <class Real>
std::size_t SsspSpread<Real>::least_bucket(std::size_t from) const {
  std::size_t least = kNone;
  for (const Thread& t : threads_) {
    std::size_t first = from;
    while (first < t.buckets.size() && t.buckets[first].empty()) ++first;
    if (first < t.buckets.size()) least = std::min(least, first);
  }
  return least;
}

template <class Real>
void SsspSpread<Real>::start(Local source) {
  team_.for_range(distance_.size(), kGrain * 16, [&](int, std::size_t a, std::size_t b) {
    std::fill(distance_.begin() + a, distance_.begin() + b, kFar);
    std::fill(settled_.begin() + a, settled_.begin() + b, kFar);
  });
  std::fill(giver_.begin(), giver_.end(), Giver{-1, 0});
  told_.clear();
  for (Thread& t : threads_)
    for (auto& bucket : t.buckets) bucket.clear();
  horizon_ = kFar;
  lower_ = 0;
  bucket_ = 0;
  rounds_ = 0;
  horizon_open_ = true;
  horizon_before_ = kFar;
  if (source < 0) return;
  distance_[index(source)] = 0;
  threads_[0].buckets.resize(std::max<std::size_t>(threads_[0].buckets.size(), 1));
  threads_[0].buckets[0].push_back(source);
}

// Whether the edge e of u, itself at `distance`, has brought its end closer.
template <class Real>
bool SsspSpread<Real>::relax(Real distance, Local u, const Entry& e) {
  const Real reached = distance + e.weight;
  if (alone_) {
    Real& best = distance_[index(e.vertex)];
    if (reached >= best) return false;
    best = reached;
    if (distance < reached) giver_[index(e.vertex)] = {u, reached};
    return true;
  }
  std::atomic_ref best(distance_[index(e.vertex)]);
  Real known = best.load(std::memory_order_relaxed);
  do {
    if (reached >= known) return false;
  } while (!best.compare_exchange_weak(known, reached, std::memory_order_relaxed));
  // A giver of 8 bytes is noted whole; of 16 it might be torn, so the parent is looked for instead.
  if constexpr (sizeof(Giver) == 8)
    if (distance < reached)
      std::atomic_ref(giver_[index(e.vertex)]).store(Giver{u, reached}, std::memory_order_relaxed);
  return true;
}

template <class Real>
void SsspSpread<Real>::settle(Thread& thread, Local u) {
  const Real distance = load(u);
  std::atomic_ref settled(settled_[index(u)]);
  if (distance == settled.load(std::memory_order_relaxed) || bucket_of(distance) < bucket_) return;
  settled.store(distance, std::memory_order_relaxed);
  Real horizon = horizon_.load(std::memory_order_relaxed);
  if (distance >= horizon) return;
  if (u < landmarks_ && horizon_open_) {
    const auto mine = static_cast<Real>(static_cast<double>(distance) + reach_);
    while (mine < horizon && !horizon_.compare_exchange_weak(horizon, mine)) {
    }
    horizon = std::min(horizon, mine);
  }
  if (u < graph_.active()) {
    told_.set(u);
    thread.least = std::min(thread.least, distance);
    if (!horizon_open_) thread.changed.push_back(u);
  }
  for (const Entry& e : forth_.of(u)) {
    const Real reached = distance + e.weight;
    if (reached >= horizon) break;
    if (!relax(distance, u, e)) continue;
    put(thread, e.vertex, reached);
  }
}

// A thread's part of a bucket: of the frontier, then of what it has itself put back into the bucket.
template <class Real>
void SsspSpread<Real>::settle_bucket(Thread& thread) {
  for (std::size_t i; (i = next_.fetch_add(kFrontierGrain, std::memory_order_relaxed)) < frontier_size_;) {
    for (const std::size_t end = std::min(frontier_size_, i + kFrontierGrain); i < end; ++i) {
      if (i + kAhead < frontier_size_) {
        const Local soon = frontier_[i + kAhead];
        __builtin_prefetch(forth_.of(soon).data());
        __builtin_prefetch(&distance_[index(soon)]);
      }
      settle(thread, frontier_[i]);
    }
  }
  while (bucket_ < thread.buckets.size() && !thread.buckets[bucket_].empty() &&
         thread.buckets[bucket_].size() < kFusion) {
    thread.fused.clear();
    thread.fused.swap(thread.buckets[bucket_]);
    for (const Local u : thread.fused) settle(thread, u);
  }
}

// What the threads have kept becomes the frontier.
template <class Real>
void SsspSpread<Real>::collect_kept() {
  frontier_size_ = 0;
  for (const Thread& t : threads_) frontier_size_ += t.kept.size();
  if (frontier_size_ > frontier_.size()) frontier_ = Array<Local>(2 * frontier_size_);
  Local* at = frontier_.data();
  for (Thread& t : threads_) {
    at = std::copy(t.kept.begin(), t.kept.end(), at);
    t.kept.clear();
  }
}

// Masters of told_ tell their mirrors; f(thread, v) for each mirror that has been told.
template <class Real>
template <class F>
void SsspSpread<Real>::tell(F&& f) {
  ++rounds_;
  exchange_.broadcast({distance_.data(), distance_.size()}, told_);
  const std::size_t first = index(graph_.mirrors().begin[0]) / 64;
  team_.for_range(told_.words(), kGrain / 16, [&](int t, std::size_t a, std::size_t b) {
    Thread& thread = threads_[static_cast<std::size_t>(t)];
    for (std::size_t w = a; w < b; ++w) {
      if (w >= first)
        for (std::uint64_t bits = told_.at(w); bits; bits &= bits - 1)
          f(thread, static_cast<Local>(w * 64) + std::countr_zero(bits));
      told_.at(w) = 0;
    }
  });
}

template <class Real>
void SsspSpread<Real>::put(Thread& thread, Local v, Real distance) {
  const std::size_t bucket = bucket_of(distance);
  if (bucket >= thread.buckets.size()) thread.buckets.resize(bucket + 1);
  thread.buckets[bucket].push_back(v);
}

template <class Real>
bool SsspSpread<Real>::beyond_horizon(std::size_t bucket) const {
  return static_cast<double>(bucket) * delta_ >= static_cast<double>(horizon_.load(std::memory_order_relaxed));
}

// Buckets [from, end) below the horizon, as if this rank were alone.
template <class Real>
void SsspSpread<Real>::empty_buckets(std::size_t from, std::size_t end) {
  for (bucket_ = from; (bucket_ = least_bucket(bucket_)) < end && !beyond_horizon(bucket_);) {
    for (Thread& t : threads_)
      if (bucket_ < t.buckets.size()) t.kept.swap(t.buckets[bucket_]);
    collect_kept();
    next_ = 0;
    if (frontier_size_ > kAlone) {
      team_.run([&](int t) { settle_bucket(threads_[static_cast<std::size_t>(t)]); });
    } else {
      settle_bucket(threads_[0]);
    }
  }
}

// The distances below the horizon, or all where there is none. The last round below the horizon is told of by pull().
template <class Real>
void SsspSpread<Real>::push() {
  struct Vote {
    std::size_t bucket;
    double pending;  // below the horizon
    Real horizon;
  };
  for (std::size_t before = 0;;) {
    const std::size_t least = least_bucket(0);
    double pending = 0;
    if (horizon_ < kFar)
      for (std::size_t b = least; b != kNone && !beyond_horizon(b); b = least_bucket(b + 1))
        for (const Thread& t : threads_)
          if (b < t.buckets.size()) pending += static_cast<double>(t.buckets[b].size());
    const Vote vote = world_.fold(Vote{least, pending, horizon_}, [](const Vote& a, const Vote& b) {
      return Vote{std::min(a.bucket, b.bucket), a.pending + b.pending, std::min(a.horizon, b.horizon)};
    });
    // Who set the horizon has followed all edges of what was closer than that round's first bucket.
    const bool fresh = vote.horizon < kFar && horizon_before_ == kFar;
    if (fresh) lower_ = static_cast<Real>(static_cast<double>(before) * delta_ * kRoundingRoom);
    before = vote.bucket;
    horizon_ = horizon_before_ = vote.horizon;
    if (vote.bucket == kNone || beyond_horizon(vote.bucket)) {
      first_late_ = horizon_;
      return;
    }
    const bool below = vote.horizon < kFar;
    first_late_ = static_cast<Real>(static_cast<double>(vote.bucket) * delta_ * kRoundingRoom);
    empty_buckets(vote.bucket, below ? kNone : vote.bucket + window_);
    if (below && !fresh && vote.pending < kFewPending * active_of_all_) return;
    tell([&](Thread& thread, Local mirror) { put(thread, mirror, distance_[index(mirror)]); });
  }
}

// Asks the edges of a vertex at the horizon or beyond; `lower`: no closer vertex can improve it. Whether it did.
template <class Real>
bool SsspSpread<Real>::pull_one(Local v, Real lower) {
  const Real known = load(v);
  Real best = known;
  Giver giver{};
  const auto ask = [&](const Entry& e) {
    if (lower + e.weight >= best) return false;
    if (const Real before = load(e.vertex), reached = before + e.weight; reached < best) {
      best = reached;
      giver = {before < reached ? e.vertex : -1, reached};
    }
    return true;
  };
  const Head& head = heads_[index(v)];
  if (std::all_of(head.begin(), head.end(), ask))
    if (const std::span<const Entry> edges = back_.of(v); edges.size() > head.size())
      std::all_of(edges.begin() + head.size(), edges.end(), ask);
  if (best == known) return false;
  giver_[index(v)] = giver;
  std::atomic_ref(distance_[index(v)]).store(best, std::memory_order_relaxed);
  return true;
}

// Fetches what the first edges of a vertex that will be asked lead to.
template <class Real>
void SsspSpread<Real>::look_ahead(Local v) const {
  __builtin_prefetch(&distance_[index(heads_[index(v)][0].vertex)]);
  __builtin_prefetch(&distance_[index(heads_[index(v)][1].vertex)]);
}

// What lies at the horizon or beyond: first from the near vertices and those of this rank; then, round by round, from what
// has changed, none of it closer than `least`. Where that is much, those ask again for whom it is close enough; where it
// is little, it follows its edges. What comes late from below the horizon is settled first.
template <class Real>
void SsspSpread<Real>::pull() {
  horizon_open_ = false;
  const Real horizon = horizon_;
  team_.for_range(giver_.size(), kGrain, [&](int t, std::size_t a, std::size_t b) {
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
  for (Real least = first_late_; least < kFar;) {
    // Where most have changed all are told, also what has been settled.
    tell([&](Thread& thread, Local mirror) {
      const Real distance = distance_[index(mirror)];
      if (distance < horizon && distance == settled_[index(mirror)]) return;
      if (distance < horizon) put(thread, mirror, distance);
      thread.changed.push_back(mirror);
    });
    const std::vector<Local> asking(frontier_.begin(), frontier_.begin() + frontier_size_);
    take_least();
    empty_buckets(0, kNone);
    Real changed = take_least();
    std::copy(asking.begin(), asking.end(), frontier_.begin());
    frontier_size_ = asking.size();
    for (Real here = least;; changed = std::min(changed, here)) {
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
template <class Real>
void SsspSpread<Real>::pull_again(Real least, Real here) {
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
template <class Real>
void SsspSpread<Real>::push_from(const std::vector<Local>& sources) {
  team_.for_range(sources.size(), kGrain / 4, [&](int t, std::size_t a, std::size_t b) {
    Thread& thread = threads_[static_cast<std::size_t>(t)];
    for (std::size_t i = a; i < b; ++i) {
      if (i + kAhead < b) __builtin_prefetch(forth_.of(sources[i + kAhead]).data());
      const Local u = sources[i];
      const Real distance = load(u);
      for (const Entry& e : forth_.of(u)) {
        if (!relax(distance, u, e)) continue;
        told_.set(e.vertex);
        thread.changed.push_back(e.vertex);
        thread.least = std::min(thread.least, distance + e.weight);
      }
    }
  });
}

template <class Real>
std::vector<Local> SsspSpread<Real>::take_changed() {
  std::vector<Local> all;
  for (Thread& t : threads_) {
    all.insert(all.end(), t.changed.begin(), t.changed.end());
    t.changed.clear();
  }
  return all;
}

// The least distance that has changed since it was last taken.
template <class Real>
Real SsspSpread<Real>::take_least() {
  Real least = kFar;
  for (Thread& t : threads_) least = std::min(least, std::exchange(t.least, kFar));
  return least;
}

template <class Real>
void SsspSpread<Real>::run(Vertex source, SsspResult<Real>& result) {
  const auto [owner, natural] = graph_.find(source);
  const Local here = owner == world_.rank() ? graph_.local_of(natural) : -1;
  start(here);
  push();
  if (horizon_ < kFar) pull();
  write(here, result);
}

template <class Real>
std::size_t SsspSpread<Real>::memory_bytes() const {
  std::size_t bytes = (distance_.size() + settled_.size()) * sizeof(Real) + giver_.size() * sizeof(Giver) + heads_.size() * sizeof(Head) +
                      frontier_.size() * sizeof(Local) + exchange_.memory_bytes();
  for (const Lists* lists : {&forth_, &back_})
    bytes += lists->offsets.size() * sizeof(Edge) + lists->entries.size() * sizeof(Entry);
  return bytes;
}

template class SsspSpread<float>;
template class SsspSpread<double>;

}  // namespace atl
