// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atoll/algorithms/sssp/delta_stepping.hpp>
#include <atoll/algorithms/sssp/sssp.hpp>
#include <atoll/engine/mirror_exchange.hpp>

/// The form of class Sssp for several ranks and an edge-cut. Memory beside the graph: 16 bytes (double: 32; half of it
/// on graphs without hubs) per adjacency entry, about 16 (double: 32) per local vertex, and, on graphs with hubs, 40
/// (double: 80) per master.
namespace atl {

/// Distances are summed and sent as Sum and returned as Real. Sum is Real, except for whole-number weights in double:
/// std::uint32_t (the size of a float) where every path length fits 31 bits, std::uint64_t where a double might round
/// one.
template <class Real, class Sum = Real>
class DistributedSssp : private DeltaSteppingCore<Sum> {
 public:
  /// Collective. The graph's weights must be Real or narrower, finite and not negative, and Sum must hold their sums.
  explicit DistributedSssp(const Graph& graph, const SsspOptions& options = {});
  DistributedSssp(const DistributedSssp&) = delete;
  DistributedSssp& operator=(const DistributedSssp&) = delete;

  /// Collective. InputError, the same on all ranks, if no vertex has the id `source`.
  void run(Vertex source, SsspResult<Real>& result);
  /// Mirror broadcasts in the last run.
  int rounds() const { return rounds_; }
  /// Whether the graph has hubs, so that far vertices pull, as on one rank.
  bool pulls() const { return skewed_; }
  std::size_t memory_bytes() const;

 private:
  using Steps = DeltaSteppingCore<Sum>;
  using Steps::bucket_;
  using Steps::collect_kept;
  using Steps::delta_;
  using Steps::distance_;
  using Steps::frontier_;
  using Steps::frontier_size_;
  using Steps::horizon_;
  using Steps::kAhead;
  using Steps::kNone;
  using Steps::kUnreached;
  using Steps::least_bucket;
  using Steps::load;
  using Steps::lower_;
  using Steps::predecessor_;
  using Steps::put;
  using Steps::reach_;
  using Steps::relax;
  using Steps::relaxed_distance_;
  using Steps::skewed_;
  using Steps::team_;
  using Steps::threads_;
  using typename Steps::Entry;
  using typename Steps::Predecessor;
  using typename Steps::Thread;
  /// The lightest entering edges of a vertex, padded with weight kUnreached: most pulls then read one cache line.
  using Head = std::array<Entry, 4>;
  void choose_steps(const SsspOptions& options);
  void make_lists();
  void make_out_lists();
  void make_in_lists();
  void start(Local source);
  void empty_buckets(std::size_t from, std::size_t end);
  void push();
  void relax_edges(Thread& thread, Local u);
  void pull();
  bool pull_one(Local v, Sum lower);
  void prefetch_heads(Local v) const;
  void pull_frontier(Sum least, Sum here);
  void push_from(const std::vector<Local>& sources);
  Sum take_least();
  std::vector<Local> take_changed();
  template <class F>
  void broadcast_changed(F&& f, std::optional<double> expected = {});
  void write(Local source, SsspResult<Real>& result);
  Local parent_of(Local v) const;
  void assign_zero_weight_parents(SsspResult<Real>& result);

  const Graph& graph_;
  World& world_;
  MirrorExchange<Sum, MinOf> exchange_;
  const Local first_mirror_;
  Local landmarks_ = 0;              // masters 0 .. landmarks_-1 are hubs that set the horizon
  std::size_t window_ = 1;           // buckets processed in a round before there is a horizon
  std::size_t near_window_ = 1;      // and once there is one
  double active_of_all_ = 0;         // vertices with an edge, on all ranks
  Array<Edge> out_offsets_;          // offsets of out_; in_ uses the graph's
  SsspLists<Sum> out_;               // [local, mirrors too] edges to masters of this rank
  SsspLists<Sum> in_;                // [master] entering edges, lightest first; only on graphs with hubs
  Array<Head> heads_;                // [master] the first entries of in_
  VertexBits changed_;               // masters to broadcast; mirrors that the last broadcast updated
  Sum horizon_before_ = kUnreached;  // horizon_ when the round began; the same on all ranks
  bool horizon_open_ = true;         // a hub that gets a smaller distance may still lower the horizon
  Sum least_unsent_ = 0;             // lower bound of the distances changed since the last broadcast
  int rounds_ = 0;
  double broadcast_count_ = 0;  // masters of this rank in the last broadcast
};

// Broadcasts the masters in changed_ to their mirrors (about `expected` values over all ranks), clears changed_, and
// calls f(thread, v) for each mirror that was updated.
template <class Real, class Sum>
template <class F>
void DistributedSssp<Real, Sum>::broadcast_changed(F&& f, std::optional<double> expected) {
  constexpr std::size_t kGrain = 64;
  ++rounds_;
  const std::size_t first = static_cast<std::size_t>(first_mirror_) / 64;
  broadcast_count_ = 0;
  for (std::size_t w = 0; expected && w < first; ++w) broadcast_count_ += std::popcount(changed_.at(w));
  exchange_.broadcast({distance_.data(), distance_.size()}, changed_, expected);
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

// Instantiated in distributed.cpp.
extern template class HaloExchange<std::uint32_t, MinOf>;

}  // namespace atl
