// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <atoll/algorithms/bfs/bfs.hpp>
#include <atoll/algorithms/components/components.hpp>
#include <atoll/algorithms/label_propagation/label_propagation.hpp>
#include <atoll/algorithms/pagerank/pagerank.hpp>
#include <atoll/algorithms/sssp/sssp.hpp>
#include <atoll/algorithms/triangles/clustering_coefficient.hpp>
#include <atoll/graph/formats/read.hpp>
#include <filesystem>

#include "cli/run/vertex_run.hpp"
#include "graph_input.hpp"
#include "graphalytics_case.hpp"
#include "verbs.hpp"

namespace atl::cli {
namespace {

// One algorithm of a case: prepares its layouts, runs it and compares the result.
struct Task {
  std::function<void()> prepare, run;
  std::function<std::optional<std::string>(const std::string& file)> difference;
  std::function<void(const std::string& path)> write;
};

template <class T>
void compare_by(Task& task, const Graph& graph, const Array<T>& values, Match match) {
  task.difference = [&graph, &values, match](const std::string& file) {
    return cli::difference(graph, file, values, match);
  };
  task.write = [&graph, &values](const std::string& path) { write_by_id(graph, path, values); };
}

// The results of all six algorithms, which the tasks point to.
struct Answers {
  std::unique_ptr<Bfs> bfs;
  BfsResult depths;
  std::unique_ptr<LabelPropagation> propagation;
  LabelPropagationResult communities;
  ClusteringResult clustering;
  std::unique_ptr<PageRank<double>> pagerank;
  PageRankResult<double> ranks;
  std::unique_ptr<Sssp<double>> sssp;
  SsspResult<double> distances;
  std::unique_ptr<Components> components;
  ComponentsResult labels;
};

Task task_of(const GraphalyticsCase& c, const std::string& algorithm, const Graph& graph, Answers& a) {
  Task task;
  if (algorithm == "bfs") {
    const Vertex source = c.vertex("bfs.source-vertex");
    task.prepare = [&] { a.bfs = std::make_unique<Bfs>(graph, BfsOptions{.depths = Depths::yes}); };
    task.run = [&a, source] { a.bfs->run(source, a.depths); };
    compare_by(task, graph, a.depths.depth, Match::exact);
  } else if (algorithm == "cdlp") {
    const auto iterations = static_cast<int>(c.number("cdlp.max-iterations"));
    task.prepare = [&] { a.propagation = std::make_unique<LabelPropagation>(graph); };
    task.run = [&a, iterations] { a.propagation->run({.iterations = iterations}, a.communities); };
    compare_by(task, graph, a.communities.label, Match::exact);
  } else if (algorithm == "lcc") {
    task.prepare = [] {};
    task.run = [&] { a.clustering = clustering_coefficient(graph); };
    compare_by(task, graph, a.clustering.coefficient, Match::epsilon);
  } else if (algorithm == "pr") {
    const PageRankOptions options{.damping = c.number("pr.damping-factor"),
                                  .tolerance = {},
                                  .max_iterations = static_cast<int>(c.number("pr.num-iterations"))};
    task.prepare = [&] { a.pagerank = std::make_unique<PageRank<double>>(graph); };
    task.run = [&a, options] { a.pagerank->run(options, a.ranks); };
    compare_by(task, graph, a.ranks.score, Match::epsilon);
  } else if (algorithm == "sssp") {
    const Vertex source = c.vertex("sssp.source-vertex");
    task.prepare = [&] { a.sssp = std::make_unique<Sssp<double>>(graph); };
    task.run = [&a, source] { a.sssp->run(source, a.distances); };
    compare_by(task, graph, a.distances.distance, Match::epsilon);
  } else if (algorithm == "wcc") {
    task.prepare = [&] { a.components = std::make_unique<Components>(graph); };
    task.run = [&] { a.components->run(a.labels); };
    compare_by(task, graph, a.labels.component, Match::equivalence);
  } else {
    throw InputError(
        fmt::format("{}: algorithm '{}' is unknown (bfs, cdlp, lcc, pr, sssp and wcc are known). Correct "
                    "the properties.",
                    c.name(), algorithm));
  }
  return task;
}

}  // namespace

int verb_graphalytics(const Words& words) {
  Command command("graphalytics", "Runs a case of the LDBC Graphalytics benchmark and checks what comes out.");
  std::string path, output;
  std::vector<std::string> only;
  int trials = 3;
  CLI::App& app = command.app();
  app.add_option("case", path, "its folder, or its .properties file")->required();
  app.add_option("--algorithms", only, "some of those it lists")->delimiter(',');
  app.add_option("--trials", trials, "how often each is timed (default 3, as the benchmark has it)")
      ->check(CLI::PositiveNumber);
  app.add_option("--output", output, "folder for the outputs, NAME-BFS.txt and so on; made if it is not there");
  if (const auto code = command.parse(words)) return *code;

  return command.run([&](World& world) {
    const RankTimer whole(world);
    RankTimer timer(world);
    const GraphalyticsCase c = world.collective_try([&] { return GraphalyticsCase(path); });
    world.collective_try([&] {
      if (output.empty() || world.rank() != 0) return;
      std::error_code error;
      std::filesystem::create_directory(output, error);
      if (!std::filesystem::is_directory(output))
        throw IoError(fmt::format(
            "{}: cannot be made (it is for the outputs: {}). Check the path and the permissions of its folder.", output,
            error ? error.message() : "there is a file of this name"));
    });
    const Graph graph = Graph::build(world, read_edges(world, c.stem(), {}));
    const double load_seconds = world.max(timer.lap());
    Outcome outcome;
    outcome.input = describe(graph);
    outcome.text =
        fmt::format("{}: {} vertices, {} edges; loaded in {:.3f} s\n{:<6} {:>12} {:>12} {:>14} {:>14}  {}\n", c.name(),
                    graph.vertices(), graph.edges(), load_seconds, "", "T_p (s)", "T_m (s)", "EPS", "EVPS", "matches");
    const Counters before = world.counters();
    Answers answers;
    bool all_match = true, any_expected = false;
    for (const std::string& algorithm : only.empty() ? c.algorithms() : only) {
      const Task task = task_of(c, algorithm, graph, answers);
      timer.lap();
      task.prepare();
      const double prepare_seconds = world.max(timer.lap());
      std::vector<double> seconds;
      for (int trial = 0; trial < trials; ++trial) {
        world.barrier();
        const RankTimer timed(world);
        task.run();
        seconds.push_back(world.max(timed.seconds()));
      }
      double mean = 0;  // the benchmark averages times, and takes rates of the mean
      for (const double s : seconds) mean += s / trials;
      timer.lap();
      if (!output.empty()) {
        std::string upper = algorithm;
        std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char ch) { return std::toupper(ch); });
        task.write(fmt::format("{}/{}-{}.txt", output, c.name(), upper));
      }
      const double makespan = load_seconds + prepare_seconds + mean + world.max(timer.lap());
      const auto edges = static_cast<double>(graph.edges());
      nlohmann::json row{{"algorithm", algorithm},
                         {"load_seconds", load_seconds},
                         {"prepare_seconds", prepare_seconds},
                         {"makespan_seconds", makespan},
                         {"processing_seconds", mean},
                         {"trials", seconds},
                         {"eps", edges / mean},
                         {"evps", (edges + static_cast<double>(graph.vertices())) / mean},
                         {"matches", nullptr}};
      std::string verdict = "no expected output";
      if (const auto file = c.expected(algorithm)) {
        any_expected = true;
        const auto wrong = task.difference(*file);
        row["matches"] = !wrong;
        verdict = wrong ? "NO: " + *wrong : "yes";
        if (wrong && all_match) outcome.failure = algorithm + ": " + *wrong;
        all_match = all_match && !wrong;
      }
      outcome.text += fmt::format("{:<6} {:>12.6f} {:>12.6f} {:>14.0f} {:>14.0f}  {}\n", algorithm, mean, makespan,
                                  row["eps"].get<double>(), row["evps"].get<double>(), verdict);
      outcome.result["algorithms"].push_back(std::move(row));
    }
    if (any_expected) outcome.verified = all_match;
    outcome.seconds = {{"run", world.max(whole.seconds())}, {"load", load_seconds}};
    outcome.counters = total_counters(world, world.counters().since(before));
    return outcome;
  });
}

}  // namespace atl::cli
