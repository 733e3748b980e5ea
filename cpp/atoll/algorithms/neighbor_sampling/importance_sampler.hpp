// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/neighbor_sampling/neighbor_sampler.hpp>
#include <atoll/algorithms/random_walks/random_walks.hpp>

/// The important neighbours of some vertices, layer by layer: those that short random walks from them visit most [1].
///
///     ImportanceSampler sampler(graph, EdgeWeighting::ones);                                        // collective
///     const NeighborSample sample = sampler.sample(seeds, {.fanout = {10, 5}, .walks = 100});       // collective
///     sample.weights[e];                                     // which share of the visits the e-th edge's source has
///
/// They need not be adjacent: an edge of the sample leads from the visited vertex to the one whose walks visited it. Visits
/// are a function of the options' seed and the vertex, so a sample is the same for any ranks, threads and partition; with
/// weights, up to edges whose chances differ by the rounding of doubles. Memory: the walks of a layer, 8 bytes a step.
///
/// [1] R. Ying, R. He, K. Chen, P. Eksombatchai, W. Hamilton, J. Leskovec. "Graph convolutional neural networks for
///     web-scale recommender systems." KDD 2018, section 3.1.
namespace atl {

struct ImportanceOptions {
  std::vector<std::int64_t> fanout;  ///< [layer] most neighbours of a vertex; -1: all that are visited
  Vertex walks = 100;                ///< from each vertex, at least 1
  Edge length = 3;                   ///< steps of a walk, at least 1
  std::uint64_t seed = 1;
};

class ImportanceSampler {
 public:
  /// Collective. Walks go along edges, alike or in proportion to weights; InputError as of RandomWalks.
  ImportanceSampler(const Graph& graph, EdgeWeighting weighting);

  /// The neighbours of a vertex by falling visits, equally visited ones by their ids; the vertex itself is none. `weights`
  /// are visits over all visits of others by the vertex's walks. Collective; a seed that is named twice has two equal
  /// neighbourhoods. InputError, the same on all ranks, if a seed is no vertex, a fanout is below -1, or there is no walk
  /// or no step.
  NeighborSample sample(std::span<const Vertex> seeds, const ImportanceOptions& options);
  std::size_t memory_bytes() const { return walks_.memory_bytes(); }

 private:
  const Graph& graph_;
  RandomWalks walks_;
};

}  // namespace atl
