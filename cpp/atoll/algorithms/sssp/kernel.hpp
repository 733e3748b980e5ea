// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/sssp/delta_stepping.hpp>
#include <atoll/algorithms/sssp/sssp.hpp>

/// The form of class Sssp for one rank. Memory beside the graph: 8 (double: 16) bytes per adjacency entry, and about 25
/// (double: 45) per vertex.
namespace atl {

/// Distances are summed as Sum and returned as Real; see DistributedSssp.
template <class Real, class Sum = Real>
class SsspKernel : private DeltaSteppingCore<Sum> {
 public:
  /// InputError, before any work, if the graph has no weights or some that Real would round, if one is negative,
  /// infinite or not a number, if delta is not above 0, or if the graph is distributed over several ranks.
  explicit SsspKernel(const Graph& graph, const SsspOptions& options = {});
  SsspKernel(const SsspKernel&) = delete;
  SsspKernel& operator=(const SsspKernel&) = delete;

  /// InputError if no vertex has the id `source`.
  void run(Vertex source, SsspResult<Real>& result);
  double delta() const { return delta_; }
  /// Whether the graph has hubs, so that lists are sorted by weight and far vertices pull.
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
  using Steps::kUnreached;
  using Steps::load;
  using Steps::lower_;
  using Steps::one_thread_;
  using Steps::predecessor_;
  using Steps::reach_;
  using Steps::relax;
  using Steps::skewed_;
  using Steps::team_;
  using Steps::threads_;
  using typename Steps::Entry;
  using typename Steps::Predecessor;
  using typename Steps::Thread;

  SsspLists<Sum> lists_of(const Csr& lists) const;
  void choose_steps(const SsspOptions& options);
  std::span<const Entry> out(Local v) const { return out_.of(v); }
  std::span<const Entry> in(Local v) const { return (graph_.directed() ? in_ : out_).of(v); }
  void push(Local source);
  void relax_edges(Thread& thread, Local u);
  void pull();
  bool pull_one(Local v, Sum lower);
  template <class F>
  void for_frontier(F&& f);
  void write(Local source, SsspResult<Real>& result);
  Local parent_of(Local v) const;
  void assign_zero_weight_parents(SsspResult<Real>& result);

  const Graph& graph_;
  SsspLists<Sum> out_, in_;  // in_: directed graphs only
};

}  // namespace atl
