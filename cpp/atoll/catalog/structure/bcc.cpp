// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atoll/algorithms/biconnected_components/biconnected_components.hpp>
#include <atoll/catalog/counted.hpp>
#include <atoll/catalog/rows.hpp>
#include <atoll/catalog/sampling.hpp>
#include <atoll/verify/components/biconnected_components.hpp>
#include <nlohmann/json.hpp>

namespace atl::catalog {
namespace {

class PreparedBiconnectedComponents final : public Prepared {
 public:
  explicit PreparedBiconnectedComponents(const Graph& graph) : search_(graph) {}

  void run(const Arguments&, Answer& answer, const Progress&) override {
    result_.blocks = answer.take<Vertex>("blocks");
    result_.articulation = answer.take<Vertex>("articulation");
    result_.bridge = answer.take<Vertex>("bridge");
    result_.block = answer.take<Vertex>("block");
    result_.head = answer.take<Vertex>("head");
    search_.run(result_);
    answer.put("blocks", std::move(result_.blocks));
    answer.put("articulation", std::move(result_.articulation));
    answer.put("bridge", std::move(result_.bridge));
    answer.put("block", std::move(result_.block));
    answer.put("head", std::move(result_.head));
    answer.set("components", result_.components);
    answer.set("bridges", result_.bridges);
    answer.set("articulation_points", result_.articulation_points);
    answer.set("largest", result_.largest);
  }
  void report(const Arguments&, const Answer&, const Runs&, Report& report) const override {
    report.result = {{"components", result_.components},
                     {"bridges", result_.bridges},
                     {"articulation_points", result_.articulation_points},
                     {"largest", result_.largest}};
    report.lines.emplace_back(
        "biconnected components",
        fmt::format("{}, the largest with {}; {}, {}", result_.components,
                    counted(result_.largest, "vertex", "vertices"), counted(result_.bridges, "bridge"),
                    counted(result_.articulation_points, "articulation point")));
  }
  std::size_t memory_bytes() const override { return search_.memory_bytes(); }

 private:
  BiconnectedComponents search_;
  BiconnectedComponentsResult result_;
};

std::optional<Vertex> total(const Answer& answer, std::string_view name) {
  if (answer.scalar(name)) return answer.whole(name);
  return {};
}

}  // namespace

Algorithm bcc_row() {
  return {
      .name = "bcc",
      .summary = "biconnected components, articulation points, bridges",
      .description =
          "Biconnected components, articulation points and bridges of an undirected graph. A biconnected component, a "
          "block, is a largest set of edges of which any two lie on a simple cycle, or a bridge.",
      .check_summary = "biconnected components: by a depth-first search, or removal of drawn vertices",
      .check_description =
          "Whether a file holds biconnected components or articulation points: by a depth-first search of one thread; "
          "where no rank can hold the edges, by conditions for all and the removal of drawn vertices.",
      .options = sampling_options(8, "vertices that are removed where no rank can hold the edges (default 8)"),
      .contract = {.direction = Contract::Direction::undirected, .multi_edges = Contract::Multiplicity::counted},
      .columns = {{"blocks", "int64", "biconnected components that hold the vertex; 0: no edge leads to another"},
                  {"articulation", "int64", "1 of an articulation point, which is in two blocks or more; else 0"},
                  {"bridge", "int64",
                   "1 where the edge to the head is a bridge, each of which has one such end; else 0"},
                  {"block", "int64",
                   "smallest id, its head's left out, of the block that leads to the smallest id of the connected "
                   "component; -1 of that vertex"},
                  {"head", "int64",
                   "id of that block's vertex nearest to the smallest id of the connected component; -1 of that "
                   "vertex"}},
      .scalars = {{"components", "int64", "biconnected components"},
                  {"bridges", "int64", "edges that are a biconnected component each"},
                  {"articulation_points", "int64", "vertices without which there are more connected components"},
                  {"largest", "int64", "vertices of the largest biconnected component"}},
      .verified_by_default = false,
      .python = "biconnected_components",
      .output_summary = "biconnected components of vertices and edges, articulation points, bridges",
      .on_one_rank = {"algorithms/biconnected_components/block_search.cpp"},
      .over_ranks = {"algorithms/biconnected_components/block_search.cpp"},
      .reference = "Dong, Wang, Gu and Sun, PPoPP 2023",
      .prepare = [](const Graph& graph, const Arguments&) -> std::unique_ptr<Prepared> {
        return std::make_unique<PreparedBiconnectedComponents>(graph);
      },
      .verify =
          [](const Graph& graph, const Arguments& arguments, const Answer& answer, const EdgeList*) {
            return verify_biconnected_components(graph,
                                                 {.blocks = column_of<Vertex>(answer, "blocks"),
                                                  .articulation = column_of<Vertex>(answer, "articulation"),
                                                  .bridge = column_of<Vertex>(answer, "bridge"),
                                                  .block = column_of<Vertex>(answer, "block"),
                                                  .head = column_of<Vertex>(answer, "head"),
                                                  .components = total(answer, "components"),
                                                  .bridges = total(answer, "bridges"),
                                                  .articulation_points = total(answer, "articulation_points"),
                                                  .largest = total(answer, "largest")},
                                                 {.vertices = arguments.whole("samples"), .seed = seed_of(arguments)});
          }};
}

}  // namespace atl::catalog
