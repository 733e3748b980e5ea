// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/communities/aggregation.hpp>
#include <atoll/algorithms/communities/community_detection.hpp>
#include <atoll/algorithms/communities/local_moving.hpp>
#include <atoll/algorithms/communities/refinement.hpp>

/// Louvain and Leiden on one rank: levels of local moving, refinement and aggregation, until every vertex of the last
/// level is a community and none has a better one.
///
///     Multilevel levels(team);
///     levels.run(first, {CommunityMethod::leiden, 2, {.resolution = 1, .total = 156}}, {}, {});
///     levels.community()[row]; levels.communities(); levels.modularity();
namespace atl {

/// Passes over all levels, each from the communities of the one before.
struct Passes {
  static constexpr double kLeastGain = 1e-6;  ///< of a pass, else it is the last
  /// A sweep of a pass's first level that gains less ends it: the next levels, which are smaller, find what is left.
  static constexpr double tolerance(int pass) { return pass == 1 ? 1e-3 : 1e-4; }
};

class Multilevel {
 public:
  explicit Multilevel(Team& team)
      : team_(team), moving_(team), refinement_(team, moving_.sums()), aggregation_(team, moving_.sums()) {}

  struct Terms {
    CommunityMethod method;
    int iterations;
    ModularityTerms measure;
  };
  /// The best pass is kept. `start`: [row] the communities to begin with, named by rows; empty: every vertex is one.
  void run(const Level& first, const Terms& terms, std::span<const Local> start, const Progress& progress);

  const Array<Local>& community() const { return vertex_of_; }  ///< [row] 0 .. communities() - 1
  Local communities() const { return communities_; }
  double modularity() const { return modularity_; }
  int levels() const { return levels_; }
  std::size_t memory_bytes() const;

 private:
  void run_levels(const Level& first, const Terms& terms, std::span<const Local> start, double tolerance,
                  const Progress& progress);
  void begin(const Level& level, std::span<const Local> start);
  bool coarsen(const Level& level, const Terms& terms, Workers workers, Vertex moves, CoarseLevel& next);

  Team& team_;
  LocalMoving moving_;
  Refinement refinement_;
  Aggregation aggregation_;
  CoarseLevel coarse_[2];
  Array<Local> vertex_of_;  // [row of the first level] the vertex of the present one
  Array<Local> community_;  // [row of the present level]
  Array<Local> set_;        // [row of the present level] its vertex on the next
  Array<double> degrees_;   // [community]
  Local communities_ = 0;
  double modularity_ = 0;
  int levels_ = 0;
};

}  // namespace atl
