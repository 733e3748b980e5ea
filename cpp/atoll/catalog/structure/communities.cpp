// SPDX-License-Identifier: Apache-2.0
// The rows of louvain and leiden.
#include <fmt/format.h>

#include <atoll/algorithms/communities/community_detection.hpp>
#include <atoll/catalog/counted.hpp>
#include <atoll/catalog/rows.hpp>
#include <atoll/catalog/weighting.hpp>
#include <atoll/verify/communities/communities.hpp>
#include <nlohmann/json.hpp>

namespace atl::catalog {
namespace {

class PreparedCommunities final : public Prepared {
 public:
  PreparedCommunities(const Graph& graph, CommunityMethod method, const Arguments& arguments)
      : detection_(graph, method, weighting_of(arguments)) {}

  void run(const Arguments& arguments, Answer& answer, const Progress& progress) override {
    result_.community = answer.take<Vertex>("community");
    detection_.run({.resolution = arguments.real("resolution"),
                    .iterations = static_cast<int>(arguments.whole("iterations")),
                    .progress = progress},
                   result_);
    answer.put("community", std::move(result_.community));
    answer.set("communities", result_.communities);
    answer.set("modularity", result_.modularity);
    answer.set("levels", std::int64_t{result_.levels});
  }
  void report(const Arguments& arguments, const Answer&, const Runs&, Report& report) const override {
    report.result = {{"communities", result_.communities},
                     {"modularity", result_.modularity},
                     {"levels", result_.levels},
                     {"resolution", arguments.real("resolution")}};
    report.lines.emplace_back("communities",
                              fmt::format("{} after {}", result_.communities, counted(result_.levels, "level")));
    report.lines.emplace_back("modularity", fmt::format("{:.6f}", result_.modularity));
  }
  std::size_t memory_bytes() const override { return detection_.memory_bytes(); }

 private:
  CommunityDetection detection_;
  CommunityDetectionResult result_;
};

template <CommunityMethod method>
std::unique_ptr<Prepared> prepared(const Graph& graph, const Arguments& arguments) {
  return std::make_unique<PreparedCommunities>(graph, method, arguments);
}

template <CommunityMethod method>
Verdict verified(const Graph& graph, const Arguments& arguments, const Answer& answer, const EdgeList*) {
  CommunitiesClaim claim{.weighting = arguments.flag("weighted") ? EdgeWeighting::of_edges : EdgeWeighting::ones,
                         .resolution = arguments.real("resolution"),
                         .modularity = {},
                         .connected = method == CommunityMethod::leiden};
  if (const Scalar* modularity = answer.scalar("modularity")) claim.modularity = std::get<double>(*modularity);
  return verify_communities(graph, column_of<Vertex>(answer, "community"), claim);
}

Algorithm row() {
  return {.name = {},
          .summary = {},
          .description = {},
          .check_summary = {},
          .check_description = {},
          .options = {{.name = "resolution",
                       .kind = Kind::real,
                       .default_value = 1.0,
                       .help = "greater ones find smaller communities (default 1)",
                       .check_help = "of the run (default 1)",
                       .range = Range::positive},
                      {.name = "iterations",
                       .default_value = std::int64_t{2},
                       .help = "passes over all levels, each from the communities of the one before (default 2)",
                       .range = Range::positive},
                      {.name = "weighted",
                       .kind = Kind::flag,
                       .stage = Stage::prepare,
                       .default_value = false,
                       .help = "edges count by their weights, else all alike",
                       .taken_from = OptionSource::by_graph}},
          .contract = {.direction = Contract::Direction::undirected,
                       .weights = Contract::Weights::optional,
                       .self_loops = Contract::Multiplicity::counted,
                       .multi_edges = Contract::Multiplicity::counted},
          .columns = {{"community", "int64", "the smallest original id of the vertex's community"}},
          .scalars = {{"communities", "int64", "how many there are; an isolated vertex is one"},
                      {"modularity", "float64", "of the communities, with this resolution; 0 if there is no edge"},
                      {"levels", "int64", "graphs on which vertices were moved, of all passes"}},
          .python = {},
          .output_summary = {},
          .on_one_rank = {"algorithms/communities/multilevel.cpp"},
          .over_ranks = {"algorithms/communities/over_ranks.cpp"},
          .reference = {},
          .prepare = nullptr,
          .verify = nullptr};
}

}  // namespace

Algorithm louvain_row() {
  Algorithm louvain = row();
  louvain.name = "louvain";
  louvain.summary = "communities by modularity, Louvain";
  louvain.description = "Communities of an undirected graph by modularity: the Louvain method.";
  louvain.check_summary = "communities: their names, the modularity, no two better as one";
  louvain.check_description =
      "Whether a file names communities by their smallest ids, of which no two together have a greater modularity.";
  louvain.python = "louvain_communities";
  louvain.output_summary = "communities by modularity; with a resolution; by weight, unless `--unweighted`";
  louvain.reference = "Blondel, 2008";
  louvain.prepare = prepared<CommunityMethod::louvain>;
  louvain.verify = verified<CommunityMethod::louvain>;
  return louvain;
}

Algorithm leiden_row() {
  Algorithm leiden = row();
  leiden.name = "leiden";
  leiden.summary = "connected communities by modularity, Leiden";
  leiden.description =
      "Communities of an undirected graph by modularity: the Leiden method, whose communities are connected.";
  leiden.check_summary = "communities: as louvain, and each is connected";
  leiden.check_description =
      "Whether a file names connected communities by their smallest ids, of which no two together have a greater "
      "modularity.";
  leiden.python = "leiden_communities";
  leiden.output_summary = "connected communities by modularity; with a resolution; by weight, unless `--unweighted`";
  leiden.reference = "Traag, Waltman and van Eck, 2019";
  leiden.prepare = prepared<CommunityMethod::leiden>;
  leiden.verify = verified<CommunityMethod::leiden>;
  return leiden;
}

}  // namespace atl::catalog
