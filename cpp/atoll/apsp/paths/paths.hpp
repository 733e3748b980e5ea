// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/arcs/path_sum.hpp>
#include <atoll/apsp/arcs/replicated_csr.hpp>
#include <atoll/base/parallel.hpp>
#include <atoll/matrix/matrix.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

/// Reconstructs paths from the distances D and the arcs; no predecessors are stored.
///
///     PathFinder<float> finder(arcs);
///     finder.path(u, v, d.view().row(u));                     // {u, ..., v}; empty if there is none
///     finder.k_best(u, v, 3, d.view().row(u));                // the three best paths
///     find_paths(team, finder, d.view(), pairs);              // of many pairs
///
/// The last vertex p before v satisfies D(u, p) + w(p, v) = D(u, v), and so on back to u. For integers the equation is
/// exact. For floats the rounded sum is equal if D was added up from u on (search_rows). Otherwise p is the vertex that
/// comes closest, at most kPathSlack * |D(u, v)| away; if there is none, the distances do not belong to these arcs
/// (InputError). If weights of 0 or below could lead in circles (or floats so small that they vanish in D), each vertex
/// is visited once.
namespace atl {

template <class T>
inline constexpr double kPathSlack = std::is_same_v<T, float>    ? 0x1p-13
                                     : std::is_same_v<T, double> ? 0x1p-42
                                                                 : 0.0;

template <class T>
struct KnownPath {
  std::vector<Local> vertices;
  PathSum<T> length{};  ///< the sum of its weights
};

template <class T>
class SimplePaths;

/// Read-only: any number of threads may call it.
template <class T>
class PathFinder {
 public:
  using Length = PathSum<T>;
  explicit PathFinder(const ReplicatedCsr<T>& arcs) : in_(arcs.reversed()) {}

  Vertex vertices() const { return in_.vertices(); }
  const ReplicatedCsr<T>& entering() const { return in_; }
  /// The arcs as they were given; of a directed graph made again when they are first asked for.
  const ReplicatedCsr<T>& leaving() const;

  /// A shortest path, both ends included. `from_u` are the distances from u. Takes microseconds: it scans the incoming
  /// arcs of the path's vertices.
  std::vector<Local> path(Local u, Local v, std::span<const T> from_u) const;
  /// The same, appended to `out` (whose memory is reused); returns the number of vertices.
  std::size_t append_path(Local u, Local v, std::span<const T> from_u, std::vector<Local>& out) const;

  /// The k shortest loopless paths, by ascending length; fewer if there are no more: the first of SimplePaths.
  /// `keep_on` may end the search; what was found until then is returned.
  std::vector<KnownPath<T>> k_best(Local u, Local v, int k, std::span<const T> from_u,
                                   const std::function<bool()>& keep_on = {}) const;

  /// The sum of the weights along a path; InputError if an arc is missing.
  Length length(std::span<const Local> path) const;

 private:
  friend class SimplePaths<T>;
  bool descend(Local u, Local v, std::span<const T> from_u, std::vector<Local>& out) const;
  bool search(Local u, Local v, std::span<const T> from_u, std::vector<Local>& out) const;
  [[noreturn]] void refuse(Local u, Local v, T distance) const;
  void check_asked(Local u, Local v, std::size_t row) const;

  struct Leaving {
    std::once_flag once;
    ReplicatedCsr<T> arcs;
  };
  ReplicatedCsr<T> in_;
  std::unique_ptr<Leaving> leaving_ = std::make_unique<Leaving>();
};

/// The loopless paths from u to v one after the other, by ascending length; each takes the time of its own search.
///
///     SimplePaths<float> all(finder, u, v, d.view().row(u));
///     while (const auto path = all.next()) use(path->vertices, path->length);
///
/// Yen's algorithm [1], backwards from v, with D as the exact estimate of the remaining length: a candidate is searched
/// only when its bound is the least. The finder and the row must outlive it.
/// [1] J. Yen. "Finding the k shortest loopless paths in a network." Management Science 17(11), 1971.
template <class T>
class SimplePaths {
 public:
  SimplePaths(const PathFinder<T>& finder, Local u, Local v, std::span<const T> from_u);
  ~SimplePaths();
  SimplePaths(SimplePaths&&) noexcept;

  /// Empty if there is no further one. `keep_on` is called between candidates and every 256 vertices of a search: false
  /// ends the search for good; so does an exception, which is passed on.
  std::optional<KnownPath<T>> next(const std::function<bool()>& keep_on = {});

 private:
  class Search;
  std::unique_ptr<Search> search_;
};

/// Paths of many pairs, concatenated: path i is vertices[offsets[i] .. offsets[i + 1]), empty if there is none.
struct PathList {
  std::vector<Edge> offsets;
  std::vector<Local> vertices;
};

using VertexPair = std::pair<Local, Local>;

/// Finds the pairs' paths with all threads. d: all distances.
template <class T>
PathList find_paths(Team& team, const PathFinder<T>& finder, MatrixView<const T> d, std::span<const VertexPair> pairs);

/// (i, j) -> the next vertex after i on a shortest path to j; -1 if there is none, or i = j. Following it always ends
/// at j. O(n^2) memory: for dense graphs and many queries. Floats: the first arc is the one that comes closest;
/// InputError if weights are so small beside the distances that no arc leads nearer.
template <class T>
Matrix<Local> next_hops(Team& team, const ReplicatedCsr<T>& arcs, MatrixView<const T> d);

}  // namespace atl
