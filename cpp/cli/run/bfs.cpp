// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <atoll/algorithms/bfs/bfs.hpp>
#include <atoll/graph/formats/write.hpp>
#include <atoll/verify/bfs/tree.hpp>
#include <charconv>

#include "cli/graph_input.hpp"
#include "cli/verbs.hpp"
#include "sources.hpp"
#include "trials.hpp"
#include "vertex_run.hpp"

namespace atl::cli {
namespace {

// Up to this many input edges times searches, results are verified by default: it takes seconds.
constexpr double kVerifyUpTo = 1e8;

struct Options {
  GraphInput input;
  std::optional<Vertex> source;
  int sources = 1;
  std::uint64_t seed = 1;
  std::string direction = "auto", fission = "off";
  bool verify = false, no_verify = false, degree_order = false;
  std::string output, output_values = "depth";
};

// "off", "on" or a degree; nothing if it is none of them.
std::optional<Edge> fission_of(const std::string& text) {
  if (text == "off") return kNoFission;
  if (text == "on") return kUsualFission;
  Edge degree = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), degree);
  if (error != std::errc() || end != text.data() + text.size() || degree < 1) return std::nullopt;
  return degree;
}

Outcome search(World& world, const Options& options) {
  if (options.degree_order && options.direction == "pull")
    throw UsageError("--degree-order with --direction pull (only what is pushed has an order). Leave one out.");
  world.fabric().simulate_closely(false);
  RankTimer timer(world);
  if (!options.output.empty()) check_result_path(world, options.output);
  Outcome outcome;
  EdgeList edges = options.input.load(world);
  const double load_seconds = world.max(timer.lap());
  const auto tuples = static_cast<double>(world.sum(static_cast<Edge>(edges.size())));
  const bool verify = !options.no_verify &&
                      (options.verify || tuples * std::max(1, options.source ? 1 : options.sources) <= kVerifyUpTo);

  // Keep the input for verification; otherwise free it as soon as the adjacency lists are built.
  IdMap ids;
  std::unique_ptr<Graph> graph;
  std::map<std::string, double> preparing;
  if (verify) {
    ids = assign(world, edges, number(world, edges), options.input.options().placement, &preparing);
    graph = std::make_unique<Graph>(Graph::build(world, edges, ids, options.input.options()));
  } else {
    graph = std::make_unique<Graph>(Graph::build(world, std::move(edges), options.input.options()));
  }
  const double build_seconds = world.max(timer.lap());
  const bool want_depths = verify || (!options.output.empty() && options.output_values == "depth");
  Bfs bfs(*graph, {.direction = options.direction == "push"   ? Direction::push
                                : options.direction == "pull" ? Direction::pull
                                                              : Direction::automatic,
                   .depths = want_depths ? Depths::yes : Depths::no,
                   .fission = *fission_of(options.fission),
                   .degree_order = options.degree_order});
  const double prepare_seconds = world.max(timer.lap());

  const std::vector<Vertex> sources =
      options.source ? std::vector<Vertex>(static_cast<std::size_t>(options.sources), *options.source)
                     : draw_sources(*graph, options.sources, options.seed);
  check(!sources.empty(), "{}: no vertex has an edge (there is nothing to search). Give another graph.", graph->name());
  BfsResult result;
  bfs.run(sources[0], result);  // once untimed: pages are touched, threads awake
  Trials timed(world);
  double seconds_per_edge = 0, verify_seconds = 0;
  Vertex depth = 0;
  nlohmann::json trials = nlohmann::json::array();
  for (Vertex source : sources) {
    const double trial = timed.time([&] { bfs.run(source, result); });
    seconds_per_edge += trial / static_cast<double>(std::max<Edge>(1, result.edges));
    trials.push_back(
        {{"source", source}, {"reached", result.reached}, {"levels", result.levels}, {"pulls", result.pulls}});
    if (!verify) continue;
    const RankTimer checking(world);
    const BfsTreeReport report = verify_bfs(*graph, source, {result.parent.data(), result.parent.size()},
                                            {result.depth.data(), result.depth.size()}, Tuples::of(edges),
                                            graph->directed() ? TupleKind::directed : TupleKind::undirected);
    verify_seconds += world.max(checking.seconds());
    depth = report.depth;
    outcome.verified = outcome.verified.value_or(true) && report.ok;
    if (!report.ok) {
      outcome.failure = fmt::format("{}: the answer from source {} breaks rule {}: {}", graph->name(), source,
                                    report.rule, report.what);
      break;
    }
  }
  if (!options.output.empty())
    write_by_id(*graph, options.output, options.output_values == "depth" ? result.depth : result.parent);

  const std::vector<double> sorted = timed.sorted();
  const double median = sorted[sorted.size() / 2];
  const double mteps = static_cast<double>(sorted.size()) / seconds_per_edge / 1e6;
  preparing.insert(graph->report().seconds.begin(), graph->report().seconds.end());
  outcome.input = describe(*graph);
  outcome.input["preparation"] = options.input.preparation(*graph);
  outcome.result = {{"source", sources.back()}, {"reached", result.reached}, {"levels", result.levels},
                    {"mteps", mteps},           {"searches", sorted.size()}, {"per_source", trials}};
  if (verify && outcome.verified.value_or(false)) outcome.result["depth"] = depth;
  outcome.seconds = {{"prepare", prepare_seconds},
                     {"load", load_seconds},
                     {"build", build_seconds},
                     {"build_phases", preparing},
                     {"verify", verify_seconds}};
  timed.report(outcome.seconds, outcome.counters);
  for (const BfsResult::Round& r : result.rounds)  // of the last search
    outcome.seconds["rounds"].push_back({{"found", r.found},
                                         {"pulled", r.pulled},
                                         {"seconds", world.max(r.seconds)},
                                         {"non_overlapped_communication", world.max(r.waited_seconds)}});
  outcome.text =
      table_of({{"graph", fmt::format("{}: {} vertices, {} {} edges", graph->name(), graph->vertices(), graph->edges(),
                                      graph->directed() ? "directed" : "undirected")},
                {"ranks", fmt::format("{} x {} threads, {}", world.size(), world.team().size(), world.fabric().name())},
                {"reached", fmt::format("{} in {} levels from {}", result.reached, result.levels, sources.back())},
                {"search", fmt::format("{:.3f} ms (median of {}; {:.3f} to {:.3f})", median * 1e3, sorted.size(),
                                       sorted.front() * 1e3, sorted.back() * 1e3)},
                {"rate", fmt::format("{:.1f} M edges/s (harmonic mean)", mteps)},
                {"load, build",
                 fmt::format("{:.3f} s, {:.3f} s; prepare {:.3f} s", load_seconds, build_seconds, prepare_seconds)},
                {"verified", !verify             ? "no (--verify asks for it)"
                             : *outcome.verified ? "yes"
                                                 : "FAILED"}});
  return outcome;
}

}  // namespace

int run_bfs(const Words& words) {
  Command command("run bfs", "Breadth-first search: parents and depths from a source.");
  Options o;
  CLI::App& app = command.app();
  o.input.add_to(app);
  app.add_option("--source", o.source, "original id to start from (default: drawn by --seed)");
  app.add_option("--sources", o.sources, "number of searches (default 1); with --source, that often from there")
      ->check(CLI::PositiveNumber);
  app.add_option("--seed", o.seed, "for drawing sources (default 1)");
  app.add_option("--direction", o.direction, "auto, push or pull")->check(CLI::IsMember({"auto", "push", "pull"}));
  app.add_option(
         "--fission", o.fission,
         "siblings of heavy vertices on the ranks of their neighbours: on, off, or from which degree on (default "
         "off)")
      ->check([](const std::string& text) {
        return fission_of(text) ? "" : fmt::format("{} (on, off, or the least degree of a heavy vertex)", text);
      });
  app.add_flag("--degree-order", o.degree_order, "push from a frontier's heaviest vertices first");
  auto* verify = app.add_flag("--verify", o.verify, "check the answers against the input (default for small inputs)");
  app.add_flag("--no-verify", o.no_verify, "do not")->excludes(verify);
  app.add_option("--output", o.output, "write the last search's values with original ids: .tsv .csv .txt .npy");
  app.add_option("--output-values", o.output_values, "depth (default) or parent")
      ->check(CLI::IsMember({"depth", "parent"}));
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) { return search(world, o); });
}

}  // namespace atl::cli
