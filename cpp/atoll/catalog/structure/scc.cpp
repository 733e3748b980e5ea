// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atoll/algorithms/strong_components/strong_components.hpp>
#include <atoll/catalog/rows.hpp>
#include <atoll/verify/components/strong_component_labels.hpp>
#include <nlohmann/json.hpp>

namespace atl::catalog {
namespace {

class PreparedStrongComponents final : public Prepared {
 public:
  explicit PreparedStrongComponents(const Graph& graph) : search_(graph) {}

  void run(const Arguments&, Answer& answer, const Progress&) override {
    result_.component = answer.take<Vertex>("component");
    search_.run(result_);
    answer.put("component", std::move(result_.component));
    answer.set("components", result_.components);
  }
  void report(const Arguments&, const Answer&, const Runs&, Report& report) const override {
    report.result = {{"components", result_.components}};
    report.lines.emplace_back("components", fmt::format("{}", result_.components));
  }
  std::size_t memory_bytes() const override { return search_.memory_bytes(); }

 private:
  StrongComponents search_;
  StrongComponentsResult result_;
};

}  // namespace

Algorithm scc_row() {
  return {.name = "scc",
          .summary = "strongly connected components",
          .description = "Strongly connected components; of an undirected graph the connected ones.",
          .check_summary = "strongly connected components, by paths to and from each label, and an order of the labels",
          .check_description = "Whether a file names the strongly connected components by their smallest ids.",
          .options = {},
          .contract = {},
          .columns = {{"component", "int64", "the smallest original id of the vertex's strongly connected component"}},
          .scalars = {{"components", "int64", "how many there are; an isolated vertex is one"}},
          .python = "strongly_connected_components",
          .output_summary = "smallest id of the strongly connected component",
          .on_one_rank = {"algorithms/strong_components/one_rank.cpp"},
          .over_ranks = {"algorithms/strong_components/distributed.cpp"},
          .reference = "Fleischer, 2000; Orzan, 2004",
          .prepare = [](const Graph& graph, const Arguments&) -> std::unique_ptr<Prepared> {
            return std::make_unique<PreparedStrongComponents>(graph);
          },
          .verify =
              [](const Graph& graph, const Arguments&, const Answer& answer, const EdgeList*) {
                return verify_strong_components(graph, column_of<Vertex>(answer, "component"));
              }};
}

}  // namespace atl::catalog
