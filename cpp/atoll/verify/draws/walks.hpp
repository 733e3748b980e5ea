// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/edge_weighting.hpp>
#include <atoll/verify/verdict.hpp>

namespace atl {

/// Checks walks, rows of length + 1 original ids: 1. each step is an edge of the graph, with EdgeWeighting::of_edges one
/// of weight above 0; 2. a walk ends before its length only at a vertex that no such edge leaves, and kNoVertex fills its
/// row from there on. Whether the draws have the right chances it cannot tell. Each rank gives rows of its own.
/// Collective.
Verdict verify_walks(const Graph& graph, std::span<const Vertex> rows, Edge length, EdgeWeighting weighting);

}  // namespace atl
