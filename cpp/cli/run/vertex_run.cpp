// SPDX-License-Identifier: Apache-2.0
#include "vertex_run.hpp"

#include <CLI/CLI.hpp>
#include <atoll/graph/formats/write.hpp>
#include <atoll/graph/id_order.hpp>

#include "trials.hpp"

namespace atl::cli {
namespace {

// Results for up to this many input edges are verified by default: it takes seconds.
constexpr Edge kVerifyUpTo = 100'000'000;

}  // namespace

bool VertexRun::is_to_verify(const Graph& graph, const VertexAlgorithm& algorithm) const {
  if (no_verify_) return false;
  return verify_ || (algorithm.verified == VertexAlgorithm::Verified::by_default && graph.input_edges() <= kVerifyUpTo);
}

void VertexRun::add_to(CLI::App& app, GraphInput::Cuts cuts) {
  input.add_to(app, cuts);
  app.add_option("--trials", trials, "how often it is timed (default 3)")->check(CLI::PositiveNumber);
  app.add_option("--output", output, "write the values with original ids: .tsv .csv .txt .npy");
  auto* verify = app.add_flag("--verify", verify_, "check the answer (default for small inputs where that is cheap)");
  app.add_flag("--no-verify", no_verify_, "do not")->excludes(verify);
}

Outcome VertexRun::run(World& world, const VertexAlgorithm& algorithm) const {
  world.fabric().simulate_closely(false);
  if (!output.empty()) check_result_path(world, output);
  RankTimer timer(world);
  EdgeList edges = input.load(world);
  const double load_seconds = world.max(timer.lap());
  GraphOptions options = input.options();
  if (options.placement.cut == Cut::chosen && algorithm.rounds != VertexAlgorithm::Rounds::along_all_edges)
    options.placement.cut = Cut::edge;
  const Graph graph = Graph::build(world, std::move(edges), options);
  const double build_seconds = world.max(timer.lap());
  algorithm.prepare(graph);
  const double prepare_seconds = world.max(timer.lap());

  Trials timed(world);
  for (int trial = 0; trial < trials; ++trial) timed.time([&] { algorithm.run(trial); });
  if (!output.empty()) algorithm.write(graph, output);

  Outcome outcome;
  const bool verify = is_to_verify(graph, algorithm);
  timer.lap();
  if (verify) {
    const Verdict verdict = algorithm.verify(graph);
    outcome.verified = verdict.ok;
    if (!verdict.ok)
      outcome.failure = fmt::format("{}: the answer breaks {}. This is a defect: report it with the command.",
                                    graph.name(), verdict.what);
  }
  const double verify_seconds = world.max(timer.lap());
  outcome.input = cli::describe(graph);
  outcome.input["preparation"] = input.preparation(graph);
  timed.report(outcome.seconds, outcome.counters);
  outcome.seconds["prepare"] = prepare_seconds;
  outcome.seconds["load"] = load_seconds;
  outcome.seconds["build"] = build_seconds;
  outcome.seconds["verify"] = verify_seconds;
  outcome.seconds["build_phases"] = graph.report().seconds;
  const std::vector<double> seconds = timed.sorted();
  std::vector<std::pair<std::string, std::string>> rows{
      {"graph", fmt::format("{}: {} vertices, {} {} edges", graph.name(), graph.vertices(), graph.edges(),
                            graph.directed() ? "directed" : "undirected")},
      {"ranks", fmt::format("{} x {} threads, {}", world.size(), world.team().size(), world.fabric().name())}};
  algorithm.describe(outcome, rows);
  rows.emplace_back(
      "time", fmt::format("{:.3f} ms (median of {}; {:.3f} to {:.3f})", outcome.seconds["run"].get<double>() * 1e3,
                          seconds.size(), seconds.front() * 1e3, seconds.back() * 1e3));
  rows.emplace_back("load, build",
                    fmt::format("{:.3f} s, {:.3f} s; prepare {:.3f} s", load_seconds, build_seconds, prepare_seconds));
  rows.emplace_back("verified", !verify ? "no (--verify asks for it)" : *outcome.verified ? "yes" : "FAILED");
  outcome.text = table_of(rows);
  return outcome;
}

template <class T>
void write_by_id(const Graph& graph, const std::string& path, const Array<T>& natural) {
  using Written = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;
  World& world = graph.world();
  const IdOrder order(world, graph.ids());
  std::vector<Vertex> ids(static_cast<std::size_t>(order.size()));
  for (std::size_t k = 0; k < ids.size(); ++k) ids[k] = order.id_at(static_cast<Vertex>(k));
  const std::vector<T> sorted = order.arrange(std::span<const T>(natural.data(), natural.size()));
  const std::vector<Written> values(sorted.begin(), sorted.end());
  write_result(world, path, ids, std::span<const Written>(values));
}
template void write_by_id(const Graph&, const std::string&, const Array<Vertex>&);
template void write_by_id(const Graph&, const std::string&, const Array<float>&);
template void write_by_id(const Graph&, const std::string&, const Array<double>&);

}  // namespace atl::cli
