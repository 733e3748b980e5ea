// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/world.hpp>
#include <nlohmann/json.hpp>
#include <vector>

/// What an algorithm is timed by, whatever it computes.
namespace atl::cli {

/// Runs something again and again from a barrier on, with its counters apart from those of what lies around.
///
///     Trials trials(world);
///     for (Vertex source : sources) trials.time([&] { bfs.run(source, result); });   // collective
///     trials.report(outcome.seconds, outcome.counters);
///
/// A trial takes as long as its slowest rank. Its computation is the longest that the first thread of a rank was not
/// waiting; the rest of it is communication that computation did not hide (LCI, Fig. 6).
class Trials {
 public:
  explicit Trials(World& world) : world_(world) {}

  /// Seconds of the slowest rank. Collective.
  template <class F>
  double time(F&& run) {
    begin();
    const RankTimer timer(world_);
    run();
    return end(timer.seconds());
  }

  std::vector<double> sorted() const;  ///< ascending
  /// Into an outcome's seconds: run (the median), mean, trials, computation, and what all of them waited; and its counters.
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
