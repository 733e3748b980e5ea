// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atoll/catalog/rows.hpp>
#include <nlohmann/json.hpp>

#include "spectral.hpp"

namespace atl::catalog {
namespace {

class PreparedKatz final : public Prepared {
 public:
  PreparedKatz(const Graph& graph, EdgeWeighting values) : search_(graph, values) {}

  void run(const Arguments& arguments, Answer& answer, const Progress& progress) override {
    result_.score = answer.take<double>("score");
    search_.run(arguments.real("alpha"), arguments.real("beta"), spectral_options_of(arguments, progress), result_);
    answer.put("score", std::move(result_.score));
    set_spectral_scalars(result_, answer);
  }
  void report(const Arguments& arguments, const Answer& answer, const Runs& runs, Report& report) const override {
    report_spectral("katz", arguments, answer, runs, report);
  }
  std::size_t memory_bytes() const override { return search_.memory_bytes(); }

 private:
  KatzCentrality search_;
  SpectralResult result_;
};

void check_katz(const Arguments& arguments) {
  check_spectral(arguments);
  const double alpha = arguments.real("alpha"), beta = arguments.real("beta");
  check(alpha > 0, "katz: alpha is {} (a number above 0, and below 1 over the largest eigenvalue). Change it.", alpha);
  check(beta > 0, "katz: beta is {} (a number above 0). Change it.", beta);
}

}  // namespace

Algorithm katz_row() {
  Algorithm row{
      .name = "katz",
      .summary = "Katz centrality",
      .description = "Katz centrality: walks that end at a vertex, of which each edge more counts alpha times as much.",
      .check_summary = "Katz centrality: how far one more iteration moves the scores",
      .check_description = "Whether a file holds Katz centrality, scaled so that the squares sum to 1.",
      .options = spectral_options(1000),
      .contract = {.weights = Contract::Weights::optional,
                   .self_loops = Contract::Multiplicity::counted,
                   .multi_edges = Contract::Multiplicity::counted,
                   .rounds = Contract::Rounds::along_all_edges},
      .columns = {{"score", "float64", "x = alpha A^T x + beta, scaled so that its squares sum to 1"}},
      .scalars = spectral_scalars(),
      .python = "katz_centrality",
      .output_summary = "walks that end at the vertex; by weight with `--weighted`",
      .on_one_rank = {"algorithms/spectral/spectral.cpp"},
      .over_ranks = {"algorithms/spectral/spectral.cpp"},
      .reference = "Katz, 1953",
      .check = check_katz,
      .prepare = [](const Graph& graph, const Arguments& arguments) -> std::unique_ptr<Prepared> {
        return std::make_unique<PreparedKatz>(graph, weighting_of(arguments));
      },
      .verify =
          [](const Graph& graph, const Arguments& arguments, const Answer& answer, const EdgeList*) {
            return verify_katz(graph, column_of<double>(answer, "score"), arguments.real("alpha"),
                               arguments.real("beta"), spectral_terms(arguments, answer));
          }};
  row.options.push_back({.name = "alpha",
                         .kind = Kind::real,
                         .default_value = 0.1,
                         .help = "what each edge of a walk multiplies it by (default 0.1)",
                         .check_help = "of the run (default 0.1)"});
  row.options.push_back({.name = "beta",
                         .kind = Kind::real,
                         .default_value = 1.0,
                         .help = "what each vertex has of itself (default 1)",
                         .check_help = "of the run (default 1)"});
  return row;
}

}  // namespace atl::catalog
