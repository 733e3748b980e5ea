// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <atoll/algorithms/sssp/whole_weights.hpp>
#include <atoll/verify/betweenness/paths.hpp>
#include <atoll/verify/bfs/tree.hpp>
#include <atoll/verify/clustering_samples.hpp>
#include <atoll/verify/component_labels.hpp>
#include <atoll/verify/core_numbers.hpp>
#include <atoll/verify/pagerank_residual.hpp>
#include <atoll/verify/propagated_labels.hpp>
#include <atoll/verify/read_result.hpp>
#include <atoll/verify/shortest_paths/shortest_paths.hpp>
#include <atoll/verify/triangle_counts.hpp>

#include "cli/run/sources.hpp"
#include "cli/run/vertex_run.hpp"
#include "graph_input.hpp"
#include "verbs.hpp"

namespace atl::cli {
namespace {

using Check = std::function<Verdict(const Graph& graph, const std::string& result)>;

// Reads the graph, runs the check, and reports what is common to all checks. Algorithms add their options before.
int check_result(Command& command, GraphInput& input, const Words& words, const Check& check) {
  std::string result;
  input.add_to(command.app());
  command.app()
      .add_option("result", result, "what `run ALGORITHM --output` has written: an id and a value a line, or .npy")
      ->required();
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) {
    RankTimer timer(world);
    const Graph graph = Graph::build(world, input.load(world), input.options());
    const double prepare_seconds = world.max(timer.lap());
    const Verdict verdict = check(graph, result);
    Outcome outcome;
    outcome.verified = verdict.ok;
    if (!verdict.ok)
      outcome.failure =
          fmt::format("{}: the answer for {} breaks {}. Was it computed on this graph, with these options?", result,
                      graph.name(), verdict.what);
    outcome.input = cli::describe(graph);
    outcome.result = {{"file", result}, {"breach", verdict.what}};
    outcome.seconds = {{"verify", world.max(timer.lap())}, {"prepare", prepare_seconds}};
    outcome.text = table_of({{"graph", fmt::format("{}: {} vertices, {} {} edges", graph.name(), graph.vertices(),
                                                   graph.edges(), graph.directed() ? "directed" : "undirected")},
                             {"result", result},
                             {"verified", verdict.ok ? "yes" : "FAILED: " + verdict.what},
                             {"time", fmt::format("{:.3f} s, the graph {:.3f} s",
                                                  outcome.seconds["verify"].get<double>(), prepare_seconds)}});
    return outcome;
  });
}

int check_result(Command& command, const Words& words, const Check& check) {
  GraphInput input;
  return check_result(command, input, words, check);
}

int verify_bc(const Words& words) {
  Command command("verify bc",
                  "Whether a file holds the betweenness from these sources: name them, and --weighted, as "
                  "in the run.");
  SourceChoice choice;
  choice.add_to(command.app());
  GraphInput input;
  return check_result(command, input, words, [&](const Graph& graph, const std::string& result) {
    return verify_betweenness(graph, choice.of(graph), values_of(read_result<double>(graph, result)),
                              {.recomputed_sources = recomputed_sources(graph), .by_weight = input.is_weighted()});
  });
}

int verify_bfs(const Words& words) {
  Command command("verify bfs", "Whether a file holds the depths, or the parents, of a breadth-first search.");
  Vertex source = 0;
  std::string values = "depth", parents;
  command.app().add_option("--source", source, "original id that the search started from")->required();
  command.app()
      .add_option("--values", values, "what the file holds: depth (default) or parent")
      ->check(CLI::IsMember({"depth", "parent"}));
  command.app().add_option("--parents", parents, "a second file, with the parents: the tree is checked too");
  return check_result(command, words, [&](const Graph& graph, const std::string& result) {
    const Array<Vertex> given = read_result<Vertex>(graph, result);
    if (values == "depth" && parents.empty()) return verify_depths(graph, source, values_of(given));
    const Array<Vertex> second = parents.empty() ? Array<Vertex>() : read_result<Vertex>(graph, parents);
    const BfsTreeReport report = values == "parent"
                                     ? atl::verify_bfs(graph, source, values_of(given), values_of(second))
                                     : atl::verify_bfs(graph, source, values_of(second), values_of(given));
    return Verdict{report.ok, report.what};
  });
}

int verify_cc(const Words& words) {
  Command command("verify cc", "Whether a file names the connected components by their smallest ids.");
  return check_result(command, words, [&](const Graph& graph, const std::string& result) {
    return verify_components(graph, values_of(read_result<Vertex>(graph, result)));
  });
}

int verify_cdlp(const Words& words) {
  Command command("verify cdlp", "Whether a file holds the labels of synchronous propagation after so many rounds.");
  LabelRounds rounds;
  std::string previous;
  command.app().add_option("--iterations", rounds.iterations, "rounds (default 10)");
  command.app().add_option("--previous", previous, "a file with the labels to begin from (default: the vertices' ids)");
  return check_result(command, words, [&](const Graph& graph, const std::string& result) {
    const Array<Vertex> label = read_result<Vertex>(graph, result);
    const Array<Vertex> from = previous.empty() ? Array<Vertex>() : read_result<Vertex>(graph, previous);
    return verify_label_propagation(graph, values_of(label),
                                    {.iterations = rounds.iterations, .previous = values_of(from)});
  });
}

int verify_kcore(const Words& words) {
  Command command("verify kcore", "Whether a file holds the core numbers.");
  return check_result(command, words, [&](const Graph& graph, const std::string& result) {
    return verify_coreness(graph, values_of(read_result<Vertex>(graph, result)));
  });
}

int verify_lcc(const Words& words) {
  Command command("verify lcc",
                  "Whether a file holds local clustering coefficients: bounds for all, samples by counting.");
  ClusteringTerms terms;
  command.app()
      .add_option("--samples", terms.samples, "vertices whose neighbours' edges are counted (default 32)")
      ->check(CLI::NonNegativeNumber);
  command.app().add_option("--seed", terms.seed, "for drawing them (default 1)");
  return check_result(command, words, [&](const Graph& graph, const std::string& result) {
    return verify_clustering(graph, values_of(read_result<double>(graph, result)), terms);
  });
}

int verify_pagerank(const Words& words) {
  Command command(
      "verify pagerank",
      "Whether a file holds PageRank's scores: how far one more iteration moves them, or what so many give.");
  PageRankCheckOptions terms;
  std::optional<double> tolerance;
  std::string dangling = "spread", precision = "double";
  CLI::App& app = command.app();
  app.add_option("--damping", terms.damping, "of the walk's steps, those that follow an edge (default 0.85)");
  app.add_option("--tolerance", tolerance, "that the run ended at (default 1e-6)");
  app.add_option("--iterations", terms.iterations, "that the run did, where it had no --tolerance");
  app.add_option("--dangling", dangling, "what vertices without a leaving edge have: spread (default) or ignore")
      ->check(CLI::IsMember({"spread", "ignore"}));
  app.add_option("--precision", precision, "of the run: double (default) or float")
      ->check(CLI::IsMember({"double", "float"}));
  return check_result(command, words, [&](const Graph& graph, const std::string& result) {
    PageRankCheckOptions asked = terms;
    asked.tolerance = terms.iterations && !tolerance ? std::nullopt : std::optional(tolerance.value_or(1e-6));
    if (asked.tolerance) asked.iterations.reset();  // a run with both has ended by the tolerance, or failed
    if (asked.iterations) asked.check = Iterations::repeated;
    asked.lost = dangling == "spread" ? LostRank::spread : LostRank::ignored;
    if (precision == "float") asked.unit = 0x1p-24;
    return atl::verify_pagerank(graph, values_of(read_result<double>(graph, result)), asked);
  });
}

template <class Real>
Verdict check_distances(const Graph& graph, Vertex source, const Array<double>& read, const Array<Vertex>& parents) {
  Array<Real> distance(read.size());
  for (std::size_t k = 0; k < read.size(); ++k) distance[k] = static_cast<Real>(read[k]);
  return verify_sssp<Real>(graph, source, values_of(distance), values_of(parents));
}

int verify_sssp(const Words& words) {
  Command command("verify sssp", "Whether a file holds the distances of shortest paths, by Graph500's five rules.");
  Vertex source = 0;
  std::string parents;
  command.app().add_option("--source", source, "original id that the paths start from")->required();
  command.app().add_option("--parents", parents, "a second file, with the parents: the tree is checked too");
  return check_result(command, words, [&](const Graph& graph, const std::string& result) {
    const Array<double> distance = read_result<double>(graph, result);
    const Array<Vertex> parent = parents.empty() ? Array<Vertex>() : read_result<Vertex>(graph, parents);
    return needs_double_sums(graph) ? check_distances<double>(graph, source, distance, parent)
                                    : check_distances<float>(graph, source, distance, parent);
  });
}

int verify_triangles(const Words& words) {
  Command command("verify triangles",
                  "Whether a file holds how many triangles each vertex is in: bounds, the sum, samples.");
  TriangleTerms terms;
  command.app()
      .add_option("--samples", terms.samples, "vertices whose triangles are counted (default 32)")
      ->check(CLI::NonNegativeNumber);
  command.app().add_option("--seed", terms.seed, "for drawing them (default 1)");
  return check_result(command, words, [&](const Graph& graph, const std::string& result) {
    return atl::verify_triangles(graph, values_of(read_result<Vertex>(graph, result)), terms);
  });
}

struct Algorithm {
  const char* name;
  const char* about;
  int (*verify)(const Words&);
};

constexpr Algorithm kAlgorithms[] = {
    {"bc", "betweenness: recomputed from few sources, the sum from many", verify_bc},
    {"bfs", "depths or parents, by Graph500's five rules", verify_bfs},
    {"cc", "connected components, by edges and by a path to each label", verify_cc},
    {"cdlp", "communities: the rounds done again", verify_cdlp},
    {"kcore", "core numbers: enough neighbours, and none too few", verify_kcore},
    {"lcc", "clustering coefficients: bounds, and samples by counting", verify_lcc},
    {"pagerank", "how far one more iteration moves the scores, or the iterations done again", verify_pagerank},
    {"sssp", "distances, by Graph500's five rules with exact sums", verify_sssp},
    {"triangles", "counts of triangles: bounds, the sum, and samples by counting", verify_triangles},
};

}  // namespace

int verb_verify(const Words& words) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Algorithm& a : kAlgorithms) rows.emplace_back(std::string("  ") + a.name, a.about);
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
  for (const Algorithm& a : kAlgorithms)
    if (words[0] == a.name) return a.verify(Words(words.begin() + 1, words.end()));
  say("atoll: error: algorithm '{}' is unknown (verify does those below). Choose one.\n{}", words[0], help);
  return 2;
}

}  // namespace atl::cli
