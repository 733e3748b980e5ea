// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/sssp/delta_stepping.hpp>
#include <atoll/algorithms/sssp/sssp.hpp>
#include <atoll/engine/vertex_program.hpp>

/// The form of class Sssp for a graph whose cut() is a vertex-cut. Memory beside the graph and the cut: 17 bytes a
/// local vertex, and the vertex program's.
namespace atl {

/// Sum: see DistributedSssp.
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

  Sum distance(std::size_t local) const { return distance_[static_cast<Local>(local)]; }
  Sum end_of_bucket(Sum distance) const;
  void find_parents(Local source);
  template <class F>
  void propose_parents(F&& f);
  Vertex update_has_parent(Local source);
  void write(SsspResult<Real>& result);

  const Graph& graph_;
  World& world_;
  Team& team_;
  VertexProgram<Sum, MinOf> distance_;
  const VertexCut& cut_;
  MirrorExchange<Vertex, MinOf> parents_;
  const std::size_t locals_;
  double delta_ = 1;
  Array<Vertex> id_, parent_;  // [local] original ids; parent_: the least id proposed so far
  Array<char> has_parent_;     // [local] has a parent, or is the source
  VertexBits changed_;         // vertices whose parent_ has to be sent
};

}  // namespace atl
