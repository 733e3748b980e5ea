// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atoll/algorithms/sssp/sssp.hpp>
#include <atoll/algorithms/sssp/whole_weights.hpp>
#include <atoll/catalog/rows.hpp>
#include <atoll/verify/shortest_paths/shortest_paths.hpp>
#include <nlohmann/json.hpp>

namespace atl::catalog {
namespace {

template <class Real>
class PreparedSssp final : public Prepared {
 public:
  PreparedSssp(const Graph& graph, const SsspOptions& options) : tree_(options.tree), sssp_(graph, options) {}

  void run(const Arguments& arguments, Answer& answer, const Progress&) override {
    result_.distance = answer.take<Real>("distance");
    if (tree_) result_.parent = answer.take<Vertex>("parent");
    if (result_.distance.data() != written_) result_.listed.reset();  // another answer's arrays
    sssp_.run(arguments.vertex("source"), result_);
    written_ = result_.distance.data();
    answer.put("distance", std::move(result_.distance));
    if (tree_) answer.put("parent", std::move(result_.parent));
    answer.set("reached", result_.reached);
  }
  void report(const Arguments& arguments, const Answer&, const Runs&, Report& report) const override {
    const Vertex source = arguments.vertex("source");
    const char* sums = sizeof(Real) == sizeof(double) ? "float64" : "float32";
    report.result = {{"source", source}, {"reached", result_.reached}, {"sums", sums}};
    report.lines.emplace_back("reached", fmt::format("{} from {}, lengths added up as {}{}", result_.reached, source,
                                                     sums, tree_ ? "" : ", without a tree"));
  }
  std::size_t memory_bytes() const override { return sssp_.memory_bytes(); }

 private:
  const bool tree_;
  Sssp<Real> sssp_;
  SsspResult<Real> result_;
  const Real* written_ = nullptr;  // where the run before wrote distances
};

Verdict verify_sssp(const Graph& graph, const Arguments& arguments, const Answer& answer, const EdgeList*) {
  const Vertex source = arguments.vertex("source");
  const auto of_answer = column_of<Vertex>(answer, "parent");
  const auto parents = of_answer.empty() ? arguments.vertices("parents") : of_answer;
  const Values& distance = *answer.find("distance");
  if (const auto* narrow = std::get_if<Array<float>>(&distance))
    return verify_sssp<float>(graph, source, span_of(*narrow), parents);
  const auto& wide = std::get<Array<double>>(distance);
  if (needs_double_sums(graph)) return verify_sssp<double>(graph, source, span_of(wide), parents);
  Array<float> read(wide.size());  // a file's, which holds decimal numbers
  for (std::size_t k = 0; k < wide.size(); ++k) read[k] = static_cast<float>(wide[k]);
  return verify_sssp<float>(graph, source, span_of(read), parents);
}

}  // namespace

Algorithm sssp_row() {
  return {.name = "sssp",
          .summary = "shortest paths by weight from a source",
          .description = "Shortest paths by weight from a source: distances and parents.",
          .check_summary = "distances, by Graph500's five rules with exact sums",
          .check_description = "Whether a file holds the distances of shortest paths, by Graph500's five rules.",
          .options = {{.name = "source",
                       .kind = Kind::vertex,
                       .help = "original id to start from (default: the vertex of highest degree; of several trials, "
                               "one each, drawn by --seed)",
                       .check_help = "original id that the paths start from",
                       .taken_from = OptionSource::as_source},
                      {.name = "delta",
                       .kind = Kind::real,
                       .stage = Stage::prepare,
                       .help = "width of a bucket, in units of the weights (default: chosen from them)",
                       .range = Range::positive},
                      {.name = "tree",
                       .kind = Kind::flag,
                       .stage = Stage::prepare,
                       .default_value = true,
                       .help = "whether parents are filled in",
                       .taken_from = OptionSource::by_library},
                      {.name = "parents",
                       .kind = Kind::vertices,
                       .stage = Stage::check,
                       .check_help = "a second file, with the parents: the tree is checked too",
                       .taken_from = OptionSource::by_file}},
          .contract = {.weights = Contract::Weights::needed},
          .columns = {{"distance", "float32 or float64", "as wide as the weights; infinity where not reached"},
                      {.name = "parent",
                       .type = "int64",
                       .meaning = "original id of the parent in a tree of shortest paths; -1 where not reached",
                       .checked = false,
                       .requires_flag = "tree"}},
          .scalars = {{"reached", "int64", "reached vertices on all ranks"}},
          .python = "sssp",
          .output_summary = "distances, parents; float32, float64, exact integers",
          .on_one_rank = {"algorithms/sssp/delta_stepping.cpp"},
          .over_ranks = {"algorithms/sssp/delta_stepping.cpp", "algorithms/sssp/vertex_cut.cpp"},
          .reference = "Meyer and Sanders, 2003",
          .prepare = [](const Graph& graph, const Arguments& arguments) -> std::unique_ptr<Prepared> {
            const SsspOptions options{.delta = arguments.real_if_given("delta"), .tree = arguments.flag("tree")};
            if (needs_double_sums(graph)) return std::make_unique<PreparedSssp<double>>(graph, options);
            return std::make_unique<PreparedSssp<float>>(graph, options);
          },
          .verify = verify_sssp};
}

}  // namespace atl::catalog
