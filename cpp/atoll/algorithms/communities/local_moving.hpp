// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/communities/level.hpp>
#include <atoll/base/parallel.hpp>

/// Moves single vertices of a level to the communities of neighbours while that raises the modularity.
///
///     LocalMoving moving(team);
///     const Vertex moves = moving.run(level, terms, 1e-6, Workers::team, community, degrees);
///
/// Where others move some of the targets, by sweeps:
///
///     moving.start(locals);
///     const LocalMoving::Moves moves = moving.sweep(level, terms, Workers::team, communities, community, degrees, left);
///     moving.look_again(row);                       // a neighbour of this row has moved
namespace atl {

class LocalMoving {
 public:
  struct Moves {
    Vertex count = 0;
    double gain = 0;  ///< of the modularity, as the threads believed
    Moves& operator+=(const Moves& other) {
      count += other.count;
      gain += other.gain;
      return *this;
    }
  };

  /// Keeps vertices from going back and forth. Where neighbours that others move swap communities with it they would do so for
  /// ever: of two communities that it has left for each other it may enter the one with the smaller name.
  struct Returns {
    const Local* name = nullptr;  ///< [community], the same wherever it is known
    Local* left = nullptr;        ///< [row] the community that it left last, or -1
    bool allow(std::size_t row, Local from, Local to) const {
      return !name || left[row] != to || name[to] < name[from];
    }
  };

  explicit LocalMoving(Team& team) : team_(team), sums_(static_cast<std::size_t>(team.size())) {}

  /// All targets of the level are rows. `community` and `degrees` are [row]: the community of each vertex, named by a
  /// row, and the sum of the degrees of each community's vertices; both are changed. Sweeps end when one raises the
  /// modularity by less than `tolerance`; with 0 when no vertex has a better community. Returns the number of moves.
  Vertex run(const Level& level, const ModularityTerms& terms, double tolerance, Workers workers,
             Array<Local>& community, Array<double>& degrees);

  /// Targets are below `locals`, the others behind the rows; all rows are looked at in the next sweep.
  void start(std::size_t locals);
  /// Looks at the rows that have a neighbour that has moved. `community` is [local], a number below `communities`.
  Moves sweep(const Level& level, const ModularityTerms& terms, Workers workers, std::size_t communities,
              Array<Local>& community, Array<double>& degrees, Returns returns);
  void look_again(Local row) { pending_[row] = 1; }

  std::vector<ThreadSums>& sums() { return sums_; }
  std::size_t memory_bytes() const;

 private:
  Team& team_;
  std::vector<ThreadSums> sums_;  // [thread]
  Array<char> pending_;           // [local] a neighbour has moved since the vertex was last looked at
};

}  // namespace atl
