// SPDX-License-Identifier: Apache-2.0
// The two rows of one algorithm: local clustering coefficients, and triangles.
#include <fmt/format.h>

#include <atoll/algorithms/triangles/clustering_coefficient.hpp>
#include <atoll/catalog/rows.hpp>
#include <atoll/catalog/sampling.hpp>
#include <atoll/verify/clustering_samples.hpp>
#include <atoll/verify/triangle_counts.hpp>
#include <nlohmann/json.hpp>

namespace atl::catalog {
namespace {

class Clustering final : public Prepared {
 public:
  explicit Clustering(const Graph& graph) : graph_(graph), counting_(graph) {}

  void run(const Arguments&, Answer& answer, const Progress&) override {
    result_.coefficient = answer.take<double>("coefficient");
    result_.triangles = answer.take<Vertex>("triangles");
    counting_.run(result_);
    answer.put("coefficient", std::move(result_.coefficient));
    answer.put("triangles", std::move(result_.triangles));
    answer.set("total", result_.total);
  }
  void report(const Arguments&, const Answer& answer, const Runs&, Report& report) const override {
    double sum = 0;
    for (const double c : column_of<double>(answer, "coefficient")) sum += c;
    const double mean = graph_.world().sum(sum) / static_cast<double>(std::max<Vertex>(1, graph_.vertices()));
    const Vertex total = answer.whole("total");
    report.result = {{"triangles", total}, {"mean_coefficient", mean}};
    report.lines.emplace_back("triangles", fmt::format("{}; mean coefficient {:.6f}", total, mean));
  }
  std::size_t memory_bytes() const override { return counting_.memory_bytes(); }

 private:
  const Graph& graph_;
  ClusteringCoefficient counting_;
  ClusteringResult result_;
};

// Returns a row with the fields that both rows share.
Algorithm clustering_row() {
  Algorithm row{};
  row.scalars = {{"total", "int64", "triangles, each once"}};
  row.verified_by_default = false;
  row.python = "clustering";
  row.on_one_rank = {"algorithms/triangles/kernel.cpp"};
  row.over_ranks = {"algorithms/triangles/clustering_coefficient.cpp"};
  row.reference = "Latapy, 2008";
  row.prepare = [](const Graph& graph, const Arguments&) -> std::unique_ptr<Prepared> {
    return std::make_unique<Clustering>(graph);
  };
  return row;
}

ColumnInfo coefficients(bool checked) {
  return {.name = "coefficient",
          .type = "float64",
          .meaning = "edges between neighbours, by direction, over d (d - 1); 0 with fewer than two neighbours",
          .checked = checked};
}

ColumnInfo triangles(bool checked) {
  return {.name = "triangles",
          .type = "int64",
          .meaning = "triangles that the vertex is in, directions aside",
          .checked = checked};
}

}  // namespace

Algorithm lcc_row() {
  Algorithm row = clustering_row();
  row.name = "lcc";
  row.summary = "local clustering coefficients";
  row.description = "Local clustering coefficients, as Graphalytics defines them.";
  row.check_summary = "clustering coefficients: bounds, and samples by counting";
  row.check_description = "Whether a file holds local clustering coefficients: bounds for all, samples by counting.";
  row.options = sampling_options(32, "vertices whose neighbours' edges are counted (default 32)");
  row.columns = {coefficients(true), triangles(false)};
  row.output_summary = "local clustering coefficients, and triangles";
  row.verify = [](const Graph& graph, const Arguments& arguments, const Answer& answer, const EdgeList*) {
    return verify_clustering(graph, column_of<double>(answer, "coefficient"),
                             {.samples = arguments.whole("samples"), .seed = seed_of(arguments)});
  };
  return row;
}

Algorithm triangles_row() {
  Algorithm row = clustering_row();
  row.name = "triangles";
  row.summary = "triangles of each vertex, and all";
  row.description = "How many triangles each vertex is in, and all.";
  row.check_summary = "counts of triangles: bounds, the sum, and samples by counting";
  row.check_description = "Whether a file holds how many triangles each vertex is in: bounds, the sum, samples.";
  row.options = sampling_options(32, "vertices whose triangles are counted (default 32)");
  row.columns = {triangles(true), coefficients(false)};
  row.output_summary = "triangles of each vertex, and all";
  row.verify = [](const Graph& graph, const Arguments& arguments, const Answer& answer, const EdgeList*) {
    TriangleTerms terms{.samples = arguments.whole("samples"), .seed = seed_of(arguments)};
    if (answer.scalar("total")) terms.total = answer.whole("total");
    return verify_triangles(graph, column_of<Vertex>(answer, "triangles"), terms);
  };
  return row;
}

}  // namespace atl::catalog
