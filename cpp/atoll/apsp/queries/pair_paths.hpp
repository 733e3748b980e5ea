// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/path_length.hpp>
#include <atoll/graph/graph.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

/// The shortest simple paths between two vertices, one after the other, without the distances of all pairs.
///
///     PairPaths paths(graph, PathLength::weights);          // collective; the arcs are then on every rank
///     auto all = paths.between(17, 42);                     // a search from 17
///     while (const auto path = all.next()) use(path->length, path->vertices);
///     paths.k_shortest(17, 42, 3);
///     paths.all_shortest(17, 42, 1000);                     // those as short as the shortest, at most 1000
///
/// A search from the first vertex gives the distances by which Yen's algorithm is led (SimplePaths): the first path
/// costs that search, O(m log n), each further one mostly far less. A simple path has no vertex twice. Paths of equal
/// length come in an order that depends on nothing but the graph: every rank that asks gets the same.
///
/// Memory: the arcs twice, on every rank: 16 bytes an arc where all lengths are whole and below 2^29, else 24.
namespace atl {

class PairPaths {
  class Arcs;  // by the type of lengths
  template <class T>
  class ArcsOf;

 public:
  struct Path {
    double length;  ///< arcs, or the sum of their weights
    std::vector<Vertex> vertices;
  };
  /// Called between candidates and every 256 vertices of a search: false ends it; so does an exception, which is passed
  /// on.
  using KeepOn = std::function<bool()>;

  /// The paths between two vertices, by ascending length. It keeps the arcs alive.
  class Sequence {
   public:
    class Search;
    Sequence(std::unique_ptr<Search> search, double slack);
    ~Sequence();
    Sequence(Sequence&&) noexcept;
    /// Empty if there is none left.
    std::optional<Path> next(const KeepOn& keep_on = {});
    /// The same; empty if the next one is longer than the first, but for the rounding of sums.
    std::optional<Path> next_shortest(const KeepOn& keep_on = {});

   private:
    std::unique_ptr<Search> search_;
    double slack_;                 // relative, of equal lengths
    std::optional<double> first_;  // length
  };

  /// Collective. Of parallel edges the least weight counts. InputError, the same on all ranks, by weights if there are
  /// none, or if one is infinite or not a number.
  PairPaths(const Graph& graph, PathLength length);
  ~PairPaths();
  PairPaths(PairPaths&&) noexcept;

  /// Local, as all below. InputError if there is no such vertex, or if a cycle is negative (it is named).
  Sequence between(Vertex source, Vertex target) const;
  /// The k shortest, fewer if there are no more.
  std::vector<Path> k_shortest(Vertex source, Vertex target, std::int64_t k, const KeepOn& keep_on = {}) const;
  /// The shortest ones, at most `most`.
  std::vector<Path> all_shortest(Vertex source, Vertex target, std::int64_t most, const KeepOn& keep_on = {}) const;
  std::size_t memory_bytes() const;

 private:
  std::shared_ptr<const Arcs> arcs_;
};

}  // namespace atl
