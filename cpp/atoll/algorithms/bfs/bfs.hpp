// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/direction.hpp>
#include <atoll/graph/graph.hpp>
#include <memory>

/// Breadth-first search, direction-optimising, over any number of ranks.
///
///     BfsResult r = bfs(graph, 1);                       // collective; 1 is an original id
///     Bfs search(graph);                                 // many searches: layouts and buffers are made once
///     for (Vertex s : sources) search.run(s, r);         // r's arrays are used again
///
/// Contract: directed or undirected (a directed search follows edges from source to target); weights are ignored;
/// self-loops and multi-edges change nothing. The parent tree is one of the shortest; which one depends on threads and
/// ranks, the depths do not.
namespace atl {

enum class Depths { no, yes };

/// BfsOptions::fission: no siblings, or those of graph/siblings.hpp from its usual degree on.
inline constexpr Edge kNoFission = 0, kUsualFission = -1;

struct BfsOptions {
  Direction direction = Direction::automatic;
  Depths depths = Depths::no;
  /// Pull when the frontier has more than 1 / alpha of the edges that no frontier has had yet. 30 is the flat middle for
  /// Kronecker graphs; from 60 on some sources take four times the median.
  double alpha = 30;
  /// Vertices of at least so many leaving edges push to other ranks through siblings there: one record a rank.
  Edge fission = kNoFission;
  /// Push from the heaviest vertices of a frontier first (TuCOMM, algorithm 1): buffers fill and leave sooner, at the
  /// price of sorting each frontier.
  bool degree_order = false;
};

/// On this rank, in natural order (ascending original ids of the vertices it owns).
struct BfsResult {
  Array<Vertex> parent;  ///< original ids; the source's own is itself, kNoVertex where not reached
  Array<Vertex> depth;   ///< if asked for; kUnreachable where not reached
  Vertex reached = 0;    ///< on all ranks
  Edge edges = 0;        ///< on all ranks, with an end in the component (directed: that leave reached vertices)
  int levels = 0;        ///< of the tree; 1 is the source alone
  int pulls = 0;         ///< levels that were found by pulling
  /// How each level was found, on this rank.
  struct Round {
    Vertex found = 0;  ///< on all ranks
    bool pulled = false;
    double seconds = 0;
    double waited_seconds = 0;  ///< for others: communication that computation did not hide
  };
  std::vector<Round> rounds;
};

class Bfs {
 public:
  /// Makes layouts and buffers: collective.
  explicit Bfs(const Graph& graph, const BfsOptions& options = {});
  ~Bfs();
  Bfs(const Bfs&) = delete;
  Bfs& operator=(const Bfs&) = delete;

  /// Collective. InputError, the same on all ranks, if no vertex has the id `source`.
  void run(Vertex source, BfsResult& result);
  std::size_t memory_bytes() const;

 private:
  class Search;  // by the width of the graph's ids
  template <class Id>
  class Typed;
  std::unique_ptr<Search> search_;
};

BfsResult bfs(const Graph& graph, Vertex source, const BfsOptions& options = {});

}  // namespace atl
