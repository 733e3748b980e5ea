// SPDX-License-Identifier: Apache-2.0
#include <atoll/graph/formats/write.hpp>
#include <atoll/io/dictionary/dictionary_file.hpp>
#include <cli/cli11.hpp>
#include <filesystem>

#include "graph_input.hpp"
#include "verbs.hpp"

namespace atl::cli {

int verb_convert(const Words& words) {
  Command command("convert",
                  "Reads a graph and writes it in another format: .el .wel .txt .tsv .csv .mtx .g500 "
                  ".g500-64 .atoll by the output's ending; names beside it as OUTPUT.names.");
  GraphInput input;
  input.add_reading_to(command.app());
  input.add_names_to(command.app());
  std::string output;
  command.app().add_option("output", output, "the file to write")->required();
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) {
    RankTimer timer(world);
    const bool named = input.has_names(world);
    world.collective_try([&] {
      if (named && output.ends_with(".mtx"))
        throw UsageError(
            fmt::format("{}: has ids from 1 on (names are of ids from 0 on). Write the graph as .atoll.", output));
      if (!named) refuse_other_names(world, output);
    });
    command.begin_phase(world, "reading " + input.text());
    const NamedEdges loaded = input.load_named(world, named);
    const EdgeList& edges = loaded.edges;
    const double load_seconds = world.max(timer.lap());
    command.begin_phase(world, "writing " + output);
    write_with_names(world, output, loaded.names.get(), [&] { write_edges(world, output, edges); });
    const double write_seconds = world.max(timer.lap());
    const Edge count = world.sum(static_cast<Edge>(edges.size()));

    Outcome outcome;
    outcome.input = {
        {"name", edges.name}, {"entries", count}, {"directed", edges.directed}, {"weighted", edges.weighted()}};
    std::uintmax_t bytes = 0;
    std::error_code ignored;
    if (world.rank() == 0) bytes = std::filesystem::file_size(output, ignored);
    outcome.result = {{"output", output}, {"output_bytes", bytes}};
    outcome.seconds = {{"load", load_seconds}, {"write", write_seconds}, {"run", load_seconds + write_seconds}};
    if (loaded.names) {
      outcome.input["names"] = describe_names(loaded);
      outcome.result["names"] = names_path(output);
    }
    outcome.text = table_of(
        {{"from", fmt::format("{}: {} entries, {}{}", edges.name, count, edges.directed ? "directed" : "undirected",
                              edges.weighted() ? ", weighted" : "")},
         {"to", fmt::format("{}: {} bytes", output, bytes)},
         {"load, write", fmt::format("{:.3f} s, {:.3f} s", load_seconds, write_seconds)}});
    return outcome;
  });
}

}  // namespace atl::cli
