// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/arcs/replicated_csr.hpp>
#include <atoll/base/parallel.hpp>
#include <atoll/matrix/matrix.hpp>

/// Reduces the work of all pairs: connected components are computed one by one, without their pendant trees.
///
///     PendantTrees<float> trees = remove_pendant_trees(arcs);
///     Matrix<float> d(n, n);                                               // one matrix is enough
///     for (std::size_t c = 0; c < trees.cores.size(); ++c) all_pairs(core_arcs(arcs, trees, c), trees.part(d.view(), c));
///     expand(team, trees, d.view());                                     // in place
///
/// No shortest path between other vertices passes through a vertex with one neighbour, so it is removed, repeatedly,
/// until each remaining vertex has two or more neighbours (or is a single one). With n_c vertices left in component c,
/// the work is sum n_c^3 in place of n^3.
namespace atl {

enum class PendantTreeRemoval : bool { no, yes };

/// A removed vertex and its anchor, the neighbour it was attached to. Undirected: both weights are the edge's;
/// directed: kNoPath if there is no such arc.
template <class T>
struct PendantVertex {
  Local vertex = 0, anchor = 0;
  T there{};  ///< from the anchor to the vertex
  T back{};   ///< from the vertex to the anchor
};

template <class T>
struct PendantTrees {
  std::vector<Local> component;            ///< [vertex] number of its component (directions do not matter)
  std::vector<std::vector<Local>> cores;   ///< [component] remaining vertices, ascending; at least one
  std::vector<std::int64_t> first_row;     ///< [component] first row of its core's distances until expand()
  std::vector<PendantVertex<T>> pendants;  ///< in the order of removal: an anchor is removed later, or never

  Vertex vertices() const { return static_cast<Vertex>(component.size()); }
  /// sum n_c^3: the work of Floyd-Warshall in place of n^3.
  double work() const;
  double whole_work() const {
    return static_cast<double>(vertices()) * static_cast<double>(vertices()) * static_cast<double>(vertices());
  }
  bool nothing_peeled() const { return cores.size() == 1 && pendants.empty(); }
  /// A core's distances in the whole matrix: in rows of their own, from column 0 on. Empty for a core of one vertex.
  MatrixView<T> part(MatrixView<T> d, std::size_t component) const {
    const auto size = static_cast<std::int64_t>(cores[component].size());
    return size > 1 ? d.part(first_row[component], 0, size, size) : MatrixView<T>{};
  }
};

/// Local; O(n + m). Throws InputError if a vertex and its anchor form a negative cycle.
template <class T>
PendantTrees<T> remove_pendant_trees(const ReplicatedCsr<T>& arcs);
/// All vertices as one core, connected or not: nothing is removed.
template <class T>
PendantTrees<T> without_removal(const ReplicatedCsr<T>& arcs);

/// The arcs between the vertices of one core, renumbered 0 .. n_c-1 in ascending order of ids.
template <class T>
ReplicatedCsr<T> core_arcs(const ReplicatedCsr<T>& arcs, const PendantTrees<T>& trees, std::size_t component);

/// d <- all distances, computed from those within the cores, each in its part of d. Every row is written once, from one
/// row that is already there. Memory beside d: some hundred rows, and lists of 40 bytes per vertex.
template <class T>
void expand(Team& team, const PendantTrees<T>& trees, MatrixView<T> d);

}  // namespace atl
