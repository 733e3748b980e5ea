// SPDX-License-Identifier: Apache-2.0
#include <atoll/engine/replay/replay.hpp>
#include <cli/cli11.hpp>

#include "cli/run/trials.hpp"
#include "cli/verbs.hpp"

namespace atl::cli {

int bench_replay(const Words& words) {
  Command command(
      "bench replay",
      "Sends again what the ranks of another run sent, without its graph: over this job's route and network.");
  std::string path;
  ReplayOptions options;
  command.app()
      .add_option("traffic", path, "a file that `atoll run ... --keep-traffic FILE` wrote, on as many ranks")
      ->required();
  command.app()
      .add_option("--computation", options.computation,
                  "in virtual time: pass the time that the kept run computed between its steps, times this (default 0)")
      ->check(CLI::NonNegativeNumber);
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) {
    world.fabric().set_timing(SimulatedTiming::coarse);
    Replay replay(world, path, options);
    check(replay.trials() > 0, "{}: has no trial (nothing was timed in its run). Keep the traffic anew.", path);
    Trials trials(world);
    while (replay.next()) trials.time([&] { replay.run(); });
    Outcome outcome;
    outcome.input = {{"name", path}, {"run", replay.about()}, {"route", replay.kept_route()}};
    trials.report(outcome.seconds, outcome.counters);
    outcome.result = {{"trials", replay.trials()}};
    const std::vector<double> seconds = trials.sorted();
    outcome.text = table_of(
        {{"traffic", fmt::format("{}: {}, kept on {}", path, replay.about(), replay.kept_route())},
         {"ranks", fmt::format("{}, {}", world.size(), world.fabric().name())},
         {"time", fmt::format("{:.3f} ms (median of {}; {:.3f} to {:.3f})", outcome.seconds["run"].get<double>() * 1e3,
                              seconds.size(), seconds.front() * 1e3, seconds.back() * 1e3)}});
    return outcome;
  });
}

}  // namespace atl::cli
