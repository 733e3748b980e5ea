// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/truss/peeling.hpp>
#include <atoll/graph/graph.hpp>
#include <optional>
#include <vector>

namespace atl {

/// Trussness of the edges of a graph over ranks that fits on rank 0, which peels. Used by class TrussNumbers.
///
///     GatheredTrussPeeling peeling(graph);     // collective, as is run()
///     peeling.run(of_edge);                    // of this rank's edges, in the order of for_each_edge(); as many values
///
/// Memory on rank 0: kBytesPerEdge for each edge of the graph, and some 50 bytes for each vertex.
class GatheredTrussPeeling {
 public:
  static constexpr double kBytesPerEdge = 70;

  explicit GatheredTrussPeeling(const Graph& graph);

  void run(Array<Vertex>& of_edge);
  std::size_t memory_bytes() const;

 private:
  struct Ends {
    Local a, b;
  };
  void gather();

  const Graph& graph_;
  World& world_;
  std::vector<std::vector<Ends>> edges_;  // [rank] on rank 0, between vertices that are numbered by falling degree
  std::optional<TrussPeeling> peeling_;   // on rank 0
};

}  // namespace atl
