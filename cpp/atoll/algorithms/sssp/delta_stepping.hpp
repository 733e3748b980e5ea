// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atoll/algorithms/sssp/lists.hpp>
#include <atoll/algorithms/sssp/sssp.hpp>
#include <atoll/algorithms/sssp/tree.hpp>
#include <atoll/engine/mirror_exchange.hpp>
#include <atomic>
#include <utility>

/// Shortest paths by delta-stepping, on one rank and over the ranks of an edge-cut. Memory beside the graph: 8 bytes
/// (double: 16) per edge in each direction that is relaxed, as much again for lists of entering edges on graphs with
/// hubs (on one rank only if they are directed), about 12 (double: 24) per local vertex, and 32 (double: 64) per master on
/// graphs with hubs over ranks.
namespace atl {

/// Distances are summed and sent as Sum and returned as Real. Sum is Real, except for whole-number weights in double:
/// std::uint32_t (the size of a float) where every path length fits 31 bits, std::uint64_t where a double might round
/// one.
template <class Real, class Sum = Real>
class DeltaStepping {
 public:
  /// Collective. The graph's weights must be Real or narrower, finite and not negative, and Sum must hold their sums.
  explicit DeltaStepping(const Graph& graph, const SsspOptions& options = {});
  DeltaStepping(const DeltaStepping&) = delete;
  DeltaStepping& operator=(const DeltaStepping&) = delete;

  /// Collective. InputError, the same on all ranks, if no vertex has the id `source`.
  void run(Vertex source, SsspResult<Real>& result);
  double delta() const { return delta_; }
  /// Mirror broadcasts in the last run.
  int rounds() const { return rounds_; }
  /// Whether the graph has hubs, so that lists are sorted by weight and far vertices pull.
  bool pulls() const { return skewed_; }
  std::size_t memory_bytes() const;

 private:
  static constexpr Sum kUnreached = kSsspUnreached<Sum>;
  static constexpr std::size_t kNone = SIZE_MAX;
  static constexpr std::size_t kAhead = 8;  // prefetch distance in vertices
  // The last bucket holds all larger distances.
  static constexpr double kMostBuckets = 1 << 20;
  // The lower bound of a bucket times this is below every distance that bucket_of() puts into it, despite rounding.
  static constexpr double kRoundingRoom = 1 - 1e-6;
  using Entry = SsspEntry<Sum>;
  using Trace = SsspTrace<Sum>;
  /// The lightest entering edges of a vertex, padded with weight kUnreached: most pulls then read one cache line.
  using Head = std::array<Entry, 4>;
  /// The relaxation of an edge that may lower the distance of its target.
  struct Candidate {
    Local vertex;
    std::uint32_t from;
    Sum reached;
  };
  /// The work that is next, as far as a thread knows.
  struct Upcoming {
    std::size_t bucket, size;
    Sum horizon;
  };
  struct alignas(128) Thread {
    std::vector<std::vector<Local>> buckets;
    std::vector<Local> fused;
    std::vector<Local> kept;     // this thread's part of a bucket, or of the frontier
    std::vector<Local> changed;  // vertices changed since pulling began
    std::vector<char> touched;   // [block of vertices] whether this thread may have lowered a distance in it
    Array<Candidate> candidates;
    std::size_t bucket = 0;          // the bucket that is being emptied
    std::array<Upcoming, 2> next{};  // of this round of the team and of the one before, in turns
    Sum least = kUnreached;          // least distance of a master that this thread has changed
    // Entries [0, left) of `kept` are not taken yet; threads take from the end. Below 0 if there are none.
    alignas(64) std::atomic<std::ptrdiff_t> left{0};
  };

  void choose_steps(const SsspOptions& options);
  void make_lists();
  SsspLists<Sum> lists_of(const Csr& csr) const;
  void make_heads();
  void make_lists_to_masters();

  void start(Local source);
  template <class F>
  void for_touched(F&& f) const;
  std::optional<std::vector<Local>> list_reached() const;
  void push();
  void empty_buckets(std::size_t from, std::size_t end);
  std::size_t take_bucket(std::size_t end);
  void take(Thread& thread, std::size_t bucket);
  bool take_common_bucket(int number, int round, std::size_t end);
  void relax_share(int number);
  void relax_edges(Thread& thread, std::span<const Local> sources);
  std::size_t gather(Thread& thread, Local u, Sum distance, std::size_t count);
  void relax(Thread& thread, std::size_t candidates);
  bool lower(Local v, Sum reached, std::uint32_t from);
  void lower_horizon(Sum distance, std::size_t bucket);
  bool is_small(std::size_t size) const;

  void pull();
  bool pull_one(Local v, Sum lower);
  Sum lightest(Local v) const;
  void prefetch_entering(Local v) const;
  Sum exchange_changes(Sum horizon);
  void pull_frontier(Sum least, Sum here);
  void push_from(const std::vector<Local>& sources);
  void mark_changed(Thread& thread, Local v, Sum distance);
  Sum take_least();
  std::vector<Local> take_changed();

  void collect_kept();
  std::size_t least_bucket(std::size_t from) const;
  double pending_below_horizon() const;
  template <class F>
  void broadcast_changed(F&& f, std::optional<double> expected_share = {});

  // The graph is undirected on one rank: one list serves both directions.
  const SsspLists<Sum>& entering() const { return exchange_ || graph_.directed() ? in_ : out_; }
  // An edge that leaves the distance as it is has no predecessor in it: along such edges there may be cycles.
  static std::uint32_t predecessor_of(Sum distance, Sum reached, Local u) {
    return distance < reached ? static_cast<std::uint32_t>(u) : Trace::kNoPredecessor;
  }
  Sum load(Local v) { return std::atomic_ref(distance_[v]).load(std::memory_order_relaxed); }
  std::size_t bucket_of(Sum distance) const {
    return static_cast<std::size_t>(std::min(static_cast<double>(distance) * buckets_per_unit_, kMostBuckets));
  }
  Sum lower_bound_of(std::size_t bucket) const {
    return static_cast<Sum>(static_cast<double>(bucket) * delta_ * kRoundingRoom);
  }
  bool is_beyond(std::size_t bucket, Sum horizon) const {
    return static_cast<double>(bucket) * delta_ >= static_cast<double>(horizon);
  }
  void put(Thread& thread, Local v, Sum distance) {
    thread.touched[index(v) >> block_bits_] = 1;
    const std::size_t bucket = bucket_of(distance);
    if (bucket >= thread.buckets.size()) thread.buckets.resize(bucket + 1);
    thread.buckets[bucket].push_back(v);
  }

  const Graph& graph_;
  World& world_;
  Team& team_;
  std::optional<MirrorExchange<Sum, MinOf>> exchange_;  // none on one rank
  const Local first_mirror_;
  bool one_thread_;                           // no other thread lowers distances, so they need no atomics
  const bool tree_;                           // predecessors are noted
  bool skewed_ = false;                       // the graph has hubs: lists are sorted by weight, and far vertices pull
  double delta_ = 0, buckets_per_unit_ = 1;   // buckets_per_unit_ = 1 / delta_
  double reach_ = 0;                          // from the first hub to the horizon
  Local landmarks_ = 0;                       // masters 0 .. landmarks_-1 are hubs that set the horizon
  std::size_t window_ = 1, near_window_ = 1;  // buckets in a round before there is a horizon, and once there is one
  double active_of_all_ = 0;                  // vertices with an edge, on all ranks
  Array<Edge> out_offsets_;                   // over ranks: those of out_; else lists use the graph's
  SsspLists<Sum> out_;                        // [local, mirrors too] edges to masters of this rank
  SsspLists<Sum> in_;                         // [master] entering edges, lightest first; see entering()
  Array<Head> heads_;                         // [master] the first entries of in_; only over ranks

  Array<Sum> distance_;  // [local] best known
  // [local]. Without predecessors write_paths() searches for all parents: delaunay_n15, rgg_n_2_15_s0 and ca-CondMat
  // then took 1.26 to 1.65 times as long with 1 and 2 threads.
  Array<Trace> trace_;
  int block_bits_ = 6;       // a block is 2^block_bits_ vertices
  bool all_touched_ = true;  // any vertex may have been reached since start(), or so many that all are reset
  std::vector<Thread> threads_;
  Array<Local> frontier_;
  std::size_t frontier_size_ = 0;
  std::atomic<Sum> horizon_{kUnreached};
  Sum lower_ = 0;  // vertices with a smaller distance have relaxed all their edges, also those beyond the horizon
  bool horizon_open_ = true;    // a hub that gets a smaller distance may still lower the horizon
  Sum least_unsent_ = 0;        // lower bound of the distances changed since the last broadcast
  VertexBits changed_;          // over ranks: masters to broadcast; mirrors that the last broadcast updated
  int rounds_ = 0;              // mirror broadcasts
  double broadcast_count_ = 0;  // masters of this rank in the last broadcast
};

/// Lowers the distance of v to `reached`, which came from the vertex `from`; false if it is not above.
template <class Real, class Sum>
inline bool DeltaStepping<Real, Sum>::lower(Local v, Sum reached, std::uint32_t from) {
  if (one_thread_) {
    if (reached >= distance_[v]) return false;
    distance_[v] = reached;
  } else {
    const std::atomic_ref best(distance_[v]);
    Sum known = best.load(std::memory_order_relaxed);
    do {
      if (reached >= known) return false;
    } while (!best.compare_exchange_weak(known, reached, std::memory_order_relaxed));
  }
  if (tree_) trace_[v].reach(reached, from, one_thread_);
  return true;
}

// Broadcasts the masters in changed_ to their mirrors (about a share `expected_share` of them), clears changed_, and
// calls f(thread, v) for each mirror that was updated. Nothing on one rank.
template <class Real, class Sum>
template <class F>
void DeltaStepping<Real, Sum>::broadcast_changed(F&& f, std::optional<double> expected_share) {
  if (!exchange_) return;
  constexpr std::size_t kGrain = 64;
  ++rounds_;
  const std::size_t first = static_cast<std::size_t>(first_mirror_) / 64;
  broadcast_count_ = 0;
  std::optional<double> expected;
  if (expected_share) {
    for (std::size_t w = 0; w < first; ++w) broadcast_count_ += std::popcount(changed_.at(w));
    expected = exchange_->mirrors() * *expected_share;
  }
  exchange_->broadcast({distance_.data(), distance_.size()}, changed_, expected);
  team_.for_range(changed_.words(), kGrain, [&](int t, std::size_t a, std::size_t b) {
    Thread& thread = threads_[t];
    for (std::size_t w = a; w < b; ++w) {
      if (w >= first)
        for (std::uint64_t bits = changed_.at(w); bits; bits &= bits - 1)
          f(thread, static_cast<Local>(w * 64) + std::countr_zero(bits));
      changed_.at(w) = 0;
    }
  });
}

// Instantiated in delta_stepping.cpp.
extern template class HaloExchange<std::uint32_t, MinOf>;

}  // namespace atl
