// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/path_length.hpp>
#include <atoll/base/progress.hpp>
#include <atoll/graph/graph.hpp>
#include <memory>
#include <span>

/// Betweenness of edges over any number of ranks, from the shortest paths that start at given sources; the length of a
/// path is its number of edges or the sum of its weights.
///
///     EdgeBetweenness betweenness(graph);     // collective
///     EdgeBetweennessResult r;
///     betweenness.run(sources, r);            // original ids; r.score[k] is that of the edge r.source[k], r.target[k]
///
/// score(e) = sum over sources s and targets t of sigma_st(e) / sigma_st, with sigma_st the number of shortest paths
/// from s to t and sigma_st(e) of those along e [1]: the summands of which Betweenness adds up the vertices'
/// dependencies, from the same passes. Nothing is normalised: with all vertices as sources of an undirected graph each
/// pair counts twice. Self-loops have 0; copies of a multi-edge are one edge with the sum of theirs. What holds for
/// Betweenness' weights, and for the last digits of its scores, holds here.
///
/// On one rank each thread takes sources of its own: 8 bytes an entry of the adjacency lists for each. Over ranks all take
/// one source after the other, along the edge-cut, which is there under every cut.
/// [1] U. Brandes. "On variants of shortest-path betweenness centrality and their generic computation." Social Networks
/// 30(2), 2008.
namespace atl {

/// This rank's edges, by original ids ascending: those that leave its vertices; undirected ones once, with the smaller
/// id, which is of one of its vertices, as source.
struct EdgeBetweennessResult {
  Array<Vertex> source, target;
  Array<double> score;
};

class SourcePerThread;
class BetweennessWeighted;

class EdgeBetweenness {
 public:
  /// Collective. By weights: InputError as Betweenness.
  explicit EdgeBetweenness(const Graph& graph, PathLength length = PathLength::edges);
  ~EdgeBetweenness();
  EdgeBetweenness(const EdgeBetweenness&) = delete;
  EdgeBetweenness& operator=(const EdgeBetweenness&) = delete;

  /// Collective. InputError, before any work and the same on all ranks, if no vertex has the id of a source.
  void run(std::span<const Vertex> sources, EdgeBetweennessResult& result, const Progress& progress = {});

 private:
  const Graph& graph_;
  std::unique_ptr<SourcePerThread> serial_;        // by edges on one rank
  std::unique_ptr<BetweennessWeighted> any_rank_;  // else
};

}  // namespace atl
