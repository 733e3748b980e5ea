// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atoll/algorithms/topological_order/topological_order.hpp>
#include <atoll/catalog/rows.hpp>
#include <atoll/verify/generations.hpp>
#include <nlohmann/json.hpp>

namespace atl::catalog {
namespace {

class PreparedTopologicalOrder final : public Prepared {
 public:
  explicit PreparedTopologicalOrder(const Graph& graph) : order_(graph) {}

  void run(const Arguments&, Answer& answer, const Progress&) override {
    result_.generation = answer.take<Vertex>("generation");
    order_.run(result_);
    answer.put("generation", std::move(result_.generation));
    answer.set("generations", result_.generations);
    answer.set("acyclic", result_.acyclic);
  }
  void report(const Arguments&, const Answer&, const Runs&, Report& report) const override {
    const std::vector<Vertex> cycle = result_.acyclic ? std::vector<Vertex>() : order_.cycle();
    report.result = {{"generations", result_.generations}, {"acyclic", result_.acyclic}, {"cycle", cycle}};
    report.lines.emplace_back("generations", fmt::format("{}", result_.generations));
    constexpr std::size_t kShown = 12;
    std::string shown;
    for (std::size_t k = 0; k < std::min(kShown, cycle.size()); ++k) shown += fmt::format("{} -> ", cycle[k]);
    if (cycle.size() > kShown) shown += fmt::format("{} more -> ", cycle.size() - kShown);
    report.lines.emplace_back("cycle", cycle.empty() ? "none" : fmt::format("{}{}", shown, cycle.front()));
  }
  std::size_t memory_bytes() const override { return order_.memory_bytes(); }

 private:
  TopologicalOrder order_;
  TopologicalResult result_;
};

}  // namespace

Algorithm topological_generations_row() {
  return {
      .name = "topological_generations",
      .summary = "generations of a topological order",
      .description =
          "Generations of a topological order: the edges of the longest path that ends at a vertex. A "
          "cycle is named.",
      .check_summary = "generations, by those of the tails of entering edges",
      .check_description = "Whether a file holds the generations of a topological order.",
      .options = {},
      .contract = {.self_loops = Contract::Multiplicity::counted},
      .columns = {{"generation", "int64", "edges of the longest path that ends there; -1 on a cycle, or behind one"}},
      .scalars = {{"generations", "int64", "how many there are"},
                  {"acyclic", "bool", "whether every vertex has one: there is no cycle"}},
      .python = "topological_generations",
      .output_summary = "generations of a topological order; a cycle is named",
      .on_one_rank = {"algorithms/topological_order/topological_order.cpp"},
      .over_ranks = {"algorithms/topological_order/topological_order.cpp"},
      .reference = "Kahn, 1962",
      .prepare = [](const Graph& graph, const Arguments&) -> std::unique_ptr<Prepared> {
        return std::make_unique<PreparedTopologicalOrder>(graph);
      },
      .verify = [](const Graph& graph, const Arguments&, const Answer& answer,
                   const EdgeList*) { return verify_generations(graph, column_of<Vertex>(answer, "generation")); }};
}

}  // namespace atl::catalog
