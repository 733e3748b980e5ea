// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/progress.hpp>
#include <atoll/graph/graph.hpp>
#include <memory>

/// Communities by label propagation (CDLP of Graphalytics) over any number of ranks.
///
///     LabelPropagation communities(graph);        // collective
///     LabelPropagationResult r;
///     communities.run({.iterations = 10}, r);     // r.label[i] by owned index
///
/// Synchronous and deterministic [1, 2]: every vertex begins with its own id; in each iteration every vertex takes the
/// most frequent label of its neighbours, the smallest of equally frequent ones. In a directed graph a neighbour counts
/// once for each direction in which an edge joins the two. A vertex without edges keeps its label. Weights are ignored;
/// self-loops and the multi-edges that the graph has kept count like other edges.
/// [1] U. Raghavan, R. Albert, S. Kumara. "Near linear time algorithm to detect community structures in large-scale
/// networks." Physical Review E 76, 2007. [2] LDBC Graphalytics benchmark specification, CDLP.
namespace atl {

struct LabelPropagationOptions {
  int iterations = 10;     ///< ends earlier if nothing changes
  Progress progress = {};  ///< iterations
};

struct LabelPropagationResult {
  Array<Vertex> label;  ///< [owned index] an original id
  int iterations = 0;   ///< iterations done
  Vertex changed = 0;   ///< labels on all ranks that the last iteration changed
};

class LabelPropagation {
 public:
  /// Collective.
  explicit LabelPropagation(const Graph& graph);
  ~LabelPropagation();
  LabelPropagation(const LabelPropagation&) = delete;
  LabelPropagation& operator=(const LabelPropagation&) = delete;

  /// Collective. InputError, the same on all ranks, if iterations is negative.
  void run(const LabelPropagationOptions& options, LabelPropagationResult& result);
  std::size_t memory_bytes() const;

  class Rounds {  ///< over the cut that the graph has
   public:
    virtual ~Rounds() = default;
    virtual void run(const LabelPropagationOptions& options, LabelPropagationResult& result) = 0;
    virtual std::size_t memory_bytes() const = 0;
  };

 private:
  std::unique_ptr<Rounds> rounds_;
};

}  // namespace atl
