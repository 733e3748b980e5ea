// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/edge_weighting.hpp>
#include <atoll/verify/verdict.hpp>
#include <vector>

namespace atl {

/// A sample of neighbourhoods, as NeighborSampler gives it, and what was asked for.
struct SampleClaim {
  std::span<const Vertex> vertices;              ///< original ids
  std::span<const std::int64_t> source, target;  ///< [edge] positions in `vertices`
  std::span<const std::int64_t> vertices_by_layer, edges_by_layer;
  std::span<const std::int64_t> fanout;  ///< [layer]
  bool replace = false;
  bool entering = true;  ///< edges that enter the vertices of a layer, or leave them
  EdgeWeighting weighting = EdgeWeighting::ones;
};

/// Checks a sample: 1. positions are of its vertices, and layers add up to them; 2. edges of a layer are of vertices that
/// the one before has reached first, and reach each new vertex; no vertex is there twice but a seed; 3. each edge is one
/// of the graph, with EdgeWeighting::of_edges of weight above 0; without replacement it is there no more often than in
/// the graph; 4. a vertex has as many edges as the fanout and its own allow. Each rank gives a sample of its own.
/// Collective.
Verdict verify_neighbor_sample(const Graph& graph, const SampleClaim& sample);

}  // namespace atl
