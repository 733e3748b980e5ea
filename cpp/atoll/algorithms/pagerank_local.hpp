// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/hub_tail.hpp>
#include <atoll/algorithms/pagerank.hpp>
#include <atoll/base/isa.hpp>

/// PageRank on one rank: what class PageRank does there.
///
///     PageRankLocal<float> pagerank(graph);               // layouts and buffers are made once
///     PageRankResult<float> r;                            // its array is used again
///     pagerank.run({.tolerance = 1e-6}, r);               // r.score[natural]
namespace atl {

/// sums[r] = sum of x over the next counts[r] ids, for `rows` rows.
template <class Real>
using SumRows = void (*)(const Real* x, const HubTail::HubId* ids, const std::uint32_t* counts, std::size_t rows,
                         Real* sums);
template <class Real>
SumRows<Real> pagerank_sum_rows(Isa isa);

template <class Real>
class PageRankLocal {
 public:
  /// InputError if the graph is spread over several ranks.
  explicit PageRankLocal(const Graph& graph);
  PageRankLocal(const PageRankLocal&) = delete;
  PageRankLocal& operator=(const PageRankLocal&) = delete;

  /// InputError, before any work, if an option is out of its range.
  void run(const PageRankOptions& options, PageRankResult<Real>& result);
  std::size_t memory_bytes() const;

 private:
  struct alignas(128) Thread {
    Array<Real> pushed;  // [hub] what this thread's tail rows have sent it
    double change = 0, dangling = 0;
  };
  struct Step;  // the constants of one iteration
  void start(const PageRankOptions& options);
  void sweep(const Step& step);
  void tail_rows(const Step& step, const HubTail::Chunk& chunk, Thread& thread);
  void hub_rows(const Step& step, const HubTail::Chunk& chunk, Thread& thread);
  double finish(const Step& step, std::size_t v, Real sum);
  double dangling_mass();
  void write(const PageRankOptions& options, Array<Real>& score);

  const Graph& graph_;
  Team& team_;
  const HubTail rows_;
  const SumRows<Real> sum_rows_;
  Array<Local> position_of_;        // [natural] -1: without edges
  std::vector<Local> dangling_;     // positions without a leaving edge
  Array<Real> inverse_;             // [position] 1 / outdegree, or 0
  Array<Real> personal_;            // [position] share of the personalisation; empty: 1/n
  Array<Real> rank_, sent_, next_;  // [position] x; x / outdegree, now and after the iteration
  std::vector<Thread> threads_;
  double total_ = 0;        // of the personalisation as given
  double apart_share_ = 0;  // of p, that of vertices without edges
  double apart_ = 1;        // their x is this times p
};

}  // namespace atl
