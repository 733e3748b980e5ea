// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/store/distance_file.hpp>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace atl {

class Team;

/// Questions about a file of all pairs' distances: by original ids, one by one or in bulk.
///
///     DistanceQueries queries(std::make_shared<DistanceFile>("d.npy"));
///     queries.path(17, 42);                                  // {17, ..., 42}; empty: there is none
///     queries.k_best(17, 42, 5, {.limit_s = 0.01}).paths;    // those that were found in time
///     queries.distances(team, from, to);                     // [i]: from from[i] to to[i]
///
/// Paths are found again from the distances and the arcs (PathFinder), which are turned round when the first is asked
/// for: O(m), once. Lengths are in the units of DistanceFile::distance(). In bulk, questions are taken in the order of
/// their first vertex, so that a row of tiles is put together once for all that begin there.
///
/// Any number of threads may ask. Throws InputError: no such id; for paths, hops and neighbours, a file that was written
/// without arcs, and for all but neighbours one that does not hold min_plus; arcs that are not those of the distances.
class DistanceQueries {
 public:
  explicit DistanceQueries(std::shared_ptr<const DistanceFile> file);
  ~DistanceQueries();
  DistanceQueries(DistanceQueries&&) noexcept;

  const std::shared_ptr<const DistanceFile>& file() const { return file_; }

  /// [i]: DistanceFile::distance(from[i], to[i]).
  std::vector<double> distances(Team& team, std::span<const Vertex> from, std::span<const Vertex> to) const;

  /// A shortest path, both ends included.
  std::vector<Vertex> path(Vertex u, Vertex v) const;
  /// Path i is vertices[offsets[i] .. offsets[i + 1]), empty if there is none.
  struct Paths {
    std::vector<Edge> offsets;
    std::vector<Vertex> vertices;
  };
  Paths paths(Team& team, std::span<const Vertex> from, std::span<const Vertex> to) const;

  /// [i]: the vertex after from[i] on that path to to[i]; -1: there is no path, or the two are one.
  std::vector<Vertex> next_hops(Team& team, std::span<const Vertex> from, std::span<const Vertex> to) const;

  struct Best {
    struct Path {
      double length;
      std::vector<Vertex> vertices;
    };
    std::vector<Path> paths;  ///< by ascending length
    bool is_complete = true;  ///< false: the time was over before k were found, or there were known to be fewer
  };
  struct Limits {
    double limit_s = std::numeric_limits<double>::infinity();  ///< how long to look for paths
    std::function<void()> ask = {};  ///< called as often as the clock is read; what it throws ends the search
  };
  /// The k shortest paths without a vertex twice. The limit holds but for the moment between two looks at the clock:
  /// what one candidate takes, or 256 vertices of a search. Throws InputError where k > 1 and the distances' type does
  /// not hold the lengths of all arcs.
  Best k_best(Vertex u, Vertex v, int k, const Limits& limits) const;
  Best k_best(Vertex u, Vertex v, int k) const { return k_best(u, v, k, Limits()); }

  /// The heads of the arcs that leave u, ascending, and the arcs' lengths.
  struct Neighbors {
    std::vector<Vertex> ids;
    std::vector<double> lengths;
  };
  Neighbors neighbors(Vertex u) const;

 private:
  struct Finder;
  template <class F>
  void each_pair(Team& team, std::span<const Vertex> from, std::span<const Vertex> to, F&& f) const;

  std::shared_ptr<const DistanceFile> file_;
  std::unique_ptr<Finder> finder_;
};

}  // namespace atl
