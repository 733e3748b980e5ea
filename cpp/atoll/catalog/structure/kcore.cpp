// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atoll/algorithms/kcore/coreness.hpp>
#include <atoll/catalog/counted.hpp>
#include <atoll/catalog/rows.hpp>
#include <atoll/verify/core_numbers.hpp>
#include <nlohmann/json.hpp>

namespace atl::catalog {
namespace {

class PreparedCoreness final : public Prepared {
 public:
  explicit PreparedCoreness(const Graph& graph) : peeling_(graph) {}

  void run(const Arguments&, Answer& answer, const Progress&) override {
    result_.core = answer.take<Vertex>("core");
    peeling_.run(result_);
    answer.put("core", std::move(result_.core));
    answer.set("degeneracy", result_.degeneracy);
    answer.set("rounds", std::int64_t{result_.rounds});
  }
  void report(const Arguments&, const Answer&, const Runs&, Report& report) const override {
    report.result = {{"degeneracy", result_.degeneracy}, {"rounds", result_.rounds}};
    report.lines.emplace_back("degeneracy",
                              fmt::format("{} after {}", result_.degeneracy, counted(result_.rounds, "round")));
  }
  std::size_t memory_bytes() const override { return peeling_.memory_bytes(); }

 private:
  Coreness peeling_;
  CorenessResult result_;
};

}  // namespace

Algorithm kcore_row() {
  return {
      .name = "kcore",
      .summary = "core numbers",
      .description = "Core numbers of an undirected graph.",
      .check_summary = "core numbers: enough neighbours, and none too few",
      .check_description = "Whether a file holds the core numbers.",
      .options = {},
      .contract = {.direction = Contract::Direction::undirected},
      .columns = {{"core", "int64", "the largest k such that the vertex is in a subgraph of degrees of at least k"}},
      .scalars = {{"degeneracy", "int64", "the largest core number"},
                  {"rounds", "int64", "rounds of exchanges between ranks; on one rank: levels"}},
      .python = "core_number",
      .output_summary = "core numbers",
      .on_one_rank = {"algorithms/kcore/kernel.cpp"},
      .over_ranks = {"algorithms/kcore/coreness.cpp"},
      .reference = "Batagelj and Zaversnik, 2003",
      .prepare = [](const Graph& graph, const Arguments&) -> std::unique_ptr<Prepared> {
        return std::make_unique<PreparedCoreness>(graph);
      },
      .verify = [](const Graph& graph, const Arguments&, const Answer& answer,
                   const EdgeList*) { return verify_coreness(graph, column_of<Vertex>(answer, "core")); }};
}

}  // namespace atl::catalog
