// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/similarity/measure.hpp>
#include <atoll/base/array.hpp>
#include <atoll/graph/graph.hpp>
#include <memory>
#include <span>

/// How alike the neighbourhoods of given pairs of vertices are, over any number of ranks.
///
///     PairSimilarity similarity(graph);                            // collective: counts neighbours
///     Array<double> values;
///     similarity.run(Similarity::jaccard, source, target, values); // collective; values[i] of source[i], target[i]
///
/// Every rank gives pairs of its own, of any vertices by original id, and gets their values; it may give none. A pair
/// takes the time of its two lists; where many pairs have an end in common, or one list is much shorter, of the shorter
/// one. Sums are taken in an order that depends only on the graph: the same bits on any number of ranks and threads. The
/// lists are those of the edge-cut, whatever the graph's cut. Memory: 12 bytes a local vertex, over ranks 12 more a
/// mirror, and a bit for each vertex of the graph and thread; while it runs 40 bytes for each pair, and over ranks the
/// lists that some pairs need, at most kFetchedEntries entries of them (or of one pair) at a time.
namespace atl {

class PairSimilarity {
 public:
  /// Collective. The graph outlives this object.
  explicit PairSimilarity(const Graph& graph);
  ~PairSimilarity();
  PairSimilarity(const PairSimilarity&) = delete;
  PairSimilarity& operator=(const PairSimilarity&) = delete;

  /// Collective, with the same measure on all ranks. InputError, the same on all ranks, if an id is of no vertex, or a
  /// rank gives more sources than targets or fewer.
  void run(Similarity measure, std::span<const Vertex> source, std::span<const Vertex> target, Array<double>& values);
  std::size_t memory_bytes() const;

  static constexpr Edge kFetchedEntries = Edge{1} << 22;

 private:
  class Lists;
  std::unique_ptr<Lists> lists_;
};

}  // namespace atl
