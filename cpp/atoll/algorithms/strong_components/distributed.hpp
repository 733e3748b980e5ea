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
/// Memory: six words a local vertex, both programs' bits and exchanges, and over a vertex-cut this rank's edges once
/// more.
class DistributedStrongComponents final : public StrongComponentsSearch {
 public:
  explicit DistributedStrongComponents(const Graph& graph);
  void run(StrongComponentsResult& result) override;
  std::size_t memory_bytes() const override;

 private:
  using Color = std::uint64_t;
  static constexpr Color kNone = 0;

  void separate_component_of_pivot();
  Local pivot() const;
  Color color_named_by(Local v) const;
  void color_by_ancestors();
  void collect_components();
  bool any_left() const;
  void name_components(StrongComponentsResult& result);
  template <class Program, class Message>
  void run_to_end(Program& program, Message&& message);

  const Graph& graph_;
  World& world_;
  VertexProgram<Color, MaxOf> forward_, backward_;
  Array<Color> part_;       // [local] of vertices whose component is not known: paths between them stay in the part
  Array<Color> component_;  // [local] the color of the component; kNone while it is not known
};

}  // namespace atl
