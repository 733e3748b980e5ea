// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atoll/catalog/rows.hpp>
#include <nlohmann/json.hpp>

#include "spectral.hpp"

namespace atl::catalog {
namespace {

class PreparedEigenvector final : public Prepared {
 public:
  PreparedEigenvector(const Graph& graph, EdgeWeighting values) : search_(graph, values) {}

  void run(const Arguments& arguments, Answer& answer, const Progress& progress) override {
    result_.score = answer.take<double>("score");
    search_.run(spectral_options_of(arguments, progress), result_);
    answer.put("score", std::move(result_.score));
    set_spectral_scalars(result_, answer);
    answer.set("eigenvalue", search_.eigenvalue());
  }
  void report(const Arguments& arguments, const Answer& answer, const Runs& runs, Report& report) const override {
    report_spectral("eigenvector", arguments, answer, runs, report);
    report.result["eigenvalue"] = search_.eigenvalue();
    report.lines.emplace_back("eigenvalue", fmt::format("{:.9g}", search_.eigenvalue()));
  }
  std::size_t memory_bytes() const override { return search_.memory_bytes(); }

 private:
  EigenvectorCentrality search_;
  SpectralResult result_;
};

}  // namespace

Algorithm eigenvector_row() {
  Algorithm row{
      .name = "eigenvector",
      .summary = "eigenvector centrality",
      .description = "Eigenvector centrality: a vertex is central where edges enter it from central vertices.",
      .check_summary = "eigenvector centrality: how far one more iteration moves the scores",
      .check_description = "Whether a file holds an eigenvector of the adjacency matrix without negative entries.",
      .options = spectral_options(100),
      .contract = {.weights = Contract::Weights::optional,
                   .self_loops = Contract::Multiplicity::counted,
                   .multi_edges = Contract::Multiplicity::counted,
                   .rounds = Contract::Rounds::along_all_edges},
      .columns = {{"score", "float64", "the eigenvector of the largest eigenvalue; its squares sum to 1"}},
      .scalars = spectral_scalars(),
      .python = "eigenvector_centrality",
      .output_summary = "eigenvector of the largest eigenvalue; by weight with `--weighted`",
      .on_one_rank = {"algorithms/spectral/spectral.cpp"},
      .over_ranks = {"algorithms/spectral/spectral.cpp"},
      .reference = "Bonacich, 1987",
      .check = check_spectral,
      .prepare = [](const Graph& graph, const Arguments& arguments) -> std::unique_ptr<Prepared> {
        return std::make_unique<PreparedEigenvector>(graph, weighting_of(arguments));
      },
      .verify =
          [](const Graph& graph, const Arguments& arguments, const Answer& answer, const EdgeList*) {
            return verify_eigenvector(graph, column_of<double>(answer, "score"), spectral_terms(arguments, answer));
          }};
  row.scalars.push_back({"eigenvalue", "float64", "the largest, as far as the iteration has come"});
  return row;
}

}  // namespace atl::catalog
