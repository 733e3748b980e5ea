// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/pagerank/variant.hpp>
#include <atoll/engine/mirror_exchange.hpp>

/// PageRank whose walk takes edges by weight, over any ranks and routes: each iteration broadcasts the masters' values to
/// their mirrors, and every master sums over its entering edges.
namespace atl {

/// Positions are local numbers.
template <class Real>
class PageRankWeighted final : public PageRankVariant<Real> {
 public:
  /// Collective.
  explicit PageRankWeighted(const Graph& graph);
  std::size_t memory_bytes() const override;

 private:
  using Variant = PageRankVariant<Real>;
  using Step = typename Variant::Step;

  void update_mirrors() override;
  void sweep(const Step& step) override;

  MirrorExchange<Real, SumOf> exchange_;
  Array<Real> probability_;          // [entry of in()] w(u, v) / w(u)
  std::vector<std::size_t> chunks_;  // first rows of pieces of about as many edges, and the end
};

}  // namespace atl
