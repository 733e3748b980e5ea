// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/pagerank/variant.hpp>
#include <atoll/engine/mirror_exchange.hpp>

/// The variant of class PageRank for a graph whose cut() is a vertex-cut.
namespace atl {

/// Positions are local numbers.
template <class Real>
class VertexCutPageRank final : public PageRankVariant<Real> {
 public:
  /// Collective.
  VertexCutPageRank(const Graph& graph, Transition transition);
  std::size_t memory_bytes() const override;

 private:
  using Variant = PageRankVariant<Real>;
  using Step = typename Variant::Step;

  void update_mirrors() override;
  void sweep(const Step& step) override;

  const VertexCut& cut_;
  MirrorExchange<Real, SumOf> exchange_;
  Array<Real> probability_;  // [entry of the rows] w(u, v) / w(u), by weight; else empty
};

}  // namespace atl
