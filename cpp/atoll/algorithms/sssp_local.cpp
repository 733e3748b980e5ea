// SPDX-License-Identifier: Apache-2.0
// Single-source shortest paths by delta-stepping [1] with bucket fusion [2]; on graphs with hubs only the near part is
// found so, and the far vertices pull.
//
//   in the paper     here                meaning
//   tent(v)          distance_           best distance known
//   B[i]             Thread::buckets     vertices with i delta <= tent < (i+1) delta, of each thread
//   relax            settle              of all edges of a vertex
//   light, heavy     -                   all edges are followed at once: what comes too early is done again
//
// The far part: behind a hub nearly every vertex has a light edge to somebody near, and pushing all edges of all near
// vertices is wasted on it. Once a hub is reached at distance h, the horizon is H = h + reach. Distances below H are
// found by pushing, along edges that end below H only (lists are sorted by weight: a prefix). Then each vertex v at H
// or beyond asks its edges, lightest first, and stops at the first with L + w >= best: what is closer than L has
// followed all its edges before there was a horizon. What can still come over a vertex at H or beyond, with
// H + w < best, is asked once more, and who changes then pushes. Rounding is monotone, so all these comparisons hold for the
// rounded sums.
//
// [1] U. Meyer, P. Sanders. "Delta-stepping: a parallelizable shortest path algorithm." J. Algorithms 49(1), 2003.
// [2] Y. Zhang et al. "Optimizing ordered graph algorithms with GraphIt." CGO 2020.
#include <algorithm>
#include <atoll/algorithms/edge_weights.hpp>
#include <atoll/algorithms/one_rank.hpp>
#include <atoll/algorithms/sssp_local.hpp>
#include <atoll/base/random.hpp>
#include <cmath>

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
// The first so many local vertices are hubs that set the horizon.
constexpr Local kLandmarks = 64;
// Graphs whose largest degree is so many times the mean have hubs.
constexpr double kSkew = 8;
constexpr std::size_t kSamples = 4096;
constexpr std::size_t kAhead = 8;

std::size_t index(Local v) { return static_cast<std::size_t>(v); }

}  // namespace

template <class Real>
SsspLocal<Real>::SsspLocal(const Graph& graph, const SsspOptions& options)
    : graph_(on_one_rank(graph, "sssp")),
      team_(graph.world().team()),
      threads_(static_cast<std::size_t>(team_.size())) {
  check(!options.delta || (*options.delta > 0 && std::isfinite(*options.delta)),
        "sssp: delta is {} (a finite number above 0). Change it, or leave it out.", options.delta.value_or(0));
  check_weights<Real>("sssp", graph, ZeroWeights::allowed);
  const auto active = index(graph.active());
  const double mean = active > 0 ? static_cast<double>(graph.out().size()) / static_cast<double>(active) : 0;
  skewed_ = graph.hubs() > 0 && static_cast<double>(graph.out().degree(0)) > kSkew * mean;
  choose_steps(options);
  out_ = entries_of(graph.out());
  if (graph.directed()) in_ = entries_of(graph.in());
  distance_ = Array<Real>(active);
  settled_ = Array<Real>(active);
  giver_ = Array<Giver>(active);
  frontier_ = Array<Local>(active + 1);
}

// From a sample of the weights. With k of a vertex's d edges lighter than a bucket, a pass over the bucket finds k
// times as many vertices: 1 keeps the repeated work small. With hubs everything lies close together: there the reach is
// 0.75 d and the bucket a fifth of it, as tried on Kronecker graphs.
template <class Real>
void SsspLocal<Real>::choose_steps(const SsspOptions& options) {
  const EdgeWeights<Real> weights("sssp", graph_, graph_.out());
  std::vector<double> sample;
  for (std::size_t i = 0; i < kSamples && weights.size() > 0; ++i)
    sample.push_back(static_cast<double>(weights[random_at(1, i) % weights.size()]));
  std::sort(sample.begin(), sample.end());
  const double mean = sample.empty() ? 1 : static_cast<double>(weights.size()) / static_cast<double>(graph_.active());
  auto quantile = [&](double q) {
    if (sample.empty()) return 1.0;
    const auto at = static_cast<std::size_t>(std::clamp(q, 0.0, 1.0) * static_cast<double>(kSamples - 1));
    const auto positive = std::upper_bound(sample.begin(), sample.end(), 0.0);
    return positive == sample.end() ? 1.0 : std::max(sample[at], *positive);
  };
  reach_ = quantile(0.75 / mean);
  delta_ = options.delta ? *options.delta : skewed_ ? reach_ / 5 : quantile(1 / mean);
  delta_ = std::max(delta_, std::numeric_limits<double>::min());  // so that 1 / delta is finite
  buckets_per_unit_ = 1 / delta_;
}

template <class Real>
Array<typename SsspLocal<Real>::Entry> SsspLocal<Real>::entries_of(const Csr& lists) const {
  const EdgeWeights<Real> weights("sssp", graph_, lists);
  Array<Entry> entries(lists.targets.size());
  team_.for_range(index(graph_.active()), kGrain / 16, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) {
      const auto begin = static_cast<std::size_t>(lists.offsets[v]),
                 end = static_cast<std::size_t>(lists.offsets[v + 1]);
      for (std::size_t e = begin; e < end; ++e) entries[e] = {lists.targets[e], weights[e]};
      if (skewed_)
        std::sort(entries.begin() + begin, entries.begin() + end,
                  [](const Entry& x, const Entry& y) { return x.weight < y.weight; });
    }
  });
  return entries;
}

template <class Real>
std::size_t SsspLocal<Real>::bucket_of(Real distance) const {
  return static_cast<std::size_t>(std::min(static_cast<double>(distance) * buckets_per_unit_, kMostBuckets));
}

// Whether the edge e of u, itself at `distance`, has brought its end closer.
template <class Real>
bool SsspLocal<Real>::relax(Real distance, Local u, const Entry& e) {
  const Real reached = distance + e.weight;
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
void SsspLocal<Real>::settle(Thread& thread, Local u) {
  const Real distance = load(u);
  std::atomic_ref settled(settled_[index(u)]);
  if (distance == settled.load(std::memory_order_relaxed) || bucket_of(distance) < bucket_) return;
  settled.store(distance, std::memory_order_relaxed);
  if (skewed_ && u < kLandmarks) {
    Real none = kFar;
    if (horizon_.compare_exchange_strong(none, static_cast<Real>(static_cast<double>(distance) + reach_)))
      lower_ = static_cast<Real>(static_cast<double>(bucket_) * delta_ * kRoundingRoom);
  }
  const Real horizon = horizon_.load(std::memory_order_relaxed);
  for (const Entry& e : out(u)) {
    const Real reached = distance + e.weight;
    if (reached >= horizon) {
      if (skewed_) break;
      continue;
    }
    if (!relax(distance, u, e)) continue;
    const std::size_t bucket = bucket_of(reached);
    if (bucket >= thread.buckets.size()) thread.buckets.resize(bucket + 1);
    thread.buckets[bucket].push_back(e.vertex);
  }
}

// A thread's part of a bucket: of the frontier, then of what it has itself put back into the bucket.
template <class Real>
void SsspLocal<Real>::settle_bucket(Thread& thread) {
  for (std::size_t i; (i = next_.fetch_add(kFrontierGrain, std::memory_order_relaxed)) < frontier_size_;) {
    for (const std::size_t end = std::min(frontier_size_, i + kFrontierGrain); i < end; ++i) {
      if (i + kAhead < frontier_size_) {
        const Local soon = frontier_[i + kAhead];
        __builtin_prefetch(out(soon).data());
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

// All buckets below the horizon, one after the other. The team is woken for large ones only: of a graph of large
// diameter there are many small ones.
template <class Real>
void SsspLocal<Real>::push(Local source) {
  team_.for_range(distance_.size(), kGrain * 16, [&](int, std::size_t a, std::size_t b) {
    std::fill(distance_.begin() + a, distance_.begin() + b, kFar);
    std::fill(settled_.begin() + a, settled_.begin() + b, kFar);
    std::fill(giver_.begin() + a, giver_.begin() + b, Giver{-1, 0});
  });
  for (Thread& t : threads_)
    for (auto& bucket : t.buckets) bucket.clear();
  distance_[index(source)] = 0;
  frontier_[0] = source;
  frontier_size_ = 1;
  bucket_ = 0;
  for (;;) {
    next_ = 0;
    if (frontier_size_ > kAlone) {
      team_.run([&](int t) { settle_bucket(threads_[static_cast<std::size_t>(t)]); });
    } else {
      settle_bucket(threads_[0]);
    }
    std::size_t least = SIZE_MAX;
    for (const Thread& t : threads_) {
      std::size_t first = bucket_;
      while (first < t.buckets.size() && t.buckets[first].empty()) ++first;
      if (first < t.buckets.size()) least = std::min(least, first);
    }
    if (least == SIZE_MAX || static_cast<double>(least) * delta_ >= static_cast<double>(horizon_.load())) return;
    bucket_ = least;
    for (Thread& t : threads_)
      if (least < t.buckets.size()) t.kept.swap(t.buckets[least]);
    collect_kept();
  }
}

// Asks the edges of a vertex at the horizon or beyond; `lower`: no closer vertex can improve it. Whether it did.
template <class Real>
bool SsspLocal<Real>::pull_one(Local v, Real lower) {
  const Real known = load(v);
  Real best = known;
  Giver giver{};
  for (const Entry& e : in(v)) {
    if (lower + e.weight >= best) break;
    const Real before = load(e.vertex), reached = before + e.weight;
    if (reached >= best) continue;
    best = reached;
    giver = {before < reached ? e.vertex : -1, reached};
  }
  if (best == known) return false;
  giver_[index(v)] = giver;
  std::atomic_ref(distance_[index(v)]).store(best, std::memory_order_relaxed);
  return true;
}

// What the threads have kept becomes the frontier.
template <class Real>
void SsspLocal<Real>::collect_kept() {
  frontier_size_ = 0;
  for (const Thread& t : threads_) frontier_size_ += t.kept.size();
  if (frontier_size_ > frontier_.size()) frontier_ = Array<Local>(2 * frontier_size_);
  Local* at = frontier_.data();
  for (Thread& t : threads_) {
    at = std::copy(t.kept.begin(), t.kept.end(), at);
    t.kept.clear();
  }
}

template <class Real>
template <class F>
void SsspLocal<Real>::for_frontier(F&& f) {
  team_.for_range(frontier_size_, kGrain / 4, [&](int t, std::size_t a, std::size_t b) {
    for (std::size_t i = a; i < b; ++i) {
      if (i + kAhead < b) __builtin_prefetch(in(frontier_[i + kAhead]).data());
      f(threads_[static_cast<std::size_t>(t)], frontier_[i]);
    }
  });
  collect_kept();
}

template <class Real>
void SsspLocal<Real>::pull() {
  const Real horizon = horizon_;
  team_.for_range(distance_.size(), kGrain, [&](int t, std::size_t a, std::size_t b) {
    Thread& thread = threads_[static_cast<std::size_t>(t)];
    for (std::size_t i = a; i < b; ++i) {
      if (i + kAhead < b) __builtin_prefetch(in(static_cast<Local>(i + kAhead)).data());
      if (distance_[i] < horizon) continue;
      const auto v = static_cast<Local>(i);
      pull_one(v, lower_);
      if (const auto edges = in(v); !edges.empty() && horizon + edges[0].weight < distance_[i])
        thread.kept.push_back(v);
    }
  });
  collect_kept();
  for_frontier([&](Thread& thread, Local v) {
    if (pull_one(v, horizon)) thread.kept.push_back(v);
  });
  // Few are left that have changed after others had asked them: those tell.
  while (frontier_size_ > 0)
    for_frontier([&](Thread& thread, Local u) {
      const Real distance = load(u);
      for (const Entry& e : out(u))
        if (relax(distance, u, e)) thread.kept.push_back(e.vertex);
    });
}

template <class Real>
void SsspLocal<Real>::run(Vertex source, SsspResult<Real>& result) {
  const Local start = graph_.local_of(graph_.find(source).second);
  horizon_ = kFar;
  if (start < graph_.active()) {
    push(start);
    if (horizon_ < kFar) pull();
  } else {
    std::fill(distance_.begin(), distance_.end(), kFar);
  }
  write(start, result);
}

template <class Real>
std::size_t SsspLocal<Real>::memory_bytes() const {
  return (out_.size() + in_.size()) * sizeof(Entry) + (distance_.size() + settled_.size()) * sizeof(Real) +
         giver_.size() * sizeof(Giver) + frontier_.size() * sizeof(Local);
}

template class SsspLocal<float>;
template class SsspLocal<double>;

}  // namespace atl
