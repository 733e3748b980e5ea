// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/paths/path_sum.hpp>
#include <atoll/apsp/replicated_csr.hpp>
#include <atoll/base/parallel.hpp>
#include <atoll/matrix/matrix.hpp>
#include <utility>

/// Paths, found again from distances: nothing but D and the arcs is stored.
///
///     PathFinder<float> finder(arcs);
///     finder.path(u, v, d.view().row(u));                     // {u, ..., v}; empty where there is none
///     finder.k_best(u, v, 3, d.view().row(u));                // and the next best ones
///     find_paths(team, finder, d.view(), pairs);              // of many pairs
///
/// The last vertex p before v is one with D(u, p) + w(p, v) = D(u, v), and so on back to u. Integers: exactly so. Floats:
/// where D was added up from u on (search_rows), the rounded sum is equal too; else p is the one that comes closest, at most
/// kPathSlack * |D(u, v)| away, else the distances are not those of these arcs (InputError). Where weights of 0 or below
/// could lead in circles (or floats so small that they vanish in D), vertices are visited once.
namespace atl {

template <class T>
inline constexpr double kPathSlack = std::is_same_v<T, float>    ? 0x1p-13
                                     : std::is_same_v<T, double> ? 0x1p-42
                                                                 : 0.0;

template <class T>
struct KnownPath {
  std::vector<Local> vertices;
  PathLength<T> length{};  ///< the sum of its weights
};

/// Reads only: any number of threads may ask.
template <class T>
class PathFinder {
 public:
  using Length = PathLength<T>;
  explicit PathFinder(const ReplicatedCsr<T>& arcs) : in_(arcs.reversed()) {}
  /// Of arcs that are turned round already.
  static PathFinder of_reversed(ReplicatedCsr<T> in) { return PathFinder(std::move(in), Reversed{}); }

  Vertex vertices() const { return in_.vertices(); }
  const ReplicatedCsr<T>& entering() const { return in_; }

  /// A shortest path, both ends included. `from_u` are the distances from u. Microseconds: it looks at the entering arcs
  /// of the path's vertices.
  std::vector<Local> path(Local u, Local v, std::span<const T> from_u) const;
  /// The same, appended to `out` (whose memory is used again): how many vertices.
  std::size_t append_path(Local u, Local v, std::span<const T> from_u, std::vector<Local>& out) const;

  /// The k shortest paths without a vertex twice, lengths ascending; fewer where there are no more. Yen's [1], backwards
  /// from v, with D as the exact estimate of what is left: a candidate is only searched for when its bound is the least.
  /// [1] J. Yen. "Finding the k shortest loopless paths in a network." Management Science 17(11), 1971.
  /// `between` is called between candidates; what it throws ends the search.
  std::vector<KnownPath<T>> k_best(Local u, Local v, int k, std::span<const T> from_u,
                                   const std::function<void()>& between = {}) const;

  /// What the weights along a path add up to; InputError where there is no such arc.
  Length length(std::span<const Local> path) const;

 private:
  struct Reversed {};
  PathFinder(ReplicatedCsr<T> in, Reversed) : in_(std::move(in)) {}
  bool descend(Local u, Local v, std::span<const T> from_u, std::vector<Local>& out) const;
  bool search(Local u, Local v, std::span<const T> from_u, std::vector<Local>& out) const;
  [[noreturn]] void refuse(Local u, Local v, T distance) const;
  void check_asked(Local u, Local v, std::size_t row) const;

  ReplicatedCsr<T> in_;
};

/// Paths of many pairs, one after another: path i is vertices[offsets[i] .. offsets[i + 1]), empty where there is none.
struct PathList {
  std::vector<Edge> offsets;
  std::vector<Local> vertices;
};

using VertexPair = std::pair<Local, Local>;

/// The pairs are dealt out to the threads. d: all distances.
template <class T>
PathList find_paths(Team& team, const PathFinder<T>& finder, MatrixView<const T> d, std::span<const VertexPair> pairs);

/// (i, j) -> the vertex after i on a shortest path to j; -1 where there is none, and i = j. Going from vertex to vertex
/// by it ends at j. O(n^2) memory: for dense graphs, where many paths are asked for. Floats: the first arc is the one that
/// comes closest; InputError where weights are so small beside the distances that none leads nearer.
template <class T>
Matrix<Local> next_hops(Team& team, const ReplicatedCsr<T>& arcs, MatrixView<const T> d);

}  // namespace atl
