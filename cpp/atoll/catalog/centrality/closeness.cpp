// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <atoll/algorithms/closeness/closeness.hpp>
#include <atoll/catalog/rows.hpp>
#include <atoll/catalog/sampling.hpp>
#include <atoll/verify/centrality/closeness_samples.hpp>
#include <nlohmann/json.hpp>

namespace atl::catalog {
namespace {

// The ids of the sources that a run draws, or nothing: it takes all.
class DrawnSources {
 public:
  DrawnSources(const Graph& graph, const Arguments& arguments) : is_drawn_(arguments.has("samples")) {
    if (is_drawn_) ids_ = draw_vertices(graph, arguments.whole("samples"), seed_of(arguments));
  }
  std::optional<std::span<const Vertex>> ids() const {
    return is_drawn_ ? std::optional(std::span<const Vertex>(ids_)) : std::nullopt;
  }

 private:
  bool is_drawn_;
  std::vector<Vertex> ids_;
};

class PreparedCloseness final : public Prepared {
 public:
  explicit PreparedCloseness(const Graph& graph) : graph_(graph), closeness_(graph) {}

  void run(const Arguments& arguments, Answer& answer, const Progress& progress) override {
    result_.closeness = answer.take<double>("closeness");
    result_.harmonic = answer.take<double>("harmonic");
    result_.farness = answer.take<Vertex>("farness");
    result_.reached = answer.take<Vertex>("reached");
    const DrawnSources sources(graph_, arguments);
    closeness_.run({.sources = sources.ids(), .progress = progress}, result_);
    answer.put("closeness", std::move(result_.closeness));
    answer.put("harmonic", std::move(result_.harmonic));
    answer.put("farness", std::move(result_.farness));
    answer.put("reached", std::move(result_.reached));
    answer.set("sources", result_.sources);
  }
  void report(const Arguments& arguments, const Answer& answer, const Runs& runs, Report& report) const override {
    const auto most = [&](const char* name) {
      double value = 0;
      for (const double x : column_of<double>(answer, name)) value = std::max(value, x);
      return graph_.world().max(value);
    };
    const double each = runs.median_seconds / static_cast<double>(std::max<Vertex>(1, result_.sources));
    const double closeness = most("closeness"), harmonic = most("harmonic");
    report.result = {{"sources", result_.sources},
                     {"sampled", arguments.has("samples")},
                     {"largest_closeness", closeness},
                     {"largest_harmonic", harmonic}};
    report.seconds["source"] = each;
    report.lines.emplace_back("sources", fmt::format("{}, {:.3f} ms each", result_.sources, each * 1e3));
    report.lines.emplace_back("largest", fmt::format("closeness {:.6g}, harmonic {:.6g}", closeness, harmonic));
  }
  std::size_t memory_bytes() const override { return closeness_.memory_bytes(); }

 private:
  const Graph& graph_;
  Closeness closeness_;
  ClosenessResult result_;
};

}  // namespace

Algorithm closeness_row() {
  return {
      .name = "closeness",
      .summary = "closeness and harmonic centrality",
      .description =
          "Closeness and harmonic centrality by edges: from the distances of all vertices, or of a sample, to each. "
          "In directed graphs paths lead to the vertex.",
      .check_summary = "closeness: bounds by neighbours, samples by a search",
      .check_description =
          "Whether a file holds closeness, harmonic centrality, or what they are made of: conditions "
          "for all, and searches against the edges from some.",
      .options = {{.name = "samples",
                   .help = "sources drawn by --seed, whose sums are scaled up (default: all vertices, exact)",
                   .check_help = "of the run, if it had --samples",
                   .range = Range::positive,
                   .most = INT64_MAX},
                  {.name = "seed",
                   .default_value = std::int64_t{1},
                   .help = "for drawing sources (default 1)",
                   .check_help = "of the run (default 1)",
                   .range = Range::not_negative,
                   .most = INT64_MAX},
                  {.name = "searches",
                   .stage = Stage::check,
                   .default_value = std::int64_t{8},
                   .check_help = "vertices, drawn at random, that are searched from (default 8)",
                   .range = Range::not_negative,
                   .most = INT64_MAX}},
      .contract = {},
      .columns = {{"closeness", "float64", "share of the other vertices that reach it, over their mean distance to it"},
                  {"harmonic", "float64", "sum of the reciprocals of the distances of the others to it"},
                  {"farness", "int64", "sum of the distances to it, from sources that reach it"},
                  {"reached", "int64", "sources, other than it, that reach it"}},
      .scalars = {{"sources", "int64", "vertices that were searched from"}},
      .verified_by_default = true,
      .python = "closeness_centrality",
      .output_summary = "closeness and harmonic centrality: exact, or `--samples` estimated from drawn sources",
      .on_one_rank = {"algorithms/closeness/kernel.cpp"},
      .over_ranks = {"algorithms/closeness/batch.cpp"},
      .reference = "Then et al., 2014; Eppstein and Wang, 2004",
      .prepare = [](const Graph& graph, const Arguments&) -> std::unique_ptr<Prepared> {
        return std::make_unique<PreparedCloseness>(graph);
      },
      .verify =
          [](const Graph& graph, const Arguments& arguments, const Answer& answer, const EdgeList*) {
            const DrawnSources sources(graph, arguments);
            return verify_closeness(
                graph,
                {.closeness = column_of<double>(answer, "closeness"),
                 .harmonic = column_of<double>(answer, "harmonic"),
                 .farness = column_of<Vertex>(answer, "farness"),
                 .reached = column_of<Vertex>(answer, "reached")},
                {.sources = sources.ids(), .samples = arguments.whole("searches"), .seed = seed_of(arguments)});
          }};
}

}  // namespace atl::catalog
