// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/engine/id_ordered_rows.hpp>
#include <atoll/engine/vertex_lookup.hpp>
#include <atoll/verify/violations.hpp>
#include <map>
#include <vector>

namespace atl {

/// Edges of a vertex that a claim names, by the original ids of their other ends, ascending; kNoVertex: none.
struct DrawnEdges {
  Vertex vertex;  // original id
  std::vector<Vertex> ends;
};

/// Lets the owners of vertices check what ranks claim of their edges.
///
///     DrawnEdgeCheck check(graph, graph.out(), weighting);
///     check.ask(claims, [&](Vertex id, std::span<const Vertex> ends, const std::map<Vertex, Edge>& edges) { .. });
///
/// f is called on the owner, with how many edges that count lead to each other end; it notes violations. A vertex that
/// does not exist is rule 1's.
class DrawnEdgeCheck {
 public:
  DrawnEdgeCheck(const Graph& graph, const Csr& lists, EdgeWeighting weighting)
      : graph_(graph), rows_(graph, lists, weighting), lookup_(graph.world(), graph.ids()) {}

  template <class F>
  void ask(const std::vector<DrawnEdges>& claims, Violations& violations, F&& f) const {
    World& world = graph_.world();
    std::vector<Vertex> ids;
    for (const DrawnEdges& claim : claims) ids.push_back(claim.vertex);
    const Array<Vertex> dense = lookup_.dense_of(ids);
    // A message is a vertex, how many ends it has, and these, again and again.
    std::vector<std::vector<Vertex>> asked(static_cast<std::size_t>(world.size()));
    for (std::size_t k = 0; k < claims.size(); ++k) {
      if (dense[k] < 0) {
        violations.note({.rule = 1, .a = claims[k].vertex});
        continue;
      }
      auto& message = asked[static_cast<std::size_t>(graph_.blocks().owner(dense[k]))];
      message.push_back(dense[k]);
      message.push_back(static_cast<Vertex>(claims[k].ends.size()));
      message.insert(message.end(), claims[k].ends.begin(), claims[k].ends.end());
    }
    const Vertex begin = graph_.blocks().begin(world.rank());
    for (const auto& message : world.exchange(std::move(asked)))
      for (std::size_t at = 0; at < message.size();) {
        const Local v = graph_.local_of(message[at] - begin);
        const std::span<const Vertex> ends(message.data() + at + 2, static_cast<std::size_t>(message[at + 1]));
        f(graph_.id_of(v), ends, edges_of(v));
        at += 2 + ends.size();
      }
  }

 private:
  std::map<Vertex, Edge> edges_of(Local v) const {
    std::map<Vertex, Edge> edges;
    for (std::size_t k = 0; k < rows_.targets(v).size(); ++k)
      if (!rows_.weighted() || rows_.weights(v)[k] > 0) ++edges[graph_.id_of(rows_.targets(v)[k])];
    return edges;
  }

  const Graph& graph_;
  const IdOrderedRows rows_;
  const VertexLookup lookup_;
};

}  // namespace atl
