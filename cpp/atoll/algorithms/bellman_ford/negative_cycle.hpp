// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/types.hpp>
#include <span>
#include <vector>

namespace atl {

/// An edge that could have given its head the distance that the head has: dist(tail) + weight <= dist(head).
struct AdmissibleEdge {
  Vertex tail, head;  ///< original ids
  double weight;
  bool lowers;  ///< dist(tail) + weight < dist(head)
};

struct NegativeCycle {
  std::vector<Vertex> vertices;  ///< along the edges, the least id first; empty if there is none
  double sum = 0;                ///< of the weights
};

/// Finds a cycle of negative sum among admissible edges; which one depends on the edges, not on their order. Around
/// such a cycle dist(tail) - dist(head) adds up to 0, so its sum is at most 0, and below 0 where one of its edges
/// lowers. O(m log m); local. `rounded`: a cycle whose sum is 0 but for the rounding of distances will do.
NegativeCycle negative_cycle_among(std::span<const AdmissibleEdge> edges, bool rounded);

}  // namespace atl
