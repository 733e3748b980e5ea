// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/pagerank.hpp>
#include <atoll/engine/mirror_exchange.hpp>

/// PageRank over a vertex-cut: what class PageRank does where the graph asks for one. Memory beside the graph and the
/// cut: 2 numbers a local vertex, 3 a master.
namespace atl {

template <class Real>
class PageRankCut {
 public:
  /// Collective.
  explicit PageRankCut(const Graph& graph);
  PageRankCut(const PageRankCut&) = delete;
  PageRankCut& operator=(const PageRankCut&) = delete;

  /// Collective.
  void run(const PageRankOptions& options, PageRankResult<Real>& result);
  std::size_t memory_bytes() const;

 private:
  struct Totals {
    double change = 0, dangling = 0;
    Totals& operator+=(const Totals& other) {
      change += other.change;
      dangling += other.dangling;
      return *this;
    }
  };
  struct alignas(128) Thread {
    Totals totals;
  };

  Totals start(const PageRankOptions& options);
  void gather();
  Totals apply(double damping, double teleport);
  template <class F>
  Totals for_masters(F&& f);

  const Graph& graph_;
  World& world_;
  Team& team_;
  const VertexCut cut_;
  MirrorExchange<Real, SumOf> exchange_;
  const std::size_t owned_;
  Array<Real> inverse_;      // [master] 1 / outdegree, or 0
  Array<Real> rank_;         // [master]
  Array<Real> personal_;     // [master] share of the personalisation
  Array<Real> share_, sum_;  // [local] rank / outdegree; what enters
  std::vector<Thread> threads_;
};

}  // namespace atl
