// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atoll/algorithms/components/components.hpp>
#include <atoll/catalog/rows.hpp>
#include <atoll/verify/components/component_labels.hpp>
#include <nlohmann/json.hpp>

namespace atl::catalog {
namespace {

class PreparedComponents final : public Prepared {
 public:
  explicit PreparedComponents(const Graph& graph) : components_(graph) {}

  void run(const Arguments&, Answer& answer, const Progress&) override {
    result_.component = answer.take<Vertex>("component");
    components_.run(result_);
    answer.put("component", std::move(result_.component));
    answer.set("components", result_.components);
  }
  void report(const Arguments&, const Answer&, const Runs&, Report& report) const override {
    report.result = {{"components", result_.components}};
    report.lines.emplace_back("components", fmt::format("{}", result_.components));
  }
  std::size_t memory_bytes() const override { return components_.memory_bytes(); }

 private:
  Components components_;
  ComponentsResult result_;
};

}  // namespace

Algorithm cc_row() {
  return {.name = "cc",
          .summary = "connected components",
          .description = "Connected components; of a directed graph the weak ones.",
          .check_summary = "connected components, by edges and by a path to each label",
          .check_description = "Whether a file names the connected components by their smallest ids.",
          .options = {},
          .contract = {},
          .columns = {{"component", "int64", "the smallest original id of the vertex's component"}},
          .scalars = {{"components", "int64", "how many there are; an isolated vertex is one"}},
          .python = "connected_components",
          .output_summary = "smallest id of the (weak) component",
          .on_one_rank = {"algorithms/components/forest.cpp"},
          .over_ranks = {"algorithms/components/components.cpp"},
          .reference = "Sutton, IPDPS 2018",
          .prepare = [](const Graph& graph, const Arguments&) -> std::unique_ptr<Prepared> {
            return std::make_unique<PreparedComponents>(graph);
          },
          .verify = [](const Graph& graph, const Arguments&, const Answer& answer,
                       const EdgeList*) { return verify_components(graph, column_of<Vertex>(answer, "component")); }};
}

}  // namespace atl::catalog
