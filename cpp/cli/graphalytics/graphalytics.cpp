// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/graph/formats/read.hpp>
#include <cli/cli11.hpp>
#include <filesystem>

#include "cli/graph_input.hpp"
#include "cli/run/vertex_run.hpp"
#include "cli/verbs.hpp"
#include "graphalytics_case.hpp"

namespace atl::cli {
namespace {

// An algorithm of the benchmark: its row, how its first column is compared, and what the properties say.
struct Entry {
  std::string_view name, row;
  Match match;
  std::vector<std::pair<std::string_view, std::string_view>> parameters;  // option of the row, property
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all{
      {"bfs", "bfs", Match::exact, {{"source", "bfs.source-vertex"}}},
      {"cdlp", "cdlp", Match::exact, {{"iterations", "cdlp.max-iterations"}}},
      {"lcc", "lcc", Match::epsilon, {}},
      {"pr", "pagerank", Match::epsilon, {{"alpha", "pr.damping-factor"}, {"max-iter", "pr.num-iterations"}}},
      {"sssp", "sssp", Match::epsilon, {{"source", "sssp.source-vertex"}}},
      {"wcc", "cc", Match::equivalence, {}}};
  return all;
}

// One algorithm of a case: prepares its layouts, runs it and compares the result.
class Task {
 public:
  Task(const GraphalyticsCase& c, const Entry& entry, const Graph& graph)
      : entry_(entry), row_(catalog::algorithm_named(entry.row)), graph_(graph), arguments_(row_.options) {
    for (const auto& [option, property] : entry.parameters)
      arguments_.set(option, value_of(c, option, std::string(property)));
  }
  void prepare() { prepared_ = row_.prepare(graph_, arguments_); }
  void run() { prepared_->run(arguments_, answer_, {}); }
  std::optional<std::string> difference(const std::string& file) const {
    return std::visit(
        [&]<class T>(const Array<T>& values) {
          if constexpr (std::is_same_v<T, float>)
            return cli::difference(graph_, file, catalog::doubles_of(values), entry_.match);
          else
            return cli::difference(graph_, file, values, entry_.match);
        },
        values());
  }
  void write(const std::string& path) const {
    std::visit([&](const auto& values) { write_by_id(graph_, path, values, Unreached::largest); }, values());
  }

 private:
  const catalog::Values& values() const { return *answer_.find(row_.columns.front().name); }
  catalog::Value value_of(const GraphalyticsCase& c, std::string_view option, const std::string& property) const {
    for (const catalog::Option& one : row_.options) {
      if (one.name != option) continue;
      if (one.kind == catalog::Kind::vertex) return c.vertex(property);
      if (one.kind == catalog::Kind::whole) return static_cast<std::int64_t>(c.number(property));
    }
    return c.number(property);
  }

  const Entry& entry_;
  const catalog::Algorithm& row_;
  const Graph& graph_;
  catalog::Arguments arguments_;
  std::unique_ptr<catalog::Prepared> prepared_;
  catalog::Answer answer_;
};

const Entry& entry_of(const GraphalyticsCase& c, const std::string& algorithm) {
  for (const Entry& entry : entries())
    if (entry.name == algorithm) return entry;
  throw InputError(
      fmt::format("{}: algorithm '{}' is unknown (bfs, cdlp, lcc, pr, sssp and wcc are known). Correct the properties.",
                  c.name(), algorithm));
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
    bool all_match = true, any_expected = false;
    for (const std::string& algorithm : only.empty() ? c.algorithms() : only) {
      Task task(c, entry_of(c, algorithm), graph);
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
