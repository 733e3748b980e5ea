// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atoll/algorithms/random_walks/random_walks.hpp>
#include <atoll/verify/draws/walks.hpp>
#include <cli/cli11.hpp>

#include "cli/graph_input.hpp"
#include "cli/verbs.hpp"
#include "named_report.hpp"
#include "sources.hpp"
#include "trials.hpp"
#include "walks_file.hpp"

namespace atl::cli {
namespace {

struct WalksOptions {
  GraphInput input;
  WalkOptions walks;
  Vertex per_vertex = 10;
  std::vector<std::string> starts;
  std::string output;
  int trials = 1;
  bool verify = false;
};

// The starts of this rank: its own vertices, or what rank 0 is told.
std::vector<WalkStart> starts_of(const Graph& graph, const WalksOptions& o, const Dictionary* names) {
  if (o.starts.empty()) return starts_at_all(graph, o.per_vertex);
  World& world = graph.world();
  const std::vector<Vertex> named = world.collective_try([&] {
    std::vector<Vertex> ids;
    for (const std::string& start : o.starts) ids.push_back(vertex_meant("--start", start, names));
    return ids;
  });
  return starts_at(graph, world.rank() == 0 ? std::span<const Vertex>(named) : std::span<const Vertex>(), o.per_vertex);
}

Outcome make_walks(World& world, Command& command, const WalksOptions& o) {
  const bool named = o.input.has_names(world);
  if (!o.output.empty()) check_walks_path(world, o.output, named);
  RankTimer timer(world);
  command.begin_phase(world, "reading " + o.input.text());
  NamedEdges loaded = o.input.load_named(world, named);
  const std::shared_ptr<const Dictionary> names = loaded.names;
  const nlohmann::json described_names = describe_names(loaded);
  const double load = world.max(timer.lap());
  command.begin_phase(world, "building the graph");
  const Graph graph = Graph::build(world, std::move(loaded.edges), o.input.options());
  const double build = world.max(timer.lap());
  command.begin_phase(world, "walks");
  const EdgeWeighting weighting = o.input.is_weighted() ? EdgeWeighting::of_edges : EdgeWeighting::ones;
  const std::vector<WalkStart> starts = starts_of(graph, o, names.get());
  timer.lap();
  RandomWalks walks(graph, weighting);
  const double prepare = world.max(timer.lap());
  Trials trials(world);
  Array<Vertex> rows;
  for (int trial = 0; trial < o.trials; ++trial)
    trials.time([&] {
      rows = {};  // so that two do not need memory at once
      rows = walks.run(starts, o.walks);
    });
  const std::span<const Vertex> all(rows.data(), rows.size());
  const std::size_t width = static_cast<std::size_t>(o.walks.length) + 1;
  if (!o.output.empty()) {
    command.begin_phase(world, "writing " + o.output);
    write_walks(world, o.output, all, width, names.get());
  }
  Outcome outcome;
  if (o.verify) {
    command.begin_phase(world, "checking the walks");
    const Verdict verdict = verify_walks(graph, all, o.walks.length, weighting);
    outcome.verified = verdict.ok;
    outcome.failure = verdict.what;
  }
  const Edge vertices =
      world.sum(static_cast<Edge>(all.size() - static_cast<std::size_t>(std::ranges::count(all, kNoVertex))));
  const Edge count = world.sum(static_cast<Edge>(starts.size())), steps = vertices - count;
  outcome.input = describe(graph);
  if (names) outcome.input["names"] = described_names;
  trials.report(outcome.seconds, outcome.counters);
  outcome.seconds["load"] = load;
  outcome.seconds["build"] = build;
  outcome.seconds["prepare"] = prepare;
  outcome.result = {{"walks", count},
                    {"length", o.walks.length},
                    {"steps", steps},
                    {"by", o.input.is_weighted() ? "weight" : "edges"}};
  const double seconds = outcome.seconds["run"].get<double>();
  outcome.text =
      table_of({{"graph", describe_in_words(graph)},
                {"ranks", fmt::format("{} x {} threads, {}", world.size(), world.team().size(), world.fabric().name())},
                {"walks", fmt::format("{} of {} steps, {} steps in all{}", count, o.walks.length, steps,
                                      steps < count * o.walks.length ? "; the others are past dead ends" : "")},
                {"time", fmt::format("{:.3f} s (median of {}), {:.1f} million steps a second", seconds, o.trials,
                                     seconds > 0 ? static_cast<double>(steps) / seconds * 1e-6 : 0)},
                {"load, build", fmt::format("{:.3f} s, {:.3f} s; prepare {:.3f} s", load, build, prepare)}});
  return outcome;
}

}  // namespace

int run_walks(const Words& words) {
  Command command("run walks",
                  "Random walks from all vertices or some, uniform or, --weighted, by weight; with --p and --q as "
                  "node2vec's.");
  WalksOptions o;
  CLI::App& app = command.app();
  o.input.add_to(app);
  o.input.add_names_to(app);
  app.add_option("--length", o.walks.length, "steps of a walk (default 80)")->check(CLI::NonNegativeNumber);
  app.add_option("--per-vertex", o.per_vertex, "walks from each vertex (default 10)")->check(CLI::NonNegativeNumber);
  app.add_option("--start", o.starts, "original ids to begin at instead of all, one or several; with --names names");
  app.add_option("--p", o.walks.return_parameter, "node2vec's return parameter (default 1)");
  app.add_option("--q", o.walks.in_out_parameter, "node2vec's in-out parameter (default 1)");
  app.add_option("--seed", o.walks.seed, "for the draws (default 1)");
  app.add_option("--output", o.output, "write a walk a row: .txt (blanks), .tsv (tabs, also names), .npy");
  app.add_option("--trials", o.trials, "how often it is timed (default 1)")->check(CLI::PositiveNumber);
  app.add_flag("--verify", o.verify, "check that the walks follow edges");
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) { return make_walks(world, command, o); });
}

}  // namespace atl::cli
