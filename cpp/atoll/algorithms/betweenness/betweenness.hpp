// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <memory>
#include <span>

/// Betweenness over any number of ranks, from the shortest paths, by number of edges or by weight, that start at given
/// sources.
///
///     Betweenness betweenness(graph);         // collective; buffers are made once, by the first run that needs them
///     BetweennessResult r;                    // its array is used again
///     betweenness.run(sources, r);            // original ids, the same on all ranks; r.score[natural]
///
/// score(v) = sum over sources s != v and targets t != v of sigma_st(v) / sigma_st, with sigma_st the number of shortest
/// paths from s to t and sigma_st(v) of those through v [1, eq. 4]. Nothing is normalised: with all vertices as sources
/// of an undirected graph each pair counts twice. Directed graphs are followed from source to target; self-loops are
/// ignored; a multi-edge that the graph has kept is as many paths. Lengths by weight are summed as doubles, and paths are
/// equally short where these are equal. Scores differ in their last digits with the number of threads and ranks.
/// [1] U. Brandes. "A faster algorithm for betweenness centrality." J. Mathematical Sociology 25(2), 2001.
namespace atl {

enum class PathLength { edges, weights };

struct BetweennessResult {
  Array<double> score;  ///< [natural]
};

class Betweenness {
 public:
  /// Collective. By weights: InputError, before any work and the same on all ranks, if there are none or one is not finite
  /// and above 0.
  explicit Betweenness(const Graph& graph, PathLength length = PathLength::edges);
  ~Betweenness();
  Betweenness(const Betweenness&) = delete;
  Betweenness& operator=(const Betweenness&) = delete;

  /// Collective. InputError, before any work and the same on all ranks, if no vertex has the id of a source. Two vertices
  /// may be joined by more shortest paths than a double can count (1.8e308): then paths are counted a second time.
  void run(std::span<const Vertex> sources, BetweennessResult& result);
  std::size_t memory_bytes() const;

 private:
  class Sum;  // on one rank, over several
  class OneRank;
  class Distributed;
  class Weighted;
  std::unique_ptr<Sum> sum_;
};

}  // namespace atl
