// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/bfs/rounds.hpp>
#include <atoll/engine/direction.hpp>
#include <atoll/graph/graph.hpp>
#include <memory>
#include <optional>
#include <vector>

/// Breadth-first search, direction-optimising, over any number of ranks.
///
///     BfsResult r = bfs(graph, 1);                       // collective; 1 is an original id
///     Bfs search(graph);                                 // for many searches: builds layouts and buffers once
///     for (Vertex s : sources) search.run(s, r);         // reuses r's arrays
///
/// Directed graphs are searched along edges from source to target. Weights are ignored; self-loops and multi-edges do
/// not matter. The parents form a shortest-path tree; which one depends on threads and ranks, the depths do not.
namespace atl {

enum class Depths { no, yes };

/// Values of BfsOptions::fission: no delegates, or delegates from Delegates::usual_degree() on.
inline constexpr Edge kNoFission = 0, kUsualFission = -1;

struct BfsOptions {
  Direction direction = Direction::automatic;
  Depths depths = Depths::no;
  /// Pull when the frontier has more than 1 / alpha of the edges whose source no frontier has contained yet. 30 is the
  /// flat middle for Kronecker graphs; from 60 on some sources take four times the median.
  double alpha = 30;
  /// Vertices with at least this out-degree push to other ranks through delegates there: one record per rank.
  Edge fission = kNoFission;
  /// Push from the heaviest vertices of a frontier first (TuCOMM, algorithm 1): buffers fill and leave sooner, at the
  /// price of sorting each frontier.
  bool degree_order = false;
};

/// Arrays are by owned index: ascending original ids of the vertices of this rank.
struct BfsResult {
  Array<Vertex> parent;  ///< original ids; the source's own is itself, kNoVertex where not reached
  Array<Vertex> depth;   ///< if asked for; kUnreachable where not reached
  Vertex reached = 0;    ///< reached vertices on all ranks
  Edge edges = 0;        ///< edges of reached vertices on all ranks (directed: edges that leave them)
  int levels = 0;        ///< levels of the tree; 1: only the source
  int pulls = 0;         ///< levels found by pulling
  BfsRounds rounds;      ///< how the levels were found
  /// Owned indices of the vertices reached on this rank, where they are few. All other entries of the arrays are those
  /// of unreached vertices, and the next run into this result writes only what changes: who changes them resets this.
  std::optional<std::vector<Vertex>> listed = {};
};

class Bfs {
 public:
  /// Collective; builds layouts and buffers.
  explicit Bfs(const Graph& graph, const BfsOptions& options = {});
  ~Bfs();
  Bfs(const Bfs&) = delete;
  Bfs& operator=(const Bfs&) = delete;

  /// Collective. InputError, the same on all ranks, if no vertex has the id `source`.
  void run(Vertex source, BfsResult& result);
  std::size_t memory_bytes() const;

 private:
  class Search;  // interface of Typed, which depends on the width of the graph's ids
  template <class Id>
  class Typed;
  std::unique_ptr<Search> search_;
};

BfsResult bfs(const Graph& graph, Vertex source, const BfsOptions& options = {});

}  // namespace atl
