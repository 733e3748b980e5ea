// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/edge_weighting.hpp>
#include <atoll/graph/graph.hpp>
#include <memory>
#include <span>
#include <vector>

/// Samples of the neighbourhoods of some vertices, layer by layer, as mini-batches of graph neural networks need [1].
///
///     NeighborSampler sampler(graph, SampleDirection::entering, EdgeWeighting::ones);       // collective
///     const NeighborSample sample = sampler.sample(seeds, {.fanout = {15, 10}, .seed = 7}); // collective
///     sample.vertices[sample.source[e]];                              // original id of the e-th edge's source
///
/// Of each seed at most fanout[0] edges are drawn, of each vertex that these edges reach first at most fanout[1], and so
/// on. Which ones is a function of the options' seed and the vertex, so a sample is the same for any ranks, threads and
/// partition. Each rank passes seeds of its own, and rows of vertices are asked of their owners.
///
/// [1] W. Hamilton, R. Ying, J. Leskovec. "Inductive representation learning on large graphs." NIPS 2017, section 3.1.
namespace atl {

/// Whether the edges that enter a vertex are drawn, along which messages come to it, or those that leave it.
enum class SampleDirection { entering, leaving };

struct SampleOptions {
  std::vector<std::int64_t> fanout;  ///< [layer] most edges of a vertex; -1: all
  bool replace = false;              ///< a vertex with edges has exactly `fanout` draws, which may repeat an edge
  std::uint64_t seed = 1;
};

struct NeighborSample {
  std::vector<Vertex> vertices;                 ///< original ids: the seeds as given, then others as they are reached
  std::vector<std::int64_t> source, target;     ///< [edge] positions in `vertices`
  std::vector<double> weights;                  ///< [edge]; empty if the graph has none
  std::vector<std::int64_t> vertices_by_layer;  ///< the seeds, then what each layer has reached first
  std::vector<std::int64_t> edges_by_layer;
};

class NeighborSampler {
 public:
  /// Collective. Edges are drawn alike, or in proportion to their weights. InputError, the same on all ranks, with
  /// EdgeWeighting::of_edges if the graph has no weights, or one that is negative, infinite or not a number.
  NeighborSampler(const Graph& graph, SampleDirection direction, EdgeWeighting weighting);
  /// Collective. The weights number the edges, and chances[weight] is what an edge is drawn in proportion to; the same
  /// on all ranks. InputError, the same on all ranks, if a weight numbers no chance, or a chance is negative, infinite or
  /// not a number.
  NeighborSampler(const Graph& graph, SampleDirection direction, std::span<const double> chances);
  ~NeighborSampler();
  NeighborSampler(const NeighborSampler&) = delete;
  NeighborSampler& operator=(const NeighborSampler&) = delete;

  /// Collective; a seed that is named twice has two equal neighbourhoods. InputError, the same on all ranks, if a seed is
  /// no vertex or a fanout is below -1.
  NeighborSample sample(std::span<const Vertex> seeds, const SampleOptions& options);
  std::size_t memory_bytes() const;

 private:
  class Internals;
  std::unique_ptr<Internals> internals_;
};

}  // namespace atl
