// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/pagerank/form.hpp>
#include <atoll/algorithms/pagerank/length_sorted_rows.hpp>

/// PageRank on one rank for graphs whose vertex values fit the caches of a core: every target sums over all its
/// entering edges (LengthSortedRows). One thread iterates small graphs.
namespace atl {

template <class Real>
class PageRankRows final : public PageRankForm<Real> {
 public:
  static bool suits(const Graph& graph);
  explicit PageRankRows(const Graph& graph);
  std::size_t memory_bytes() const override { return PageRankForm<Real>::memory_bytes() + rows_.memory_bytes(); }

 private:
  using Step = typename PageRankForm<Real>::Step;

  void update_mirrors() override {}
  void sweep(const Step& step) override;

  LengthSortedRows rows_;
};

}  // namespace atl
