// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/path_length.hpp>
#include <atoll/base/progress.hpp>
#include <atoll/graph/graph.hpp>
#include <memory>
#include <span>

/// Betweenness centrality over any number of ranks, from the shortest paths that start at given sources; the length of
/// a path is its number of edges or the sum of its weights.
///
///     Betweenness betweenness(graph);         // collective; the first run that needs a buffer allocates it
///     BetweennessResult r;                    // its array is reused
///     betweenness.run(sources, r);            // original ids, as on all ranks; r.score[i] by owned index
///
/// score(v) = sum over sources s != v and targets t != v of sigma_st(v) / sigma_st, with sigma_st the number of
/// shortest paths from s to t and sigma_st(v) of those through v [1, eq. 4]. Nothing is normalised: with all vertices
/// as sources of an undirected graph each pair counts twice. In directed graphs, paths follow edges from source to
/// target. Self-loops are ignored; each copy of a multi-edge is a path of its own. Weights are summed as doubles, and
/// two paths are equally short if these sums are equal. Scores differ in their last digits with the number of threads
/// and ranks.
/// [1] U. Brandes. "A faster algorithm for betweenness centrality." J. Mathematical Sociology 25(2), 2001.
namespace atl {

struct BetweennessResult {
  Array<double> score;  ///< [owned index]
};

class BetweennessVariant;  // one of those in betweenness.cpp

class Betweenness {
 public:
  /// Collective. By weights: InputError, before any work and the same on all ranks, if there are none or one is not
  /// finite and above 0.
  explicit Betweenness(const Graph& graph, PathLength length = PathLength::edges);
  ~Betweenness();
  Betweenness(const Betweenness&) = delete;
  Betweenness& operator=(const Betweenness&) = delete;

  /// Collective. InputError, before any work and the same on all ranks, if no vertex has the id of a source. If a
  /// number of shortest paths overflows a double (1.8e308), they are counted with a scale of their own. `progress`: sources.
  void run(std::span<const Vertex> sources, BetweennessResult& result, const Progress& progress = {});
  std::size_t memory_bytes() const;

 private:
  std::unique_ptr<BetweennessVariant> variant_;
};

}  // namespace atl
