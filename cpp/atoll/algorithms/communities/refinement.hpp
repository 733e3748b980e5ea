// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/communities/level.hpp>
#include <atoll/base/parallel.hpp>

/// Splits each community into connected subsets: the refinement of Leiden [1]. A singleton vertex joins the subset
/// of a neighbour in its community with which the modularity gains most; subsets that others have joined stay.
///
///     const Vertex joined = refinement.run(level, terms, Workers::team, community, degrees, subset);
///
/// [1] V. A. Traag, L. Waltman, N. J. van Eck, 2019; threads as in S. Sahu, "GVE-Leiden", arXiv 2312.13936, 2023.
namespace atl {

class Refinement {
 public:
  explicit Refinement(Team& team, std::vector<ThreadSums>& sums) : team_(team), sums_(sums) {}

  /// `community` is [target] and `degrees` by community. `subset` becomes [row] a row of the subset. Returns how many
  /// have joined another; only rows join each other.
  Vertex run(const Level& level, const ModularityTerms& terms, Workers workers, const Array<Local>& community,
             const Array<double>& degrees, Array<Local>& subset);
  std::size_t memory_bytes() const { return degree_.size() * sizeof(double) + state_.size(); }

 private:
  Team& team_;
  std::vector<ThreadSums>& sums_;
  Array<double> degree_;  // [row] sum of the subset's degrees
  Array<char> state_;     // [row] what has become of the subset that began with this row
};

/// Splits each community into its connected parts; `subset` is as above. One thread.
void split_into_parts(const Level& level, const Array<Local>& community, Array<Local>& subset);

}  // namespace atl
