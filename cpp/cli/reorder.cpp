// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/files/atomic_file.hpp>
#include <atoll/graph/formats/write.hpp>
#include <atoll/order/locality.hpp>
#include <atoll/order/ordering.hpp>
#include <cli/cli11.hpp>
#include <filesystem>

#include "graph_input.hpp"
#include "verbs.hpp"

namespace atl::cli {
namespace {

struct ReorderOptions {
  GraphInput input;
  std::string output, numbers_file, method = "rabbit";
  OrderingOptions ordering;
  std::int64_t parts = 64;
};

nlohmann::json to_json(const Locality& l) {
  return {{"mean_distance", l.mean_distance},
          {"bandwidth", l.bandwidth},
          {"mean_log2_gap", l.mean_log2_gap},
          {"inside_blocks", l.inside_blocks}};
}

std::string to_text(const Locality& l, std::int64_t parts) {
  return fmt::format(
      "{:.4f} of {} nonzeros in {} diagonal blocks; mean |i - j| {:.1f}, bandwidth {}; log2 of gaps {:.2f}",
      l.inside_blocks, l.nonzeros, parts, l.mean_distance, l.bandwidth, l.mean_log2_gap);
}

// "id number" a line, in ascending order of ids.
std::string lines_of(const Graph& graph, const Array<Local>& numbers) {
  std::string text;
  for (std::size_t v = 0; v < numbers.size(); ++v)
    fmt::format_to(std::back_inserter(text), "{} {}\n", graph.ids().id_of(static_cast<Vertex>(v)), numbers[v]);
  return text;
}

void renumber(Team& team, const Array<Local>& numbers, EdgeList& edges) {
  for (IdColumn* column : {&edges.source, &edges.target})
    std::visit(
        [&]<class Id>(Array<Id>& ids) {
          team.for_range(ids.size(), std::size_t{1} << 16, [&](int, std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) ids[i] = static_cast<Id>(numbers[ids[i]]);
          });
        },
        *column);
  edges.vertices.clear();
  edges.range = IdRange{0, static_cast<Vertex>(numbers.size())};
}

Outcome reorder(World& world, const ReorderOptions& options) {
  if (world.size() > 1)
    throw UsageError(
        fmt::format("reorder over {} ranks (one rank orders, with all its threads). Leave out --ranks.", world.size()));
  check_edges_path(world, options.output);
  refuse_other_names(world, options.output);
  if (!options.numbers_file.empty() && options.numbers_file != result_path()) check_output_path(options.numbers_file);
  Team& team = world.team();
  RankTimer timer(world);
  EdgeList edges = options.input.load(world);
  const double load_seconds = timer.lap();
  const nlohmann::json named{
      {"name", edges.name}, {"entries", edges.size()}, {"directed", edges.directed}, {"weighted", edges.weighted()}};
  IdMap ids = number(world, edges);
  // Rows are vertices in ascending order of ids.
  const Graph graph = Graph::build(world, edges, std::move(ids), {.degree_sort = false, .isolated = Isolated::keep});
  const Csr& out = graph.out();
  const SparsePattern pattern{
      graph.owned(), graph.owned(), {out.offsets.data(), out.offsets.size()}, {out.targets.data(), out.targets.size()}};
  const double build_seconds = timer.lap();
  const Array<Local> numbers = new_numbers(team, pattern, ordering_named(options.method), options.ordering);
  const double order_seconds = timer.lap();
  const Locality before = locality_of(team, pattern, options.parts),
                 after = locality_of(team, pattern, options.parts, {numbers.data(), numbers.size()});
  const double measure_seconds = timer.lap();
  if (!options.numbers_file.empty()) put_file(options.numbers_file, lines_of(graph, numbers));
  renumber(team, numbers, edges);
  write_edges(world, options.output, edges);
  const double write_seconds = timer.lap();

  Outcome outcome;
  outcome.input = named;
  outcome.input["vertices"] = graph.vertices();
  std::error_code ignored;
  outcome.result = {{"method", options.method},
                    {"output", options.output},
                    {"output_bytes", std::filesystem::file_size(options.output, ignored)},
                    {"nonzeros", before.nonzeros},
                    {"parts", options.parts},
                    {"before", to_json(before)},
                    {"after", to_json(after)}};
  outcome.seconds = {{"load", load_seconds},       {"build", build_seconds}, {"order", order_seconds},
                     {"measure", measure_seconds}, {"write", write_seconds}, {"run", order_seconds}};
  outcome.text = table_of(
      {{"graph", fmt::format("{}: {} vertices, {} entries", graph.name(), graph.vertices(), graph.input_edges())},
       {"before", to_text(before, options.parts)},
       {options.method, to_text(after, options.parts)},
       {"order", fmt::format("{:.3f} s", order_seconds)},
       {"load, build, measure, write", fmt::format("{:.3f} s, {:.3f} s, {:.3f} s, {:.3f} s", load_seconds,
                                                   build_seconds, measure_seconds, write_seconds)}});
  return outcome;
}

}  // namespace

int verb_reorder(const Words& words) {
  Command command("reorder",
                  "Gives a graph's vertices new numbers, so that neighbours lie near each other, and writes it in the "
                  "format of the output's ending (see convert). Measures how local it was and is.");
  ReorderOptions options;
  CLI::App& app = command.app();
  options.input.add_reading_to(app);
  app.add_option("output", options.output, "the file to write; its ids are the new numbers, 0 to n-1")->required();
  app.add_option("--method", options.method,
                 "rabbit (communities, the default), rcm (bandwidth), gorder (shared neighbours; slow), degree, "
                 "hub_sort, dbg (hubs first), random, identity")
      ->check(CLI::IsMember(ordering_names()));
  app.add_option("--numbers", options.numbers_file, "also write a line \"id number\" for each vertex to this file");
  app.add_option("--parts", options.parts, "measure the edges inside so many equal ranges of numbers (default 64)")
      ->check(CLI::PositiveNumber);
  app.add_option("--seed", options.ordering.seed, "of --method random (default 1)");
  app.add_option("--window", options.ordering.window, "of --method gorder (default 5)")->check(CLI::PositiveNumber);
  app.parse_complete_callback([&] {
    for (const auto& [option, method] : {std::pair("--seed", "random"), {"--window", "gorder"}})
      if (app.count(option) > 0 && options.method != method)
        throw CLI::ValidationError(option, fmt::format("--method {} does not use it, {} does", options.method, method));
  });
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) { return reorder(world, options); });
}

}  // namespace atl::cli
