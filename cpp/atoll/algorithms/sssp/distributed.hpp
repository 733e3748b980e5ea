// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atoll/algorithms/sssp/delta_stepping.hpp>
#include <atoll/algorithms/sssp/sssp.hpp>
#include <atoll/engine/mirror_exchange.hpp>

/// Shortest paths from one source over several ranks: what class Sssp does there. Memory beside the graph: 16 bytes
/// (double: 32; half of it on graphs without hubs) for each entry of a list, about 16 (double: 32) a local vertex, and, on
/// graphs with hubs, 40 (double: 80) a master.
namespace atl {

/// Distances are added up, and travel, as Sum, and are given as Real: of whole numbers whose paths fit 31 bits Sum is
/// std::uint32_t, which takes what float takes, and std::uint64_t of those whose paths a double may round.
template <class Real, class Sum = Real>
class DistributedSssp : private DeltaSteppingCore<Sum> {
 public:
  /// Collective; the graph's weights are Real or narrower, finite and not negative, and their sums those of Sum.
  explicit DistributedSssp(const Graph& graph, const SsspOptions& options = {});
  DistributedSssp(const DistributedSssp&) = delete;
  DistributedSssp& operator=(const DistributedSssp&) = delete;

  /// Collective. InputError, the same on all ranks, if no vertex has the id `source`.
  void run(Vertex source, SsspResult<Real>& result);
  /// Exchanges of the last run.
  int rounds() const { return rounds_; }
  /// Whether the graph has hubs, as on one rank: then far vertices pull.
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
  using Steps::kFar;
  using Steps::kNone;
  using Steps::least_bucket;
  using Steps::load;
  using Steps::lower_;
  using Steps::predecessor_;
  using Steps::put;
  using Steps::reach_;
  using Steps::relax;
  using Steps::settled_;
  using Steps::skewed_;
  using Steps::team_;
  using Steps::threads_;
  using typename Steps::Entry;
  using typename Steps::Predecessor;
  using typename Steps::Thread;
  /// The lightest edges of a list, so that most of those who ask read one line; filled up with endless ones.
  using Head = std::array<Entry, 4>;
  void choose_steps(const SsspOptions& options);
  void make_lists();
  void make_forth();
  void make_back();
  void start(Local source);
  void empty_buckets(std::size_t from, std::size_t end);
  void push();
  void settle(Thread& thread, Local u);
  void pull();
  bool pull_one(Local v, Sum lower);
  void look_ahead(Local v) const;
  void pull_again(Sum least, Sum here);
  void push_from(const std::vector<Local>& sources);
  Sum take_least();
  std::vector<Local> take_changed();
  template <class F>
  void tell(F&& f, std::optional<double> expected = {});
  void write(Local source, SsspResult<Real>& result);
  Local parent_of(Local v) const;
  void assign_zero_weight_parents(SsspResult<Real>& result);

  const Graph& graph_;
  World& world_;
  MirrorExchange<Sum, MinOf> exchange_;
  const Local first_mirror_;
  Local landmarks_ = 0;          // the first so many masters are hubs that set the horizon
  std::size_t window_ = 1;       // buckets of a round
  std::size_t near_window_ = 1;  // once there is a horizon
  double active_of_all_ = 0;     // vertices with an edge, of all ranks
  Array<Edge> out_offsets_;      // of out_; in_ has the graph's
  SsspLists<Sum> out_;           // [local, mirrors too] edges to masters of this rank
  SsspLists<Sum> in_;            // [master] entering edges, lightest first; graphs with hubs only
  Array<Head> heads_;            // [master] of in_
  VertexBits told_;              // masters to tell of; mirrors just told
  Sum horizon_before_ = kFar;    // when the round began; the same on all ranks
  bool horizon_open_ = true;     // a hub that comes closer may still move it
  Sum first_late_ = 0;           // nothing closer has changed since the others were last told
  int rounds_ = 0;
  double told_of_ = 0;  // masters of this rank, when the mirrors were last told
};

// Masters of told_ tell their mirrors, `expected` on all ranks; f(thread, v) for each mirror that has been told.
template <class Real, class Sum>
template <class F>
void DistributedSssp<Real, Sum>::tell(F&& f, std::optional<double> expected) {
  constexpr std::size_t kGrain = 64;
  ++rounds_;
  const std::size_t first = static_cast<std::size_t>(first_mirror_) / 64;
  told_of_ = 0;
  for (std::size_t w = 0; expected && w < first; ++w) told_of_ += std::popcount(told_.at(w));
  exchange_.broadcast({distance_.data(), distance_.size()}, told_, expected);
  team_.for_range(told_.words(), kGrain, [&](int t, std::size_t a, std::size_t b) {
    Thread& thread = threads_[static_cast<std::size_t>(t)];
    for (std::size_t w = a; w < b; ++w) {
      if (w >= first)
        for (std::uint64_t bits = told_.at(w); bits; bits &= bits - 1)
          f(thread, static_cast<Local>(w * 64) + std::countr_zero(bits));
      told_.at(w) = 0;
    }
  });
}

// Compiled once, in sssp_spread.cpp.
extern template class MirrorExchange<std::uint32_t, MinOf>;

}  // namespace atl
