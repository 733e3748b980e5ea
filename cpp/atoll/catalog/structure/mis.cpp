// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atoll/algorithms/independent_set/independent_set.hpp>
#include <atoll/catalog/rows.hpp>
#include <atoll/catalog/sampling.hpp>
#include <atoll/verify/greedy/independent_set.hpp>
#include <nlohmann/json.hpp>

namespace atl::catalog {
namespace {

class PreparedSelection final : public Prepared {
 public:
  explicit PreparedSelection(const Graph& graph) : selection_(graph) {}

  void run(const Arguments& arguments, Answer& answer, const Progress&) override {
    result_.member = answer.take<Vertex>("member");
    selection_.run({.seed = seed_of(arguments)}, result_);
    answer.put("member", std::move(result_.member));
    answer.set("size", result_.size);
  }
  void report(const Arguments&, const Answer&, const Runs&, Report& report) const override {
    report.result = {{"size", result_.size}};
    report.lines.emplace_back("members", fmt::format("{}", result_.size));
  }
  std::size_t memory_bytes() const override { return selection_.memory_bytes(); }

 private:
  IndependentSet selection_;
  IndependentSetResult result_;
};

}  // namespace

Algorithm mis_row() {
  return {.name = "mis",
          .summary = "a maximal independent set",
          .description = "A maximal independent set of an undirected graph, drawn by a seed.",
          .check_summary = "independent sets: no two members are neighbours, all others have a member as one",
          .check_description = "Whether a file holds a maximal independent set.",
          .options = {seed_option("of the order in which vertices are taken (default 1)")},
          .contract = {.direction = Contract::Direction::undirected},
          .columns = {{"member", "int64", "1 if the vertex is in the set, else 0"}},
          .scalars = {{"size", "int64", "members"}},
          .python = "maximal_independent_set",
          .output_summary = "members; the same set for the same `--seed`",
          .on_one_rank = {"algorithms/independent_set/independent_set.cpp"},
          .over_ranks = {"algorithms/independent_set/independent_set.cpp"},
          .reference = "Luby, 1986; Blelloch et al., SPAA 2012",
          .prepare = [](const Graph& graph, const Arguments&) -> std::unique_ptr<Prepared> {
            return std::make_unique<PreparedSelection>(graph);
          },
          .verify = [](const Graph& graph, const Arguments&, const Answer& answer,
                       const EdgeList*) { return verify_independent_set(graph, column_of<Vertex>(answer, "member")); }};
}

}  // namespace atl::catalog
