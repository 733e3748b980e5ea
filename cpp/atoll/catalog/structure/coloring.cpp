// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atoll/algorithms/coloring/coloring.hpp>
#include <atoll/catalog/rows.hpp>
#include <atoll/catalog/sampling.hpp>
#include <atoll/verify/greedy/colors.hpp>
#include <nlohmann/json.hpp>

namespace atl::catalog {
namespace {

class PreparedColoring final : public Prepared {
 public:
  explicit PreparedColoring(const Graph& graph) : coloring_(graph) {}

  void run(const Arguments& arguments, Answer& answer, const Progress&) override {
    result_.color = answer.take<Vertex>("color");
    coloring_.run({.order = arguments.word("order") == "random" ? ColoringOrder::random : ColoringOrder::largest_first,
                   .seed = seed_of(arguments)},
                  result_);
    answer.put("color", std::move(result_.color));
    answer.set("colors", result_.colors);
  }
  void report(const Arguments&, const Answer&, const Runs&, Report& report) const override {
    report.result = {{"colors", result_.colors}};
    report.lines.emplace_back("colors", fmt::format("{}", result_.colors));
  }
  std::size_t memory_bytes() const override { return coloring_.memory_bytes(); }

 private:
  Coloring coloring_;
  ColoringResult result_;
};

}  // namespace

Algorithm coloring_row() {
  return {
      .name = "coloring",
      .summary = "greedy colours: neighbours differ",
      .description =
          "Greedy colours of an undirected graph: each vertex takes the least that no neighbour before it has.",
      .check_summary = "colours: neighbours differ, and none could be less",
      .check_description = "Whether a file holds greedy colours.",
      .options = {{.name = "order",
                   .kind = Kind::word,
                   .default_value = "largest_first",
                   .help =
                       "in which vertices take colours: largest_first (by degree, equal ones by id; default) or random",
                   .choices = {"largest_first", "random"}},
                  seed_option("of the random order (default 1)")},
      .contract = {.direction = Contract::Direction::undirected},
      .columns = {{"color", "int64", "from 0 on"}},
      .scalars = {{"colors", "int64", "how many are used"}},
      .python = "greedy_color",
      .output_summary = "colours from 0 on; by degree or in a random `--order`",
      .on_one_rank = {"algorithms/coloring/coloring.cpp"},
      .over_ranks = {"algorithms/coloring/coloring.cpp"},
      .reference = "Jones and Plassmann, 1993",
      .prepare = [](const Graph& graph, const Arguments&) -> std::unique_ptr<Prepared> {
        return std::make_unique<PreparedColoring>(graph);
      },
      .verify = [](const Graph& graph, const Arguments&, const Answer& answer,
                   const EdgeList*) { return verify_colors(graph, column_of<Vertex>(answer, "color")); }};
}

}  // namespace atl::catalog
