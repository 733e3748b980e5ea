// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/replicated_csr.hpp>
#include <atoll/base/parallel.hpp>
#include <atoll/matrix/matrix.hpp>

/// Less to compute: the connected components one by one, each without the trees that hang from it.
///
///     PendantTrees<float> trees = remove_pendant_trees(arcs);
///     Matrix<float> d(n, n);                                               // one matrix is enough
///     for (std::size_t c = 0; c < trees.cores.size(); ++c) all_pairs(core_arcs(arcs, trees, c), trees.part(d.view(), c));
///     expand(team, trees, d.view());                                     // in place
///
/// A vertex that has one neighbour is no other pair's way: it is taken off, again and again until each of those that are
/// left has two or more (or is alone). With n_c vertices left of a component, sum n_c^3 takes the place of n^3.
namespace atl {

enum class PendantTreeRemoval : bool { no, yes };

/// A vertex taken off, and the neighbour that it hung from. Undirected: both weights are the edge's; directed: kNoPath
/// where there is no such arc.
template <class T>
struct PendantVertex {
  Local vertex = 0, anchor = 0;
  T there{};  ///< from the anchor to the vertex
  T back{};   ///< from the vertex to the anchor
};

template <class T>
struct PendantTrees {
  std::vector<Local> component;            ///< [vertex] number of its component (directions do not matter)
  std::vector<std::vector<Local>> cores;   ///< [component] vertices that are left, ascending: at least one
  std::vector<std::int64_t> first_row;     ///< [component] where its core lies until all is expanded
  std::vector<PendantVertex<T>> pendants;  ///< in the order in which they fell: an anchor falls later, or never

  Vertex vertices() const { return static_cast<Vertex>(component.size()); }
  /// sum n_c^3: what Floyd-Warshall has to do where n^3 was.
  double work() const;
  double whole_work() const {
    return static_cast<double>(vertices()) * static_cast<double>(vertices()) * static_cast<double>(vertices());
  }
  bool nothing_peeled() const { return cores.size() == 1 && pendants.empty(); }
  /// The place of a core's distances in the matrix of all: rows of their own, from column 0 on. A core of one vertex has
  /// none.
  MatrixView<T> part(MatrixView<T> d, std::size_t component) const {
    const auto size = static_cast<std::int64_t>(cores[component].size());
    return size > 1 ? d.part(first_row[component], 0, size, size) : MatrixView<T>{};
  }
};

/// Local; O(n + m). InputError if a vertex and its anchor are a negative cycle.
template <class T>
PendantTrees<T> remove_pendant_trees(const ReplicatedCsr<T>& arcs);
/// All vertices as one core, connected or not: nothing is taken apart.
template <class T>
PendantTrees<T> without_removal(const ReplicatedCsr<T>& arcs);

/// The arcs between the vertices of one core, which are 0 .. n_c-1 in ascending order of ids.
template <class T>
ReplicatedCsr<T> core_arcs(const ReplicatedCsr<T>& arcs, const PendantTrees<T>& trees, std::size_t component);

/// d <- all distances, from those within the cores, each in its part of d. Every row is written once, by what one row that is
/// there holds. Memory beside d: some hundred rows, and lists of 40 bytes a vertex.
template <class T>
void expand(Team& team, const PendantTrees<T>& trees, MatrixView<T> d);

}  // namespace atl
