// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atoll/algorithms/truss/truss_numbers.hpp>
#include <atoll/catalog/rows.hpp>
#include <atoll/verify/truss/truss_numbers.hpp>
#include <nlohmann/json.hpp>

namespace atl::catalog {
namespace {

// Beside the columns of the row, the answer has the numbers of edges, which are no column: one for each edge.
constexpr const char* kOfEdge = "of_edge";

class PreparedTrussNumbers final : public Prepared {
 public:
  explicit PreparedTrussNumbers(const Graph& graph) : trusses_(graph) {}

  void run(const Arguments&, Answer& answer, const Progress&) override {
    result_.greatest = answer.take<Vertex>("truss");
    result_.of_edge = answer.take<Vertex>(kOfEdge);
    trusses_.run(result_);
    answer.put("truss", std::move(result_.greatest));
    answer.put(kOfEdge, std::move(result_.of_edge));
    answer.set("largest", result_.largest);
  }
  void report(const Arguments&, const Answer&, const Runs&, Report& report) const override {
    report.result = {{"largest", result_.largest}};
    report.lines.emplace_back("largest truss number", fmt::format("{}", result_.largest));
  }
  std::size_t memory_bytes() const override { return trusses_.memory_bytes(); }

 private:
  TrussNumbers trusses_;
  TrussNumbersResult result_;
};

}  // namespace

Algorithm ktruss_row() {
  return {
      .name = "ktruss",
      .summary = "truss numbers",
      .description =
          "Truss numbers of an undirected graph: of an edge the largest k such that it is in a subgraph in which every "
          "edge is in at least k - 2 triangles; of a vertex the greatest of its edges.",
      .check_summary = "truss numbers: enough triangles for each edge, and none too few",
      .check_description = "Whether a file holds the greatest truss number of each vertex' edges.",
      .options = {},
      .contract = {.direction = Contract::Direction::undirected},
      .columns = {{"truss", "int64", "the greatest truss number of the vertex' edges; 0: no edge leads to another"}},
      .scalars = {{"largest", "int64", "the largest truss number; 0: no edge joins two vertices"}},
      .verified_by_default = false,
      .python = "truss_numbers",
      .output_summary = "truss numbers: in Python of each edge, else the greatest of each vertex",
      .on_one_rank = {"algorithms/truss/peeling.cpp"},
      .over_ranks = {"algorithms/truss/distributed_peeling.cpp"},
      .reference = "Kabir and Madduri, 2017",
      .prepare = [](const Graph& graph, const Arguments&) -> std::unique_ptr<Prepared> {
        return std::make_unique<PreparedTrussNumbers>(graph);
      },
      .verify =
          [](const Graph& graph, const Arguments&, const Answer& answer, const EdgeList*) {
            std::optional<Vertex> largest;
            if (answer.scalar("largest")) largest = answer.whole("largest");
            return verify_truss_numbers(graph, {.greatest = column_of<Vertex>(answer, "truss"),
                                                .of_edge = column_of<Vertex>(answer, kOfEdge),
                                                .largest = largest});
          }};
}

}  // namespace atl::catalog
