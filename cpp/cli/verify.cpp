// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atoll/catalog/unreached.hpp>
#include <atoll/graph/names/read_named_result.hpp>
#include <atoll/verify/read_result.hpp>
#include <cli/cli11.hpp>

#include "cli/run/algorithm_options.hpp"
#include "cli/run/named_report.hpp"
#include "graph_input.hpp"
#include "verbs.hpp"

namespace atl::cli {
namespace {

std::vector<const catalog::ColumnInfo*> checked_columns(const catalog::Algorithm& row) {
  std::vector<const catalog::ColumnInfo*> checked;
  for (const catalog::ColumnInfo& column : row.columns)
    if (column.checked) checked.push_back(&column);
  return checked;
}

template <class T>
Array<T> read_column(const Graph& graph, const Dictionary* names, const std::string& path, Meaning meaning) {
  return names ? read_named_result<T>(graph, *names, path, meaning) : read_result<T>(graph, path);
}

// The column of the row that `path` holds, and what other files and options say. Collective.
Verdict check_file(const catalog::Algorithm& row, const AlgorithmOptions& options, const GraphInput& input,
                   const Graph& graph, const Dictionary* names, const std::string& path, const std::string& column) {
  options.warn_of_former_names(graph.world());
  catalog::Arguments arguments = options.arguments(input);
  catalog::Answer answer;
  for (const catalog::ColumnInfo* info : checked_columns(row)) {
    if (info->name != column) continue;
    if (info->type == "int64") {
      Array<Vertex> values = read_column<Vertex>(graph, names, path, meaning_of(column));
      if (column == "depth") catalog::depths_from_result(values);
      answer.put(column, std::move(values));
    } else {
      answer.put(column, read_column<double>(graph, names, path, meaning_of(column)));
    }
  }
  AlgorithmOptions::Files files;
  options.read_files(graph, names, arguments, files);
  std::vector<Vertex> sources;
  if (const catalog::Option* source = options.source_option()) {
    sources = options.sources(graph, names, 1);
    if (source->kind == catalog::Kind::vertex) {
      arguments.set(source->name, sources[0]);
    } else {
      arguments.set(source->name, std::span<const Vertex>(sources));
    }
  }
  return row.verify(graph, arguments, answer, nullptr);
}

int verify_algorithm(const catalog::Algorithm& row, const Words& words) {
  Command command("verify " + std::string(row.name), std::string(row.check_description));
  AlgorithmOptions options(row, AlgorithmOptions::Verb::check);
  GraphInput input;
  std::string result, column(checked_columns(row).front()->name);
  CLI::App& app = command.app();
  options.add_to(app);
  if (checked_columns(row).size() > 1) {
    std::vector<std::string> names;
    for (const catalog::ColumnInfo* info : checked_columns(row)) names.emplace_back(info->name);
    app.add_option("--values", column, fmt::format("what the file holds: {} (default)", fmt::join(names, ", ")))
        ->check(CLI::IsMember(names));
  }
  input.add_to(app);
  input.add_names_to(app);
  app.add_option("result", result, "what `run ALGORITHM --output` has written: an id and a value a line, or .npy")
      ->required();
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) {
    const bool named = input.has_names(world);
    if (!named) world.collective_try([&] { options.check_source_ids(); });
    RankTimer timer(world);
    NamedEdges loaded = input.load_named(world, named);
    const Graph graph = Graph::build(world, std::move(loaded.edges), input.options());
    const double prepare_seconds = world.max(timer.lap());
    const Verdict verdict = check_file(row, options, input, graph, loaded.names.get(), result, column);
    Outcome outcome;
    outcome.verified = verdict.ok;
    if (!verdict.ok)
      outcome.failure =
          fmt::format("{}: the answer for {} breaks {}. Was it computed on this graph, with these options?", result,
                      graph.name(), verdict.what);
    outcome.input = cli::describe(graph);
    outcome.result = {{"file", result}, {"breach", verdict.what}};
    outcome.seconds = {{"verify", world.max(timer.lap())}, {"prepare", prepare_seconds}};
    outcome.text = table_of({{"graph", describe_in_words(graph)},
                             {"result", result},
                             {"verified", verdict.ok ? "yes" : "FAILED: " + verdict.what},
                             {"time", fmt::format("{:.3f} s, the graph {:.3f} s",
                                                  outcome.seconds["verify"].get<double>(), prepare_seconds)}});
    return outcome;
  });
}

}  // namespace

int verb_verify(const Words& words) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const catalog::Algorithm& row : catalog::algorithms())
    rows.emplace_back("  " + std::string(row.name), row.check_summary);
  const std::string help =
      "usage: atoll verify ALGORITHM INPUT RESULT [--option VALUE]\n\n" + table_of(rows) +
      "\nRESULT is what `atoll run ALGORITHM INPUT --output RESULT` writes. Exit code 0: right; 1: a rule "
      "is broken, which the message names.\n";
  if (words.empty()) {
    say("atoll: error: no algorithm is named (verify needs one). Choose from below.\n{}", help);
    return 2;
  }
  if (words[0] == "--help" || words[0] == "-h") {
    print_result(help);
    return 0;
  }
  for (const catalog::Algorithm& row : catalog::algorithms())
    if (words[0] == row.name) return verify_algorithm(row, Words(words.begin() + 1, words.end()));
  say("atoll: error: algorithm '{}' is unknown (verify does those below). Choose one.\n{}", words[0], help);
  return 2;
}

}  // namespace atl::cli
