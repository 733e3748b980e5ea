// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atoll/algorithms/point_to_point/path_search.hpp>
#include <atoll/apsp/queries/pair_paths.hpp>
#include <atoll/catalog/counted.hpp>
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
  std::int64_t count = 0;  // 0: one path, by two searches that meet
  bool all_shortest = false;
  int trials = 1;
  bool several() const { return count > 0 || all_shortest; }
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

nlohmann::json label(Vertex v, const Dictionary* names) {
  return names ? nlohmann::json(text_of(v, names)) : nlohmann::json(v);
}

nlohmann::json labels(const std::vector<Vertex>& vertices, const Dictionary* names) {
  nlohmann::json all = nlohmann::json::array();
  for (const Vertex v : vertices) all.push_back(label(v, names));
  return all;
}

using Rows = std::vector<std::pair<std::string, std::string>>;

// One path of a graph, the lines that tell it, and its part of the result.
struct FoundPath {
  const PathOptions& options;
  const Graph& graph;
  const Dictionary* names;
  Vertex from, to;
  double prepare = 0;

  bool by_weight() const { return options.input.is_weighted(); }
  PathLength by() const { return by_weight() ? PathLength::weights : PathLength::edges; }
  std::string length_of(double length, const std::vector<Vertex>& vertices) const {
    const std::string edges = catalog::counted(static_cast<std::int64_t>(vertices.size()) - 1, "edge");
    return by_weight() ? fmt::format("{} by weight, {}", length, edges) : edges;
  }

  Rows one(Trials& trials, nlohmann::json& result) {
    RankTimer timer(graph.world());
    PathSearch search(graph, by());
    prepare = graph.world().max(timer.lap());
    VertexPath path;
    for (int trial = 0; trial < options.trials; ++trial) trials.time([&] { path = search.run(from, to); });
    const bool reached = !path.vertices.empty();
    result["reached"] = reached;
    result["path"] = labels(path.vertices, names);
    result["visited"] = path.visited;
    if (reached) result["length"] = path.length;
    std::string length = reached ? length_of(path.length, path.vertices) : "there is no path";
    if (graph.weighted() && !by_weight()) length += "; the weights were not used (--weighted goes by them)";
    return {{"path", reached ? arrows(path.vertices, names) : "none"},
            {"length", length},
            {"visited", fmt::format("{} vertices, those that both searches have reached counted twice", path.visited)}};
  }

  Rows several(Trials& trials, nlohmann::json& result) {
    constexpr std::size_t kShown = 20;
    RankTimer timer(graph.world());
    const PairPaths search(graph, by());
    prepare = graph.world().max(timer.lap());
    std::vector<PairPaths::Path> paths;
    const std::int64_t most = options.count > 0 ? options.count : INT64_MAX;
    for (int trial = 0; trial < options.trials; ++trial)
      trials.time([&] {
        paths = options.all_shortest ? search.all_shortest(from, to, most) : search.k_shortest(from, to, most);
      });
    result["reached"] = !paths.empty();
    result["paths"] = nlohmann::json::array();
    Rows rows{{"paths", fmt::format("{}{}", paths.size(),
                                    std::ssize(paths) < most && options.count > 0 ? ", there are no more" : "")}};
    for (const auto& [length, vertices] : paths) {
      result["paths"].push_back({{"length", length}, {"path", labels(vertices, names)}});
      if (rows.size() <= kShown) rows.emplace_back(length_of(length, vertices), arrows(vertices, names));
    }
    if (paths.size() > kShown) rows.emplace_back("", fmt::format("{} more, see --json", paths.size() - kShown));
    return rows;
  }
};

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
  FoundPath found{o, graph, names.get(), from, to};
  Outcome outcome;
  outcome.result = {{"from", label(from, names.get())},
                    {"to", label(to, names.get())},
                    {"by", found.by_weight() ? "weight" : "edges"}};
  Trials trials(world);
  const Rows rows = o.several() ? found.several(trials, outcome.result) : found.one(trials, outcome.result);
  outcome.input = describe(graph);
  if (names) outcome.input["names"] = described_names;
  trials.report(outcome.seconds, outcome.counters);
  outcome.seconds["load"] = load;
  outcome.seconds["build"] = build;
  outcome.seconds["prepare"] = found.prepare;
  Rows table{{"graph", describe_in_words(graph)},
             {"ranks", fmt::format("{} x {} threads, {}", world.size(), world.team().size(), world.fabric().name())}};
  table.insert(table.end(), rows.begin(), rows.end());
  table.emplace_back("time",
                     fmt::format("{:.3f} ms (median of {})", outcome.seconds["run"].get<double>() * 1e3, o.trials));
  table.emplace_back("load, build", fmt::format("{:.3f} s, {:.3f} s; prepare {:.3f} s", load, build, found.prepare));
  outcome.text = table_of(table);
  return outcome;
}

}  // namespace

int run_path(const Words& words) {
  Command command(
      "run path",
      "Shortest paths from one vertex to another: with the fewest edges or, --weighted, of the least weight.");
  PathOptions o;
  CLI::App& app = command.app();
  o.input.add_to(app);
  o.input.add_names_to(app);
  app.add_option("--from", o.from, "original id where the path begins, with --names a name")->required();
  app.add_option("--to", o.to, "original id where it ends, with --names a name")->required();
  app.add_option("--count", o.count, "as many paths without a vertex twice, the shortest first, or as there are")
      ->check(CLI::PositiveNumber);
  app.add_flag("--all-shortest", o.all_shortest, "all paths that are as short; with --count at most so many");
  app.add_option("--trials", o.trials, "how often it is timed (default 1)")->check(CLI::PositiveNumber);
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) { return find_path(world, command, o); });
}

}  // namespace atl::cli
