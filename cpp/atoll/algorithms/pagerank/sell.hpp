// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/pagerank/length_sorted_rows.hpp>
#include <atoll/algorithms/pagerank/variant.hpp>

/// PageRank on one rank for graphs whose vertex values fit the caches of a core: every target sums over all its
/// entering edges (LengthSortedRows). One thread iterates small graphs.
namespace atl {

template <class Real>
class SellPageRank final : public PageRankVariant<Real> {
 public:
  static bool suits(const Graph& graph);
  explicit SellPageRank(const Graph& graph);
  std::size_t memory_bytes() const override { return PageRankVariant<Real>::memory_bytes() + rows_.memory_bytes(); }

 private:
  using Step = typename PageRankVariant<Real>::Step;

  void update_mirrors() override {}
  void sweep(const Step& step) override;

  LengthSortedRows rows_;
};

}  // namespace atl
