// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/similarity/measure.hpp>
#include <atoll/base/array.hpp>
#include <atoll/graph/graph.hpp>
#include <memory>
#include <optional>
#include <span>

/// The pairs of vertices whose neighbourhoods are most alike, over any number of ranks: all above a threshold, or for each
/// vertex its k best.
///
///     SimilaritySearch search(graph);                       // collective: makes lists
///     SimilarPairs pairs;
///     search.above(Similarity::jaccard, {.threshold = 0.5}, pairs);       // collective
///     search.most_similar(Similarity::cosine, {.count = 10}, pairs);      // collective
///
/// Looked at are pairs with a common neighbour: of all others every measure but preferential_attachment is 0. They are
/// found by wedges u - w - v, a vertex u at a time, so that no matrix of all pairs is ever made: a run takes the time of
/// the sum of the squares of degrees at most. A threshold of jaccard, cosine, common_neighbors or preferential_attachment
/// leaves out vertices with too few neighbours; on one rank one of the first three also the wedges through the neighbours
/// that most vertices have, which the pair need not share [1].
///
/// Values have the same bits on any number of ranks and threads. The lists are those of the edge-cut, whatever the graph's
/// cut. Memory: the lists of own vertices and, over ranks, of their mirrors (wedge_lists.hpp); per thread 12 bytes for each
/// vertex that wedges reach; and 24 bytes for each pair that is found, 72 while they are put in order.
///
/// [1] R. Bayardo, Y. Ma, R. Srikant. "Scaling up all pairs similarity search." WWW 2007; here each common neighbour
/// counts 1, as in C. Xiao et al. "Efficient similarity joins for near duplicate detection." WWW 2008.
namespace atl {

struct AboveOptions {
  double threshold = 0.5;                 ///< above 0; pairs of at least this value
  std::int64_t most_pairs = 100'000'000;  ///< on all ranks; more are an error
};

struct MostSimilarOptions {
  std::int64_t count = 10;  ///< for each vertex, at most
  /// Original ids of the vertices to find them for, the same on all ranks; none: all.
  std::optional<std::span<const Vertex>> vertices = {};
};

/// Pairs on this rank, by original ids.
struct SimilarPairs {
  Array<Vertex> source, target;
  Array<double> value;
  Vertex total = 0;  ///< pairs on all ranks
};

class SimilaritySearch {
 public:
  /// Collective. The graph outlives this object.
  explicit SimilaritySearch(const Graph& graph);
  ~SimilaritySearch();
  SimilaritySearch(const SimilaritySearch&) = delete;
  SimilaritySearch& operator=(const SimilaritySearch&) = delete;

  /// Each pair once, on one rank, with its smaller id as the source; a rank's pairs by falling value, equal ones by
  /// ascending ids. Collective; InputError, the same on all ranks, for a threshold that is not above 0, or more pairs
  /// than most_pairs.
  void above(Similarity measure, const AboveOptions& options, SimilarPairs& pairs);
  /// For each own vertex, by ascending id, its pairs of the greatest values, equal ones by ascending ids of the targets.
  /// Collective; InputError, the same on all ranks, for a count below 1 or an id of no vertex.
  void most_similar(Similarity measure, const MostSimilarOptions& options, SimilarPairs& pairs);
  std::size_t memory_bytes() const;

 private:
  class Wedges;
  std::unique_ptr<Wedges> wedges_;
};

}  // namespace atl
