// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/mirror_exchange.hpp>
#include <vector>

namespace atl {

/// Core numbers over a vertex-cut, whose ranks each have some of the edges of a vertex.
///
///     VertexCutPeeling peeling(graph);      // collective: counts neighbours
///     const int rounds = peeling.run();     // collective
///     peeling.core_of(master);
///
/// Memory: 16 bytes a local vertex and 20 a master, what the exchange needs, and the cut, which the graph counts.
class VertexCutPeeling {
 public:
  /// The graph is undirected.
  explicit VertexCutPeeling(const Graph& graph);

  /// Returns the number of rounds, each a broadcast and a reduce.
  int run();
  Vertex core_of(Local master) const { return core_[master]; }
  std::size_t memory_bytes() const;

 private:
  void count_neighbours();
  void start();
  Vertex next_level();
  void remove_at_most(Vertex k);
  void count_down();
  void reduce_lost();
  void remove_newly_at_most(Vertex k);
  template <class F>
  void for_neighbours(Local v, F&& f) const;

  const Graph& graph_;
  World& world_;
  Team& team_;
  const VertexCut& cut_;
  MirrorExchange<Vertex, SumOf> exchange_;
  Array<Vertex> degree_;          // [master] distinct neighbours except itself
  Array<Vertex> left_;            // [master] neighbours not removed
  Array<Vertex> core_;            // [local] kPresent until it is removed; at mirrors that edges only enter always
  Array<Vertex> lost_;            // [local] neighbours removed that its master has not heard of
  std::vector<Local> remaining_;  // masters that are not removed, and some that are
  VertexBits fresh_;              // removed, and not yet taken from its neighbours here
  VertexBits gone_;               // removed, and taken from its neighbours here
  VertexBits touched_;            // with something in lost_
};

}  // namespace atl
