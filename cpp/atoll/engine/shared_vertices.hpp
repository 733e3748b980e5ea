// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/partition/vertex_cut.hpp>
#include <vector>

namespace atl {

/// The mirrors that take part in an exchange, of a graph or a vertex-cut that outlives this. An owner's mirrors of
/// several groups are contiguous.
struct SharedVertices {
  World* world;
  Local first_mirror, locals;
  std::vector<const Mirrors*> written, read;  ///< mirrors to reduce; mirrors to broadcast to

  /// All mirrors, in both directions.
  static SharedVertices all_of(const Graph& graph) {
    const Mirrors& mirrors = graph.mirrors();
    return {&graph.world(), mirrors.begin[0], graph.locals(), {&mirrors}, {&mirrors}};
  }
  static SharedVertices all_of(const VertexCut& cut) {
    using enum VertexCut::Kind;
    const std::vector<const Mirrors*> all{&cut.mirrors(only_read), &cut.mirrors(both), &cut.mirrors(only_written)};
    return {&cut.graph().world(), cut.first_mirror(), cut.locals(), all, all};
  }
  /// Mirrors needed by operators that read the sources of edges and write their targets.
  static SharedVertices along_edges(const VertexCut& cut) {
    using enum VertexCut::Kind;
    return {&cut.graph().world(),
            cut.first_mirror(),
            cut.locals(),
            {&cut.mirrors(both), &cut.mirrors(only_written)},
            {&cut.mirrors(only_read), &cut.mirrors(both)}};
  }
};

}  // namespace atl
