// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/world.hpp>
#include <nlohmann/json_fwd.hpp>
#include <vector>

/// The timing of algorithms.
namespace atl::cli {

/// Runs something repeatedly, each time from a barrier on, and counts its traffic separately from everything else.
///
///     Trials trials(world);
///     for (Vertex source : sources) trials.time([&] { bfs.run(source, result); });   // collective
///     trials.report(outcome.seconds, outcome.counters);
///
/// A trial takes as long as its slowest rank. Its computation is the longest time that the main thread of a rank was
/// not waiting; the rest of it is communication that computation did not hide (LCI, Fig. 6).
class Trials {
 public:
  explicit Trials(World& world) : world_(world) {}

  /// Runs one trial; returns the seconds of the slowest rank. Collective.
  template <class F>
  double time(F&& run) {
    begin();
    const RankTimer timer(world_);
    run();
    return end(timer.seconds());
  }

  std::vector<double> sorted() const;  ///< ascending
  /// Adds to an outcome's seconds run (the median), mean, trials, computation and the total wait, and to its counters.
  /// Collective.
  void report(nlohmann::json& seconds, nlohmann::json& counters) const;

 private:
  void begin();
  double end(double mine);

  World& world_;
  Counters before_, spent_;
  double waited_ = 0;  // by this thread, before the trial
  std::vector<double> seconds_, computation_;
};

}  // namespace atl::cli
