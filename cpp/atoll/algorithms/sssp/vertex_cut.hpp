// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/sssp/sssp.hpp>
#include <atoll/algorithms/sssp/tree.hpp>
#include <atoll/engine/vertex_program.hpp>

/// Shortest paths over a graph whose cut() is a vertex-cut. Memory beside the graph and the cut: the vertex program's,
/// and a distance for each local vertex of the edge-cut with an exchange of them.
namespace atl {

/// Sum: see DeltaStepping.
template <class Real, class Sum = Real>
class VertexCutSssp {
 public:
  /// Collective. The graph's weights must be Real or narrower, finite and not negative.
  explicit VertexCutSssp(const Graph& graph, const SsspOptions& options = {});
  VertexCutSssp(const VertexCutSssp&) = delete;
  VertexCutSssp& operator=(const VertexCutSssp&) = delete;

  /// Collective. InputError, the same on all ranks, if no vertex has the id `source`.
  void run(Vertex source, SsspResult<Real>& result);
  std::size_t memory_bytes() const;

 private:
  static constexpr Sum kUnreached = kSsspUnreached<Sum>;

  Sum end_of_bucket(Sum distance) const;

  const Graph& graph_;
  World& world_;
  const bool tree_;
  VertexProgram<Sum, MinOf> distance_;
  MirrorExchange<Sum, MinOf> edge_cut_;
  double delta_ = 1;
  Array<Sum> edge_cut_distance_;  // [local vertex of the graph]
};

}  // namespace atl
