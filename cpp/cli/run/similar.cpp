// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <atoll/algorithms/similarity/pair_similarity.hpp>
#include <atoll/algorithms/similarity/similarity_search.hpp>
#include <cli/cli11.hpp>
#include <tuple>

#include "cli/graph_input.hpp"
#include "cli/table_file.hpp"
#include "cli/verbs.hpp"
#include "named_report.hpp"
#include "trials.hpp"

namespace atl::cli {
namespace {

// Pairs of the report.
constexpr std::size_t kShown = 10;

struct SimilarOptions {
  GraphInput input;
  std::string measure = "jaccard", pairs, output;
  std::optional<double> threshold;
  std::optional<std::int64_t> top;
  std::int64_t most_pairs = AboveOptions().most_pairs;
  int trials = 1;

  void refuse_mixtures() const {
    const int kinds = !pairs.empty() + threshold.has_value() + top.has_value();
    if (kinds != 1)
      throw UsageError(fmt::format(
          "{} of --pairs, --threshold and --top {} given (each asks for pairs of its own). Give one of them.",
          kinds == 0 ? "none" : std::to_string(kinds), kinds == 0 ? "is" : "are"));
  }
};

// This rank's part of a file of pairs.
struct PairColumns {
  std::vector<Vertex> source, target;
};

PairColumns read_pairs(World& world, const std::string& path, const Dictionary* names) {
  const ReadOptions options{.weights = ReadOptions::Weights::none};
  const NamedEdges read =
      names ? read_named_edges(world, path, options) : NamedEdges{.edges = read_edges(world, path, options)};
  const auto ids_of = [&](const IdColumn& column) {
    return std::visit(
        [&](const auto& ids) {
          std::vector<Vertex> found;
          for (const auto id : ids) {
            const auto read_id = static_cast<Vertex>(id);
            if (!names) {
              found.push_back(read_id);
              continue;
            }
            const std::string_view name = read.names->name(read_id);
            found.push_back(names->find(name));
            check(found.back() != kNoVertex, "{}: no vertex has the name '{}'{}. Correct it.", path, name,
                  names->nearest_text(name));
          }
          return found;
        },
        column);
  };
  return world.collective_try([&] { return PairColumns{ids_of(read.edges.source), ids_of(read.edges.target)}; });
}

struct PairValue {
  Vertex source, target;
  double value;
};

// The pairs of the greatest values on all ranks, at most kShown. Collective.
std::vector<PairValue> greatest(World& world, const SimilarPairs& pairs) {
  const auto keep = [](std::vector<PairValue>& list) {
    const auto end = list.begin() + static_cast<std::ptrdiff_t>(std::min(list.size(), kShown));
    std::partial_sort(list.begin(), end, list.end(), [](const PairValue& a, const PairValue& b) {
      return std::tuple(-a.value, a.source, a.target) < std::tuple(-b.value, b.source, b.target);
    });
    list.erase(end, list.end());
  };
  std::vector<PairValue> mine;
  for (std::size_t i = 0; i < pairs.value.size(); ++i)
    mine.push_back({pairs.source[i], pairs.target[i], pairs.value[i]});
  keep(mine);
  std::vector<PairValue> all = world.all_gather_varying(std::span<const PairValue>(mine));
  keep(all);
  return all;
}

template <class T>
Array<T> array_of(const std::vector<T>& values) {
  Array<T> array(values.size());
  std::copy(values.begin(), values.end(), array.begin());
  return array;
}

// Runs what is asked for so often; returns the seconds that preparing took. Collective.
double search(World& world, const Graph& graph, const SimilarOptions& o, const Dictionary* names, Trials& trials,
              SimilarPairs& found) {
  const Similarity measure = similarity_named(o.measure);
  RankTimer timer(world);
  if (!o.pairs.empty()) {
    const PairColumns pairs = read_pairs(world, o.pairs, names);
    timer.lap();
    PairSimilarity similarity(graph);
    const double prepare = world.max(timer.lap());
    for (int trial = 0; trial < o.trials; ++trial)
      trials.time([&] { similarity.run(measure, pairs.source, pairs.target, found.value); });
    found.source = array_of(pairs.source);
    found.target = array_of(pairs.target);
    found.total = world.sum(static_cast<Vertex>(pairs.source.size()));
    return prepare;
  }
  SimilaritySearch wedges(graph);
  const double prepare = world.max(timer.lap());
  for (int trial = 0; trial < o.trials; ++trial)
    trials.time([&] {
      if (o.threshold) {
        wedges.above(measure, {.threshold = *o.threshold, .most_pairs = o.most_pairs}, found);
      } else {
        wedges.most_similar(measure, {.count = *o.top}, found);
      }
    });
  return prepare;
}

void write(World& world, const SimilarOptions& o, const Dictionary* names, const SimilarPairs& found) {
  const auto write_text = [&](const std::string& path) {
    write_pair_values(world, path, names, {found.source.data(), found.source.size()},
                      {found.target.data(), found.target.size()}, {found.value.data(), found.value.size()});
  };
  if (is_table_path(o.output)) {
    write_as_table(world, o.output, "source,target," + o.measure, write_text);
  } else if (!o.output.empty()) {
    write_text(o.output);
  }
}

Outcome find_similar(World& world, Command& command, const SimilarOptions& o) {
  o.refuse_mixtures();
  if (is_table_path(o.output)) {
    check_table_path(world, o.output);
  } else if (!o.output.empty()) {
    check_named_result_path(world, o.output);
  }
  RankTimer timer(world);
  command.begin_phase(world, "reading " + o.input.text());
  NamedEdges loaded = o.input.load_named(world, o.input.has_names(world));
  const std::shared_ptr<const Dictionary> names = loaded.names;
  const nlohmann::json described_names = describe_names(loaded);
  const double load = world.max(timer.lap());
  command.begin_phase(world, "building the graph");
  const Graph graph = Graph::build(world, std::move(loaded.edges), o.input.options());
  const double build = world.max(timer.lap());
  command.begin_phase(world, "similarity");
  Trials trials(world);
  SimilarPairs found;
  const double prepare = search(world, graph, o, names.get(), trials, found);
  if (!o.output.empty()) command.begin_phase(world, "writing " + o.output);
  write(world, o, names.get(), found);

  Outcome outcome;
  outcome.input = describe(graph);
  if (names) outcome.input["names"] = described_names;
  trials.report(outcome.seconds, outcome.counters);
  outcome.seconds["load"] = load;
  outcome.seconds["build"] = build;
  outcome.seconds["prepare"] = prepare;
  outcome.result = {{"measure", o.measure}, {"pairs", found.total}, {"greatest", nlohmann::json::array()}};
  std::vector<std::pair<std::string, std::string>> lines{
      {"graph", describe_in_words(graph)},
      {"ranks", fmt::format("{} x {} threads, {}", world.size(), world.team().size(), world.fabric().name())},
      {"pairs", fmt::format("{} by {}", found.total, o.measure)}};
  for (const PairValue& pair : greatest(world, found)) {
    const std::string source = text_of(pair.source, names.get()), target = text_of(pair.target, names.get());
    outcome.result["greatest"].push_back({{"source", names ? nlohmann::json(source) : nlohmann::json(pair.source)},
                                          {"target", names ? nlohmann::json(target) : nlohmann::json(pair.target)},
                                          {"value", pair.value}});
    lines.emplace_back(lines.back().first == "pairs" ? "greatest" : "",
                       fmt::format("{} - {}: {:.6g}", source, target, pair.value));
  }
  lines.emplace_back("time",
                     fmt::format("{:.3f} ms (median of {})", outcome.seconds["run"].get<double>() * 1e3, o.trials));
  lines.emplace_back("load, build", fmt::format("{:.3f} s, {:.3f} s; prepare {:.3f} s", load, build, prepare));
  outcome.text = table_of(lines);
  return outcome;
}

}  // namespace

int run_similar(const Words& words) {
  Command command("run similar",
                  "How alike the neighbourhoods of vertices are: of given pairs, of all pairs with a common neighbour "
                  "above a threshold, or of each vertex and those most similar to it.");
  SimilarOptions o;
  CLI::App& app = command.app();
  o.input.add_to(app);
  o.input.add_names_to(app);
  app.add_option("--measure", o.measure, fmt::format("{} (default jaccard)", fmt::join(similarity_names(), ", ")))
      ->check(CLI::IsMember(std::vector<std::string>(similarity_names().begin(), similarity_names().end())));
  app.add_option("--pairs", o.pairs, "a file of pairs, one a line, as an edge list has them; with --names of names");
  app.add_option("--threshold", o.threshold, "all pairs of at least this value, above 0")->check(CLI::PositiveNumber);
  app.add_option("--top", o.top, "for each vertex so many others, the most similar first")->check(CLI::PositiveNumber);
  app.add_option("--most-pairs", o.most_pairs, "--threshold: more pairs are an error (default 100000000)")
      ->check(CLI::PositiveNumber);
  app.add_option("--output", o.output,
                 "write source, target and value of all pairs: .tsv .csv .txt, .parquet or .feather by Python");
  app.add_option("--trials", o.trials, "how often it is timed (default 1)")->check(CLI::PositiveNumber);
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) { return find_similar(world, command, o); });
}

}  // namespace atl::cli
