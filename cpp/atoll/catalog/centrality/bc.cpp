// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <atoll/algorithms/betweenness/betweenness.hpp>
#include <atoll/catalog/rows.hpp>
#include <atoll/verify/betweenness/paths.hpp>
#include <nlohmann/json.hpp>

namespace atl::catalog {
namespace {

PathLength length_of(const Arguments& arguments) {
  return arguments.flag("weighted") ? PathLength::weights : PathLength::edges;
}

// The number of sources for which a check recomputes the paths: all if that takes about a second, at least 16.
std::size_t recomputed_sources(const Graph& graph) {
  constexpr Edge kLooks = 100'000'000;  // at edges, with those of both ways: about a second of one thread
  return static_cast<std::size_t>(std::max<Edge>(16, kLooks / std::max<Edge>(1, 4 * graph.edges())));
}

class PreparedBetweenness final : public Prepared {
 public:
  PreparedBetweenness(const Graph& graph, PathLength length) : graph_(graph), betweenness_(graph, length) {}

  void run(const Arguments& arguments, Answer& answer, const Progress& progress) override {
    result_.score = answer.take<double>("score");
    betweenness_.run(arguments.vertices("sources"), result_, progress);
    answer.put("score", std::move(result_.score));
  }
  void report(const Arguments& arguments, const Answer& answer, const Runs& runs, Report& report) const override {
    double most = 0;
    for (const double score : column_of<double>(answer, "score")) most = std::max(most, score);
    const std::size_t sources = arguments.vertices("sources").size();
    const double each = runs.median_seconds / static_cast<double>(std::max<std::size_t>(1, sources));
    report.result = {{"sources", sources},
                     {"largest", graph_.world().max(most)},
                     {"length", arguments.flag("weighted") ? "weights" : "edges"}};
    report.seconds["source"] = each;
    report.lines.emplace_back("sources", fmt::format("{}, {:.3f} ms each", sources, each * 1e3));
  }
  std::size_t memory_bytes() const override { return betweenness_.memory_bytes(); }

 private:
  const Graph& graph_;
  Betweenness betweenness_;
  BetweennessResult result_;
};

}  // namespace

Algorithm bc_row() {
  return {.name = "bc",
          .summary = "betweenness, from some or all sources",
          .description =
              "Betweenness: how many shortest paths pass a vertex, from some or all sources; with --weighted shortest "
              "by the sum of the weights, else by edges.",
          .check_summary = "betweenness: recomputed from few sources, the sum from many",
          .check_description =
              "Whether a file holds the betweenness from these sources: name them, and --weighted, as in the run.",
          .options = {{.name = "sources",
                       .kind = Kind::vertices,
                       .help = "original ids; one that is named twice counts twice",
                       .check_help = "those of the run",
                       .taken_from = OptionSource::as_source},
                      {.name = "weighted",
                       .kind = Kind::flag,
                       .stage = Stage::prepare,
                       .default_value = false,
                       .help = "a path is as long as the sum of its weights, else as its number of edges",
                       .taken_from = OptionSource::by_input}},
          .contract = {.weights = Contract::Weights::optional, .multi_edges = Contract::Multiplicity::counted},
          .columns = {{"score", "float64", "sum over the sources of the share of shortest paths that pass the vertex"}},
          .scalars = {},
          .verified_by_default = false,
          .python = "betweenness_centrality",
          .output_summary = "betweenness from all, some or drawn sources; paths by edges or, `--weighted`, by weight",
          .on_one_rank = {"algorithms/betweenness/kernel.cpp", "algorithms/betweenness/weighted.cpp"},
          .over_ranks = {"algorithms/betweenness/batch.cpp", "algorithms/betweenness/weighted.cpp"},
          .reference = "Brandes, 2001, and its section 4",
          .prepare = [](const Graph& graph, const Arguments& arguments) -> std::unique_ptr<Prepared> {
            return std::make_unique<PreparedBetweenness>(graph, length_of(arguments));
          },
          .verify =
              [](const Graph& graph, const Arguments& arguments, const Answer& answer, const EdgeList*) {
                return verify_betweenness(
                    graph, arguments.vertices("sources"), column_of<double>(answer, "score"),
                    {.recomputed_sources = recomputed_sources(graph), .by_weight = arguments.flag("weighted")});
              }};
}

}  // namespace atl::catalog
