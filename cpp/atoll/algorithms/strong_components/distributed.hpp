// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/strong_components/search.hpp>
#include <atoll/engine/vertex_program.hpp>

namespace atl {

/// Strongly connected components over ranks and any cut, by vertex programs that follow edges in both directions.
///
///     DistributedStrongComponents search(graph);     // collective, as is run()
///     search.run(result);
///
/// Memory: seven words a local vertex, the programs' bits and exchanges, and over a vertex-cut this rank's edges once
/// more; on rank 0 also Plan::replicated_bytes at most, for what is left behind the component of one vertex.
class DistributedStrongComponents final : public StrongComponentsSearch {
 public:
  explicit DistributedStrongComponents(const Graph& graph);
  void run(StrongComponentsResult& result) override;
  std::size_t memory_bytes() const override;

 private:
  using Color = std::uint64_t;
  static constexpr Color kNone = 0;

  void separate_component_of_pivot(Array<Vertex>& names);
  Local pivot() const;
  Color color_named_by(Local v) const;
  bool any_left() const;
  bool fits_on_first_rank() const;
  void search_on_first_rank(Array<Vertex>& names);
  void color_by_ancestors();
  void collect_components();
  void name_colored(Array<Vertex>& names);
  template <class F>
  void for_arcs_left(F&& f) const;
  template <class Program, class Message>
  void run_to_end(Program& program, Message&& message);

  const Graph& graph_;
  World& world_;
  VertexProgram<Color, MaxOf> forward_, backward_;
  const GraphView view_;  // of the edges from their sources
  MirrorExchange<Vertex, MinOf> numbers_;
  Array<Color> part_;       // [local] of vertices whose component is not known: paths between them stay in the part
  Array<Color> component_;  // [local] the color of the component; kNone while it is not known
};

}  // namespace atl
