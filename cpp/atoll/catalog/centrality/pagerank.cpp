// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <atoll/algorithms/device/graph_on_device.hpp>
#include <atoll/algorithms/pagerank/pagerank.hpp>
#include <atoll/catalog/rows.hpp>
#include <atoll/verify/centrality/pagerank_residual.hpp>
#include <limits>
#include <nlohmann/json.hpp>

namespace atl::catalog {
namespace {

std::optional<int> iteration_limit(const Arguments& arguments) {
  return arguments.has("max-iter") ? std::optional(static_cast<int>(arguments.whole("max-iter"))) : std::nullopt;
}

// Without a tolerance so many iterations are done as are asked for; without both 1e-6 ends them.
std::optional<double> tolerance_of(const Arguments& arguments) {
  const auto given = arguments.real_if_given("tol");
  return given || iteration_limit(arguments) ? given : std::optional(1e-6);
}

PageRankOptions pagerank_options(const Arguments& arguments) {
  return {.damping = arguments.real("alpha"),
          .tolerance = tolerance_of(arguments),
          .max_iterations = iteration_limit(arguments).value_or(100),
          .dangling = arguments.word("dangling") == "spread" ? Dangling::spread : Dangling::ignore,
          .personalization = arguments.reals("personalization"),
          .progress = {}};
}

// Form: PageRank or PageRankOnDevice.
template <class Real, template <class> class Solver>
class PreparedPageRank final : public Prepared {
 public:
  template <class Given>
  PreparedPageRank(const Graph& graph, const Given& given) : pagerank_(graph, given) {}

  void run(const Arguments& arguments, Answer& answer, const Progress& progress) override {
    result_.score = answer.take<Real>("score");
    PageRankOptions options = pagerank_options(arguments);
    options.progress = progress;
    pagerank_.run(options, result_);
    answer.put("score", std::move(result_.score));
    answer.set("iterations", std::int64_t{result_.iterations});
    answer.set("change", result_.change);
    answer.set("converged", result_.converged);
  }
  void report(const Arguments& arguments, const Answer&, const Runs& runs, Report& report) const override {
    report.result = {{"iterations", result_.iterations},
                     {"change", result_.change},
                     {"converged", result_.converged},
                     {"precision", arguments.word("precision")}};
    const double each = runs.median_seconds / std::max(1, result_.iterations);
    report.seconds["iteration"] = each;
    report.lines.emplace_back("iterations", fmt::format("{}, the last changed {:.3g} in all; {:.3f} ms each",
                                                        result_.iterations, result_.change, each * 1e3));
    if (const auto tolerance = tolerance_of(arguments); tolerance && !result_.converged)
      report.failure = fmt::format(
          "pagerank: after {} iterations the sum of changes is {:.3g} (the tolerance is {:.3g}). Allow more "
          "iterations, or a larger tolerance.",
          result_.iterations, result_.change, *tolerance);
  }
  std::size_t memory_bytes() const override { return pagerank_.memory_bytes(); }

 private:
  Solver<Real> pagerank_;
  PageRankResult<Real> result_;
};

template <class Real>
std::unique_ptr<Prepared> prepared(const Graph& graph, const Arguments& arguments) {
  const std::string& device = arguments.word("device");
  if (device != "cpu") return std::make_unique<PreparedPageRank<Real, PageRankOnDevice>>(graph, device);
  return std::make_unique<PreparedPageRank<Real, PageRank>>(
      graph, arguments.flag("weighted") ? Transition::by_weight : Transition::uniform);
}

Verdict verify_pagerank(const Graph& graph, const Arguments& arguments, const Answer& answer, const EdgeList*) {
  PageRankCheckOptions asked{.damping = arguments.real("alpha"),
                             .lost = arguments.word("dangling") == "spread" ? LostRank::spread : LostRank::ignored,
                             .personalization = arguments.reals("personalization"),
                             .weighted = arguments.flag("weighted")};
  if (arguments.word("precision") == "float") asked.unit = std::numeric_limits<float>::epsilon() / 2.0;
  asked.tolerance = tolerance_of(arguments);
  if (answer.scalar("iterations")) {  // of a run that has just ended
    if (!std::get<bool>(*answer.scalar("converged"))) {
      asked.tolerance.reset();
      asked.iterations = static_cast<int>(answer.whole("iterations"));
    }
  } else if (!asked.tolerance) {  // a run with both has ended by the tolerance, or failed
    asked.iterations = iteration_limit(arguments);
    asked.check = Iterations::repeated;
  }
  return std::visit(
      [&]<class T>(const Array<T>& score) {
        if constexpr (std::is_same_v<T, double>) return verify_pagerank(graph, span_of(score), asked);
        return verify_pagerank(graph, span_of(doubles_of(score)), asked);
      },
      *answer.find("score"));
}

}  // namespace

Algorithm pagerank_row() {
  return {
      .name = "pagerank",
      .summary = "the share of its steps that a random walk spends at each vertex",
      .description = "PageRank: the share of its steps that a random walk with teleportation spends at each vertex.",
      .check_summary = "how far one more iteration moves the scores, or the iterations done again",
      .check_description =
          "Whether a file holds PageRank's scores: how far one more iteration moves them, or what so many give.",
      .options = {{.name = "alpha",
                   .kind = Kind::real,
                   .default_value = 0.85,
                   .help = "of the walk's steps, those that follow an edge (default 0.85)",
                   .check_help = "of the walk's steps, those that follow an edge (default 0.85)",
                   .former = "damping"},
                  {.name = "tol",
                   .kind = Kind::real,
                   .help = "stop when the sum of changes is below (default 1e-6)",
                   .check_help = "that the run ended at (default 1e-6)",
                   .former = "tolerance"},
                  {.name = "max-iter",
                   .help = "so many iterations, without a --tol; with one, at most so many (default 100)",
                   .check_help = "the iterations that the run did, where it had no --tol",
                   .former = "iterations"},
                  {.name = "dangling",
                   .kind = Kind::word,
                   .default_value = "spread",
                   .help = "what vertices without a leaving edge have: spread (default) or ignore",
                   .check_help = "what vertices without a leaving edge have: spread (default) or ignore",
                   .choices = {"spread", "ignore"}},
                  {.name = "precision",
                   .kind = Kind::word,
                   .stage = Stage::prepare,
                   .default_value = "double",
                   .help = "double (default) or float",
                   .check_help = "of the run: double (default) or float",
                   .choices = {"double", "float"}},
                  device_option(),
                  {.name = "weighted",
                   .kind = Kind::flag,
                   .stage = Stage::prepare,
                   .default_value = false,
                   .help = "the walk takes edges in proportion to their weights, else all alike",
                   .taken_from = OptionSource::by_graph},
                  {.name = "personalization",
                   .kind = Kind::reals,
                   .help = "where jumps go: a file with a line \"vertex\" or \"vertex share\" for each vertex that has "
                           "a share (default: all vertices alike)",
                   .check_help = "the file of the run",
                   .taken_from = OptionSource::by_file}},
      .contract = {.weights = Contract::Weights::optional,
                   .self_loops = Contract::Multiplicity::counted,
                   .multi_edges = Contract::Multiplicity::counted,
                   .rounds = Contract::Rounds::along_all_edges},
      .columns = {{"score", "float64, or float32 with precision float", "sums to 1 where dangling rank is spread"}},
      .scalars = {{"iterations", "int64", "iterations done"},
                  {"change", "float64", "sum of changes in the last iteration"},
                  {"converged", "bool", "whether a tolerance was given and the change is below it"}},
      .python = "pagerank",
      .output_summary =
          "float32, float64; dangling mass spread or ignored; personalized; by weight, unless `--unweighted`",
      .on_one_rank = {"algorithms/pagerank/sell.cpp", "algorithms/pagerank/degree_split.cpp"},
      .over_ranks = {"algorithms/pagerank/pagerank.cpp"},
      .reference = "Brin and Page, 1998",
      .check =
          [](const Arguments& arguments) {
            PageRankOptions options = pagerank_options(arguments);
            options.personalization = {};  // its length is held against the graph later
            check_options(options, 0, {});
            if (arguments.word("device") != "cpu" && arguments.flag("weighted"))
              throw UsageError(
                  "the edges have weights and a --device is given (its walks take all edges alike). Leave it out, or "
                  "give --unweighted.");
          },
      .prepare = [](const Graph& graph, const Arguments& arguments) -> std::unique_ptr<Prepared> {
        if (arguments.word("precision") == "float") return prepared<float>(graph, arguments);
        return prepared<double>(graph, arguments);
      },
      .verify = verify_pagerank};
}

}  // namespace atl::catalog
