// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atoll/catalog/rows.hpp>
#include <nlohmann/json.hpp>

#include "spectral.hpp"

namespace atl::catalog {
namespace {

class PreparedHits final : public Prepared {
 public:
  PreparedHits(const Graph& graph, EdgeWeighting values) : search_(graph, values) {}

  void run(const Arguments& arguments, Answer& answer, const Progress& progress) override {
    result_.hub = answer.take<double>("hub");
    result_.authority = answer.take<double>("authority");
    search_.run(spectral_options_of(arguments, progress), result_);
    answer.put("hub", std::move(result_.hub));
    answer.put("authority", std::move(result_.authority));
    set_spectral_scalars(result_, answer);
  }
  void report(const Arguments& arguments, const Answer& answer, const Runs& runs, Report& report) const override {
    report_spectral("hits", arguments, answer, runs, report);
  }
  std::size_t memory_bytes() const override { return search_.memory_bytes(); }

 private:
  Hits search_;
  HitsResult result_;
};

}  // namespace

Algorithm hits_row() {
  return {
      .name = "hits",
      .summary = "hubs and authorities",
      .description = "Hubs and authorities: good hubs lead to good authorities.",
      .check_summary = "hubs and authorities: how far one more iteration moves the hubs",
      .check_description = "Whether a file holds hubs, or with --column authorities.",
      .options = spectral_options(100, OptionSource::by_graph),
      .contract = {.weights = Contract::Weights::optional,
                   .self_loops = Contract::Multiplicity::counted,
                   .multi_edges = Contract::Multiplicity::counted,
                   .rounds = Contract::Rounds::along_all_edges},
      .columns = {{"hub", "float64", "sum over the vertices that edges lead to of their authority; all sum to 1"},
                  {"authority", "float64", "sum over the vertices that edges come from of their hub; all sum to 1"}},
      .scalars = spectral_scalars(),
      .python = "hits",
      .output_summary = "hubs and authorities; by weight, unless `--unweighted`",
      .on_one_rank = {"algorithms/spectral/spectral.cpp"},
      .over_ranks = {"algorithms/spectral/spectral.cpp"},
      .reference = "Kleinberg, 1999",
      .check = check_spectral,
      .prepare = [](const Graph& graph, const Arguments& arguments) -> std::unique_ptr<Prepared> {
        return std::make_unique<PreparedHits>(graph, weighting_of(arguments));
      },
      .verify =
          [](const Graph& graph, const Arguments& arguments, const Answer& answer, const EdgeList*) {
            return verify_hits(graph, column_of<double>(answer, "hub"), column_of<double>(answer, "authority"),
                               spectral_terms(arguments, answer));
          }};
}

}  // namespace atl::catalog
