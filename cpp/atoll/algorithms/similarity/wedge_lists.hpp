// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/similarity/neighbour_counts.hpp>
#include <atoll/graph/graph.hpp>
#include <span>
#include <vector>

/// Lists of neighbours for walks over wedges u - w - v, from a rank's own vertices u to all vertices v at their other ends.
///
///     const WedgeLists lists(graph);                         // collective
///     for (const Local u : lists.owned())
///       for (const Local w : lists.neighbours(u))            // the one that most vertices have first
///         for (const Local v : lists.followers(w)) ...       // ascending; u is among them
///     lists.degree(v), lists.id(v);
///
/// Vertices are numbered by falling number of neighbours, equal ones by ascending id, among those that this rank's wedges
/// reach: a vertex comes before another one on every rank that knows both. In an undirected graph both lists of a vertex
/// are the same. A wedge of a directed graph has two edges that enter w.
///
/// Memory: 16 bytes for each vertex that is known, 4 for each neighbour (directed: and each follower) of own vertices
/// and over ranks of their mirrors, for which 16 are taken while they are made.
namespace atl {

class WedgeLists {
 public:
  explicit WedgeLists(const Graph& graph);

  std::size_t size() const { return ids_.size(); }            ///< vertices that are known
  const std::vector<Local>& owned() const { return owned_; }  ///< ascending
  /// The neighbours of an own vertex; on one rank of any.
  std::span<const Local> neighbours(Local v) const { return directed_ ? neighbours_.of(v) : followers_.of(v); }
  /// The followers of an own vertex, or of a neighbour of one.
  std::span<const Local> followers(Local v) const { return followers_.of(v); }
  Edge degree(Local v) const { return degrees_[v]; }
  Vertex id(Local v) const { return ids_[v]; }
  /// The first number whose vertex has fewer than `degree` neighbours.
  Local first_below(Edge degree) const;
  /// The number of the own vertex with this owned index.
  Local number_of(Vertex owned_index) const { return numbers_[owned_index]; }
  std::size_t memory_bytes() const;

 private:
  struct Lists {
    Array<Edge> begin;  // [number], size + 1
    Array<Local> entries;
    std::span<const Local> of(Local v) const {
      return {entries.data() + begin[v], static_cast<std::size_t>(begin[index(v) + 1] - begin[v])};
    }
    std::size_t memory_bytes() const { return begin.size() * sizeof(Edge) + entries.size() * sizeof(Local); }
  };
  struct MirrorRows;

  void number_vertices(const Graph& graph, const NeighbourCounts& counts, const MirrorRows& rows);
  void list_followers(const Graph& graph, const NeighbourCounts& counts, const MirrorRows& rows);
  void list_neighbours(const Graph& graph, const NeighbourCounts& counts);
  Local number_of_dense(Vertex dense) const;

  const bool directed_;
  Array<Vertex> ids_;                // [number]
  Array<Local> degrees_;             // [number]
  std::vector<Vertex> known_;        // dense numbers, ascending; over several ranks
  std::vector<Local> known_number_;  // of each of these
  std::vector<Local> local_number_;  // [local]; -1: padding between mirrors
  std::vector<Local> owned_, numbers_;
  Lists followers_, neighbours_;  // neighbours_ only if directed
};

}  // namespace atl
