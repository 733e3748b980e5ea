// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atoll/algorithms/spanning_forest/spanning_forest.hpp>
#include <atoll/catalog/counted.hpp>
#include <atoll/catalog/rows.hpp>
#include <atoll/catalog/weighting.hpp>
#include <atoll/verify/spanning_forest/spanning_forest.hpp>
#include <nlohmann/json.hpp>

namespace atl::catalog {
namespace {

class PreparedSpanningForest final : public Prepared {
 public:
  PreparedSpanningForest(const Graph& graph, EdgeWeighting weights) : forest_(graph, weights) {}

  void run(const Arguments& arguments, Answer& answer, const Progress&) override {
    result_.parent = answer.take<Vertex>("parent");
    result_.weight = answer.take<double>("weight");
    forest_.run(arguments.flag("maximum") ? ForestKind::maximum : ForestKind::minimum, result_);
    answer.put("parent", std::move(result_.parent));
    answer.put("weight", std::move(result_.weight));
    answer.set("total_weight", result_.total_weight);
    answer.set("trees", result_.trees);
    answer.set("edges", result_.edges);
  }
  void report(const Arguments&, const Answer&, const Runs&, Report& report) const override {
    report.result = {{"total_weight", result_.total_weight}, {"trees", result_.trees}, {"edges", result_.edges}};
    report.lines.emplace_back("forest", fmt::format("{} in {}, of weight {}", counted(result_.edges, "edge"),
                                                    counted(result_.trees, "tree"), result_.total_weight));
  }
  std::size_t memory_bytes() const override { return forest_.memory_bytes(); }

 private:
  SpanningForest forest_;
  SpanningForestResult result_;
};

}  // namespace

Algorithm msf_row() {
  return {.name = "msf",
          .summary = "minimum (or maximum) spanning forest",
          .description = "Minimum or maximum spanning forest of an undirected graph, as the parent of each vertex.",
          .check_summary = "spanning forests: trees are components, no edge could replace another",
          .check_description = "Whether a file holds the parents of the minimum or maximum spanning forest.",
          .options = {{.name = "maximum",
                       .kind = Kind::flag,
                       .default_value = false,
                       .help = "the edges of greatest weight, else of least",
                       .check_help = "of the run: the edges of greatest weight"},
                      {.name = "weighted",
                       .kind = Kind::flag,
                       .stage = Stage::prepare,
                       .default_value = false,
                       .help = "edges differ by their weights, else each weighs 1",
                       .taken_from = OptionSource::by_graph}},
          .contract = {.direction = Contract::Direction::undirected, .weights = Contract::Weights::optional},
          .columns = {{"parent", "int64",
                       "original id of the next vertex towards the root, which is the smallest id of the component and "
                       "has its own"},
                      {.name = "weight",
                       .type = "float64",
                       .meaning = "of the edge to the parent; 0 of a root",
                       .checked = false}},
          .scalars = {{"total_weight", "float64", "sum of the weights"},
                      {"trees", "int64", "connected components; an isolated vertex is one"},
                      {"edges", "int64", "of the forest: vertices less trees"}},
          .python = "minimum_spanning_forest",
          .output_summary =
              "parent and weight of each vertex's edge; minimum or `--maximum`, by weight, unless `--unweighted`",
          .on_one_rank = {"algorithms/spanning_forest/kernel.hpp"},
          .over_ranks = {"algorithms/spanning_forest/spanning_forest.cpp"},
          .reference = "Bader and Cong, 2006",
          .prepare = [](const Graph& graph, const Arguments& arguments) -> std::unique_ptr<Prepared> {
            return std::make_unique<PreparedSpanningForest>(graph, weighting_of(arguments));
          },
          .verify =
              [](const Graph& graph, const Arguments& arguments, const Answer& answer, const EdgeList*) {
                return verify_spanning_forest(
                    graph, column_of<Vertex>(answer, "parent"), column_of<double>(answer, "weight"),
                    {.first = arguments.flag("maximum") ? FirstEdges::heaviest : FirstEdges::lightest,
                     .by_weight = arguments.flag("weighted")});
              }};
}

}  // namespace atl::catalog
