// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atoll/algorithms/point_to_point/path_search.hpp>
#include <cli/cli11.hpp>

#include "cli/graph_input.hpp"
#include "cli/result_file.hpp"
#include "cli/verbs.hpp"
#include "named_report.hpp"
#include "sources.hpp"
#include "trials.hpp"

namespace atl::cli {
namespace {

struct PathOptions {
  GraphInput input;
  std::string from, to;
  int trials = 1;
};

// "a -> b -> .. -> z", of a long path its ends.
std::string arrows(const std::vector<Vertex>& vertices, const Dictionary* names) {
  constexpr std::size_t kAtMost = 12, kHalf = kAtMost / 2;
  std::vector<std::string> shown;
  for (std::size_t k = 0; k < vertices.size(); ++k) {
    if (vertices.size() > kAtMost && k == kHalf) {
      shown.push_back(fmt::format("({} more, see --json)", vertices.size() - 2 * kHalf));
      k = vertices.size() - kHalf;
    }
    shown.push_back(text_of(vertices[k], names));
  }
  return fmt::format("{}", fmt::join(shown, " -> "));
}

nlohmann::json labels(const std::vector<Vertex>& vertices, const Dictionary* names) {
  nlohmann::json all = nlohmann::json::array();
  for (const Vertex v : vertices) all.push_back(names ? nlohmann::json(text_of(v, names)) : nlohmann::json(v));
  return all;
}

Outcome find_path(World& world, Command& command, const PathOptions& o) {
  const bool named = o.input.has_names(world);
  if (!named)
    world.collective_try([&] {
      vertex_meant("--from", o.from, nullptr);
      vertex_meant("--to", o.to, nullptr);
    });
  RankTimer timer(world);
  command.begin_phase(world, "reading " + o.input.text());
  NamedEdges loaded = o.input.load_named(world, named);
  const std::shared_ptr<const Dictionary> names = loaded.names;
  const nlohmann::json described_names = describe_names(loaded);
  const double load = world.max(timer.lap());
  command.begin_phase(world, "building the graph");
  const Graph graph = Graph::build(world, std::move(loaded.edges), o.input.options());
  const double build = world.max(timer.lap());
  const auto [from, to] = world.collective_try(
      [&] { return std::pair(vertex_meant("--from", o.from, names.get()), vertex_meant("--to", o.to, names.get())); });
  command.begin_phase(world, "path");
  const bool by_weight = o.input.is_weighted();
  timer.lap();
  PathSearch search(graph, by_weight ? PathLength::weights : PathLength::edges);
  const double prepare = world.max(timer.lap());
  Trials trials(world);
  VertexPath path;
  for (int trial = 0; trial < o.trials; ++trial) trials.time([&] { path = search.run(from, to); });

  Outcome outcome;
  outcome.input = describe(graph);
  if (names) outcome.input["names"] = described_names;
  trials.report(outcome.seconds, outcome.counters);
  outcome.seconds["load"] = load;
  outcome.seconds["build"] = build;
  outcome.seconds["prepare"] = prepare;
  const bool reached = !path.vertices.empty();
  outcome.result = {{"from", names ? nlohmann::json(text_of(from, names.get())) : nlohmann::json(from)},
                    {"to", names ? nlohmann::json(text_of(to, names.get())) : nlohmann::json(to)},
                    {"by", by_weight ? "weight" : "edges"},
                    {"reached", reached},
                    {"path", labels(path.vertices, names.get())},
                    {"visited", path.visited}};
  if (reached) outcome.result["length"] = path.length;
  std::string length = !reached    ? "there is no path"
                       : by_weight ? fmt::format("{} by weight, {} edges", path.length, path.vertices.size() - 1)
                                   : fmt::format("{} edges", path.vertices.size() - 1);
  if (graph.weighted() && !by_weight) length += "; the weights were not used (--weighted goes by them)";
  outcome.text = table_of(
      {{"graph", fmt::format("{}: {} vertices, {} {} edges", graph.name(), graph.vertices(), graph.edges(),
                             graph.directed() ? "directed" : "undirected")},
       {"ranks", fmt::format("{} x {} threads, {}", world.size(), world.team().size(), world.fabric().name())},
       {"path", reached ? arrows(path.vertices, names.get()) : "none"},
       {"length", length},
       {"visited", fmt::format("{} vertices, those that both searches have reached counted twice", path.visited)},
       {"time", fmt::format("{:.3f} ms (median of {})", outcome.seconds["run"].get<double>() * 1e3, o.trials)},
       {"load, build", fmt::format("{:.3f} s, {:.3f} s; prepare {:.3f} s", load, build, prepare)}});
  return outcome;
}

}  // namespace

int run_path(const Words& words) {
  Command command(
      "run path",
      "A shortest path from one vertex to another: with the fewest edges or, --weighted, of the least weight.");
  PathOptions o;
  CLI::App& app = command.app();
  o.input.add_to(app);
  o.input.add_names_to(app);
  app.add_option("--from", o.from, "original id where the path begins, with --names a name")->required();
  app.add_option("--to", o.to, "original id where it ends, with --names a name")->required();
  app.add_option("--trials", o.trials, "how often it is timed (default 1)")->check(CLI::PositiveNumber);
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) { return find_path(world, command, o); });
}

}  // namespace atl::cli
