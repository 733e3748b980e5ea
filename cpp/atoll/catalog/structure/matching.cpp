// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atoll/algorithms/matching/matching.hpp>
#include <atoll/catalog/counted.hpp>
#include <atoll/catalog/rows.hpp>
#include <atoll/catalog/sampling.hpp>
#include <atoll/catalog/weighting.hpp>
#include <atoll/verify/greedy/matching.hpp>
#include <nlohmann/json.hpp>

namespace atl::catalog {
namespace {

class PreparedMatching final : public Prepared {
 public:
  PreparedMatching(const Graph& graph, EdgeWeighting weighting) : matching_(graph, weighting) {}

  void run(const Arguments& arguments, Answer& answer, const Progress&) override {
    result_.mate = answer.take<Vertex>("mate");
    matching_.run({.seed = seed_of(arguments)}, result_);
    answer.put("mate", std::move(result_.mate));
    answer.set("edges", result_.edges);
    answer.set("total_weight", result_.total_weight);
  }
  void report(const Arguments&, const Answer&, const Runs&, Report& report) const override {
    report.result = {{"edges", result_.edges}, {"total_weight", result_.total_weight}};
    report.lines.emplace_back("matching",
                              fmt::format("{}, of weight {}", counted(result_.edges, "edge"), result_.total_weight));
  }
  std::size_t memory_bytes() const override { return matching_.memory_bytes(); }

 private:
  Matching matching_;
  MatchingResult result_;
};

}  // namespace

Algorithm matching_row() {
  return {.name = "matching",
          .summary = "a maximal matching, by weight at least half of the heaviest",
          .description = "A maximal matching of an undirected graph: of the heaviest edges first, or drawn by a seed.",
          .check_summary =
              "matchings: mates are neighbours, and no edge could be added or is heavier than both of its ends'",
          .check_description = "Whether a file holds the mates of a maximal matching.",
          .options = {seed_option("of the order of edges that weigh the same (default 1)"),
                      {.name = "weighted",
                       .kind = Kind::flag,
                       .stage = Stage::prepare,
                       .default_value = false,
                       .help = "the heaviest edges first, else each weighs 1",
                       .taken_from = OptionSource::by_input}},
          .contract = {.direction = Contract::Direction::undirected, .weights = Contract::Weights::optional},
          .columns = {{"mate", "int64", "original id of the vertex that it is matched with; -1 if there is none"}},
          .scalars = {{"edges", "int64", "of the matching"}, {"total_weight", "float64", "sum of their weights"}},
          .python = "maximal_matching",
          .output_summary = "mates; by weight with `--weighted`, the same for the same `--seed`",
          .on_one_rank = {"algorithms/matching/matching.cpp"},
          .over_ranks = {"algorithms/matching/matching.cpp"},
          .reference = "Preis, 1999; Manne and Bisseling, 2007",
          .prepare = [](const Graph& graph, const Arguments& arguments) -> std::unique_ptr<Prepared> {
            return std::make_unique<PreparedMatching>(graph, weighting_of(arguments));
          },
          .verify =
              [](const Graph& graph, const Arguments& arguments, const Answer& answer, const EdgeList*) {
                return verify_matching(graph, column_of<Vertex>(answer, "mate"), weighting_of(arguments));
              }};
}

}  // namespace atl::catalog
