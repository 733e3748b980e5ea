// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atoll/algorithms/eccentricity/eccentricity.hpp>
#include <atoll/catalog/rows.hpp>
#include <atoll/catalog/sampling.hpp>
#include <atoll/verify/eccentricity_samples.hpp>
#include <nlohmann/json.hpp>

namespace atl::catalog {
namespace {

std::optional<std::int64_t> searches_of(const Arguments& arguments) {
  return arguments.has("searches") ? std::optional(arguments.whole("searches")) : std::nullopt;
}

EccentricityOptions eccentricity_options(const Arguments& arguments) {
  return {.find = arguments.word("find") == "all" ? Eccentricities::all : Eccentricities::extremes,
          .max_searches = searches_of(arguments),
          .progress = {}};
}

std::string between(Vertex lower, Vertex upper) {
  return lower == upper ? fmt::format("{}", lower) : fmt::format("{} to {}", lower, upper);
}

class PreparedEccentricity final : public Prepared {
 public:
  explicit PreparedEccentricity(const Graph& graph) : eccentricity_(graph) {}

  void run(const Arguments& arguments, Answer& answer, const Progress& progress) override {
    result_.lower = answer.take<Vertex>("eccentricity");
    result_.upper = answer.take<Vertex>("upper");
    EccentricityOptions options = eccentricity_options(arguments);
    options.progress = progress;
    eccentricity_.run(options, result_);
    answer.put("eccentricity", std::move(result_.lower));
    answer.put("upper", std::move(result_.upper));
    answer.set("diameter", result_.diameter_lower);
    answer.set("diameter_upper", result_.diameter_upper);
    answer.set("radius", result_.radius_lower);
    answer.set("radius_upper", result_.radius_upper);
    answer.set("components", result_.components);
    answer.set("searches", result_.searches);
    answer.set("exact", result_.exact);
  }
  void report(const Arguments& arguments, const Answer&, const Runs&, Report& report) const override {
    report.result = {{"diameter", result_.diameter_lower},
                     {"diameter_upper", result_.diameter_upper},
                     {"radius", result_.radius_lower},
                     {"radius_upper", result_.radius_upper},
                     {"components", result_.components},
                     {"searches", result_.searches},
                     {"exact", result_.exact},
                     {"find", arguments.word("find")}};
    report.lines.emplace_back("diameter", between(result_.diameter_lower, result_.diameter_upper));
    report.lines.emplace_back("radius", between(result_.radius_lower, result_.radius_upper) +
                                            (result_.components > 1 ? ", of the largest component" : ""));
    report.lines.emplace_back(
        "searches", fmt::format("{}{}", result_.searches,
                                result_.exact ? "" : "; what is told are bounds (more --searches make them exact)"));
  }
  std::size_t memory_bytes() const override { return eccentricity_.memory_bytes(); }

 private:
  Eccentricity eccentricity_;
  EccentricityResult result_;
};

Verdict verify_eccentricity(const Graph& graph, const Arguments& arguments, const Answer& answer, const EdgeList*) {
  EccentricityTerms terms{.samples = arguments.whole("samples"), .seed = seed_of(arguments)};
  const bool all_known = arguments.word("find") == "all" &&
                         (answer.scalar("exact") ? std::get<bool>(*answer.scalar("exact")) : !searches_of(arguments));
  const auto lower = column_of<Vertex>(answer, "eccentricity"), upper = column_of<Vertex>(answer, "upper");
  if (!all_known) terms.values = EccentricityValues::lower_bounds;
  if (answer.find("eccentricity"))
    if (const Verdict verdict = verify_eccentricity(graph, lower, terms); !verdict.ok) return verdict;
  if (!all_known) terms.values = EccentricityValues::upper_bounds;
  return answer.find("upper") ? verify_eccentricity(graph, upper, terms) : Verdict{};
}

}  // namespace

Algorithm eccentricity_row() {
  Algorithm row{
      .name = "eccentricity",
      .summary = "greatest distance from each vertex, diameter and radius",
      .description =
          "Eccentricities of an undirected graph by its edges: how far the farthest vertex of the same component is. "
          "The greatest is the diameter, the least of the largest component the radius.",
      .check_summary = "eccentricities: neighbours' differ by 1, samples by a search",
      .check_description =
          "Whether a file holds the eccentricities: conditions for all, samples by a search from them.",
      .options = {{.name = "find",
                   .kind = Kind::word,
                   .default_value = "all",
                   .help = "all eccentricities (default), or only the diameter and the radius: others are then bounds",
                   .check_help = "of the run: all (default) or diameter",
                   .choices = {"all", "diameter"}},
                  {.name = "searches",
                   .help = "at most so many: what is not known then is told as bounds (default: until all is known)",
                   .check_help = "that the run was limited to",
                   .range = Range::positive}},
      .contract = {.direction = Contract::Direction::undirected},
      .columns = {{"eccentricity", "int64",
                   "distance to the farthest vertex of the component; where not known, at least"},
                  {"upper", "int64", "the same where known, else at most"}},
      .scalars = {{"diameter", "int64", "the greatest eccentricity; where not known, at least"},
                  {"diameter_upper", "int64", "at most"},
                  {"radius", "int64", "the least eccentricity of the largest component; where not known, at least"},
                  {"radius_upper", "int64", "at most"},
                  {"components", "int64", "connected components"},
                  {"searches", "int64", "rounds of searches, one in every component that is not done"},
                  {"exact", "bool", "whether all that was to be found is known"}},
      .python = "eccentricity",
      .output_summary = "eccentricities, diameter, radius: exact, or bounds after so many searches",
      .on_one_rank = {"algorithms/eccentricity/eccentricity.cpp"},
      .over_ranks = {"algorithms/eccentricity/eccentricity.cpp"},
      .reference = "Takes and Kosters, 2013",
      .prepare = [](const Graph& graph, const Arguments&) -> std::unique_ptr<Prepared> {
        return std::make_unique<PreparedEccentricity>(graph);
      },
      .verify = verify_eccentricity};
  for (Option& option : sampling_options(8, "vertices from which is searched (default 8)"))
    row.options.push_back(std::move(option));
  return row;
}

}  // namespace atl::catalog
