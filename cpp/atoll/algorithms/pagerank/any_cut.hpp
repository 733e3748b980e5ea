// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/pagerank/variant.hpp>
#include <atoll/engine/neighbor_sums.hpp>

/// PageRank without a layout of its own, over any cut: uniform over a vertex-cut, and by weight. Over a vertex-cut it is
/// gather, apply, scatter [1]: each rank sums over its edges into its vertices, mirrors included, and the mirrors' sums
/// are reduced to their masters (gather); masters compute their new rank (apply) and broadcast it to the mirrors that
/// edges leave (scatter).
///
/// [1] J. Gonzalez et al. "PowerGraph: Distributed graph-parallel computation on natural graphs." OSDI 2012.
namespace atl {

/// Positions are local numbers.
template <class Real>
class AnyCutPageRank final : public PageRankVariant<Real> {
 public:
  /// Collective.
  AnyCutPageRank(const Graph& graph, Transition transition);
  std::size_t memory_bytes() const override;

 private:
  using Variant = PageRankVariant<Real>;
  using Step = typename Variant::Step;

  void update_mirrors() override;
  void sweep(const Step& step) override;

  NeighborSums<Real> sums_;  // by weight, its factors are w(u, v) / w(u)
};

}  // namespace atl
