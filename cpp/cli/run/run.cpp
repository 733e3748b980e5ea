// SPDX-License-Identifier: Apache-2.0
#include <cli/cli11.hpp>

#include "cli/prompt/help.hpp"
#include "cli/verbs.hpp"
#include "vertex_run.hpp"

namespace atl::cli {
namespace {

int run_algorithm(const catalog::Algorithm& row, const Words& words) {
  Command command("run " + std::string(row.name), std::string(row.description));
  VertexRun harness(row);
  harness.add_to(command.app());
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) { return harness.run(world, command); });
}

std::string table_of_algorithms() {
  std::vector<std::pair<std::string, std::string>> rows{
      {"  apsp", "shortest paths between all pairs: a matrix of distances"},
      {"  gcn", "a graph convolutional network, trained on features, labels and a split of the vertices"},
      {"  path", "a shortest path from one vertex to another, by edges or by weight"},
      {"  similar", "pairs of vertices with like neighbourhoods: given ones, all above a threshold, the most similar"},
      {"  spmm", "the product of the graph's matrix and a dense one"},
      {"  walks", "random walks, uniform, by weight, or as node2vec's"}};
  for (const catalog::Algorithm& row : catalog::algorithms())
    rows.emplace_back("  " + std::string(row.name), row.summary);
  return table_of(rows);
}

// `atoll run --list`: what each algorithm of the catalog takes and gives.
int list_algorithms(const Words& words) {
  Command command("run", "The algorithms; with --json their options, contracts and results, too.");
  bool list = false;
  command.app().add_flag("--list", list, "list them")->required();
  if (const auto code = command.parse(words)) return *code;
  return command.run_alone([] {
    Outcome outcome;
    outcome.text = table_of_algorithms();
    for (const catalog::Algorithm& row : catalog::algorithms())
      outcome.result["algorithms"].push_back(catalog::to_json(row));
    return outcome;
  });
}

}  // namespace

int verb_run(const Words& words) {
  const std::string help = "usage: atoll run ALGORITHM INPUT [--option VALUE]\n\n" + table_of_algorithms() +
                           "\n`atoll run --list --json -` prints what each takes and gives.\n";
  if (words.empty()) {
    say("atoll: error: no algorithm is named (run needs one). Choose from below.\n{}", help);
    return 2;
  }
  if (words[0] == "--help" || words[0] == "-h") {
    print_result(help);
    return 0;
  }
  if (words[0] == "--list") return list_algorithms(words);
  const Words rest(words.begin() + 1, words.end());
  if (words[0] == "apsp") return run_apsp(rest);
  if (words[0] == "gcn") return run_gcn(rest);
  if (words[0] == "path") return run_path(rest);
  if (words[0] == "similar") return run_similar(rest);
  if (words[0] == "spmm") return run_spmm(rest);
  if (words[0] == "walks") return run_walks(rest);
  for (const catalog::Algorithm& row : catalog::algorithms())
    if (words[0] == row.name) return run_algorithm(row, rest);
  std::vector<std::string> known{"apsp", "gcn", "path", "similar", "spmm", "walks"};
  for (const catalog::Algorithm& row : catalog::algorithms()) known.emplace_back(row.name);
  say("atoll: error: algorithm '{}' is unknown (run does those below{}). Choose one.\n{}", words[0],
      nearest_of(words[0], known), help);
  return 2;
}

}  // namespace atl::cli
