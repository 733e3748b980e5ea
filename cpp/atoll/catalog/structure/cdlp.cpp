// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atoll/algorithms/label_propagation/label_propagation.hpp>
#include <atoll/catalog/counted.hpp>
#include <atoll/catalog/rows.hpp>
#include <atoll/verify/propagated_labels.hpp>
#include <nlohmann/json.hpp>

namespace atl::catalog {
namespace {

int iterations_of(const Arguments& arguments) { return static_cast<int>(arguments.whole("iterations")); }

class PreparedPropagation final : public Prepared {
 public:
  explicit PreparedPropagation(const Graph& graph) : propagation_(graph) {}

  void run(const Arguments& arguments, Answer& answer, const Progress& progress) override {
    result_.label = answer.take<Vertex>("label");
    propagation_.run({.iterations = iterations_of(arguments), .progress = progress}, result_);
    answer.put("label", std::move(result_.label));
    answer.set("iterations", std::int64_t{result_.iterations});
    answer.set("changed", result_.changed);
  }
  void report(const Arguments&, const Answer&, const Runs&, Report& report) const override {
    report.result = {{"iterations", result_.iterations}, {"changed", result_.changed}};
    report.lines.emplace_back(
        "iterations", fmt::format("{}, the last changed {}", result_.iterations, counted(result_.changed, "label")));
  }
  std::size_t memory_bytes() const override { return propagation_.memory_bytes(); }

 private:
  LabelPropagation propagation_;
  LabelPropagationResult result_;
};

}  // namespace

Algorithm cdlp_row() {
  return {.name = "cdlp",
          .summary = "communities by label propagation",
          .description = "Communities by synchronous label propagation, as Graphalytics defines it.",
          .check_summary = "communities: the rounds done again",
          .check_description = "Whether a file holds the labels of synchronous propagation after so many rounds.",
          .options = {{.name = "iterations",
                       .default_value = std::int64_t{10},
                       .help = "at most so many (default 10)",
                       .check_help = "rounds (default 10)"},
                      {.name = "previous",
                       .kind = Kind::vertices,
                       .stage = Stage::check,
                       .check_help = "a file with the labels to begin from (default: the vertices' ids)",
                       .taken_from = OptionSource::by_file}},
          .contract = {.self_loops = Contract::Multiplicity::counted, .multi_edges = Contract::Multiplicity::counted},
          .columns = {{"label", "int64", "an original id that names the community"}},
          .scalars = {{"iterations", "int64", "iterations done"},
                      {"changed", "int64", "labels that the last iteration changed"}},
          .verified_by_default = false,
          .python = "label_propagation",
          .output_summary = "communities, as Graphalytics defines them",
          .on_one_rank = {"algorithms/label_propagation/label_propagation.cpp"},
          .over_ranks = {"algorithms/label_propagation/label_propagation.cpp"},
          .reference = "Raghavan, 2007",
          .prepare = [](const Graph& graph, const Arguments&) -> std::unique_ptr<Prepared> {
            return std::make_unique<PreparedPropagation>(graph);
          },
          .verify =
              [](const Graph& graph, const Arguments& arguments, const Answer& answer, const EdgeList*) {
                return verify_label_propagation(
                    graph, column_of<Vertex>(answer, "label"),
                    {.iterations = iterations_of(arguments), .previous = arguments.vertices("previous")});
              }};
}

}  // namespace atl::catalog
