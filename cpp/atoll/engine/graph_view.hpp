// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/partition/vertex_cut.hpp>
#include <vector>

namespace atl {

/// The part of a graph that a rank has, as its edges are cut: rows, and the mirrors that take part in exchanges.
///
///     const GraphView view = GraphView::of(graph, CutRows::targets);   // collective where the cut is not made yet
///     MirrorExchange<float, SumOf> exchange(view);
///     for (Local u : view.rows->neighbours(v)) ...
///
/// Refers to the graph (or the vertex-cut), which outlives it. An owner's mirrors of several groups are contiguous.
struct GraphView {
  World* world;
  Local first_mirror, locals;
  const Csr* rows;                            ///< edges; of an edge-cut masters', of a vertex-cut mirrors' too
  std::vector<const Mirrors*> written, read;  ///< mirrors to reduce; mirrors to broadcast to
  const VertexCut* cut = nullptr;             ///< the vertex-cut, if it is one

  /// By the graph's cut(): of a vertex-cut, the mirrors needed by operators that read the sources of edges and write
  /// their targets.
  static GraphView of(const Graph& graph, CutRows rows) {
    return graph.cut().cut() == Cut::edge ? all_of(graph, rows) : along_edges(graph.vertex_cut(rows));
  }
  /// The edge-cut, and all its mirrors in both directions.
  static GraphView all_of(const Graph& graph, CutRows rows = CutRows::sources) {
    const Mirrors& mirrors = graph.mirrors();
    return {.world = &graph.world(),
            .first_mirror = mirrors.begin[0],
            .locals = graph.locals(),
            .rows = rows == CutRows::sources ? &graph.out() : &graph.in(),
            .written = {&mirrors},
            .read = {&mirrors}};
  }
  /// A vertex-cut, and all its mirrors in both directions.
  static GraphView all_of(const VertexCut& cut) {
    using enum VertexCut::Kind;
    const std::vector<const Mirrors*> all{&cut.mirrors(only_read), &cut.mirrors(both), &cut.mirrors(only_written)};
    return of_cut(cut, all, all);
  }
  static GraphView along_edges(const VertexCut& cut) {
    using enum VertexCut::Kind;
    return of_cut(cut, {&cut.mirrors(both), &cut.mirrors(only_written)}, {&cut.mirrors(only_read), &cut.mirrors(both)});
  }
  /// The same for operators that read the targets of edges and write their sources.
  static GraphView against_edges(const VertexCut& cut) {
    GraphView view = along_edges(cut);
    std::swap(view.written, view.read);
    return view;
  }

 private:
  static GraphView of_cut(const VertexCut& cut, std::vector<const Mirrors*> written, std::vector<const Mirrors*> read) {
    return {.world = &cut.world(),
            .first_mirror = cut.first_mirror(),
            .locals = cut.locals(),
            .rows = &cut.rows(),
            .written = std::move(written),
            .read = std::move(read),
            .cut = &cut};
  }
};

}  // namespace atl
