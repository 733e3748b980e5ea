// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atoll/algorithms/bellman_ford/bellman_ford.hpp>
#include <atoll/catalog/counted.hpp>
#include <atoll/catalog/rows.hpp>
#include <atoll/verify/shortest_paths/shortest_paths.hpp>
#include <nlohmann/json.hpp>

namespace atl::catalog {
namespace {

class PreparedBellmanFord final : public Prepared {
 public:
  explicit PreparedBellmanFord(const Graph& graph) : search_(graph) {}

  void run(const Arguments& arguments, Answer& answer, const Progress&) override {
    result_.distance = answer.take<double>("distance");
    result_.parent = answer.take<Vertex>("parent");
    search_.run(arguments.vertex("source"), result_);
    answer.put("distance", std::move(result_.distance));
    answer.put("parent", std::move(result_.parent));
    answer.set("reached", result_.reached);
    answer.set("rounds", std::int64_t{result_.rounds});
  }
  void report(const Arguments& arguments, const Answer&, const Runs&, Report& report) const override {
    const Vertex source = arguments.vertex("source");
    report.result = {{"source", source}, {"reached", result_.reached}, {"rounds", result_.rounds}};
    report.lines.emplace_back("reached", result_.rounds > 0 ? fmt::format("{} from {} in {}", result_.reached, source,
                                                                          counted(result_.rounds, "round"))
                                                            : fmt::format("{} from {}", result_.reached, source));
  }
  std::size_t memory_bytes() const override { return search_.memory_bytes(); }

 private:
  BellmanFord search_;
  BellmanFordResult result_;
};

}  // namespace

Algorithm bellman_ford_row() {
  return {.name = "bellman_ford",
          .summary = "shortest paths from a source by weights that may be negative",
          .description =
              "Shortest paths by weights that may be negative, from a source: distances and parents. A cycle "
              "of negative sum that the source reaches is refused, and named.",
          .check_summary = "distances by weights of any sign, by Graph500's five rules",
          .check_description =
              "Whether a file holds the distances of shortest paths, by Graph500's five rules, where "
              "weights may be negative.",
          .options = {{.name = "source",
                       .kind = Kind::vertex,
                       .help = "original id to start from (default: the vertex of highest degree; of several trials, "
                               "one each, drawn by --seed)",
                       .check_help = "original id that the paths start from",
                       .taken_from = OptionSource::as_source},
                      {.name = "parents",
                       .kind = Kind::vertices,
                       .stage = Stage::check,
                       .check_help = "a second file, with the parents: the tree is checked too",
                       .taken_from = OptionSource::by_file}},
          .contract = {.weights = Contract::Weights::needed},
          .columns = {{"distance", "float64", "infinity where not reached"},
                      {.name = "parent",
                       .type = "int64",
                       .meaning = "original id of the parent in a tree of shortest paths; -1 where not reached",
                       .checked = false}},
          .scalars = {{"reached", "int64", "reached vertices on all ranks"},
                      {"rounds", "int64",
                       "exchanges between ranks, which depend on ranks and threads; 0 where no weight is negative"}},
          .python = "bellman_ford",
          .output_summary = "distances, parents; float64",
          .on_one_rank = {"algorithms/bellman_ford/bellman_ford.cpp"},
          .over_ranks = {"algorithms/bellman_ford/bellman_ford.cpp"},
          .reference = "Bellman, 1958",
          .prepare = [](const Graph& graph, const Arguments&) -> std::unique_ptr<Prepared> {
            return std::make_unique<PreparedBellmanFord>(graph);
          },
          .verify =
              [](const Graph& graph, const Arguments& arguments, const Answer& answer, const EdgeList*) {
                const auto of_answer = column_of<Vertex>(answer, "parent");
                return verify_bellman_ford(graph, arguments.vertex("source"), column_of<double>(answer, "distance"),
                                           of_answer.empty() ? arguments.vertices("parents") : of_answer);
              }};
}

}  // namespace atl::catalog
