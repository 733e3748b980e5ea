// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/communities/level.hpp>
#include <atoll/base/parallel.hpp>

/// Moves single vertices of a level to the communities of neighbours while that raises the modularity.
///
///     LocalMoving moving(team);
///     const Vertex moves = moving.run(level, terms, 1e-6, Workers::team, community, degrees);
namespace atl {

class LocalMoving {
 public:
  explicit LocalMoving(Team& team) : team_(team), sums_(static_cast<std::size_t>(team.size())) {}

  /// All targets of the level are rows. `community` and `degrees` are [row]: the community of each vertex, named by a
  /// row, and the sum of the degrees of each community's vertices; both are changed. Sweeps end when one raises the
  /// modularity by less than `tolerance`; with 0 when no vertex has a better community. Returns the number of moves.
  Vertex run(const Level& level, const ModularityTerms& terms, double tolerance, Workers workers,
             Array<Local>& community, Array<double>& degrees);
  std::vector<ThreadSums>& sums() { return sums_; }
  std::size_t memory_bytes() const;

 private:
  Team& team_;
  std::vector<ThreadSums> sums_;  // [thread]
  Array<char> pending_;           // [row] a neighbour has moved since the vertex was last looked at
};

}  // namespace atl
