// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <atoll/algorithms/betweenness/betweenness.hpp>
#include <atoll/verify/betweenness/paths.hpp>

#include "cli/verbs.hpp"
#include "sources.hpp"
#include "vertex_run.hpp"

namespace atl::cli {

int run_bc(const Words& words) {
  Command command("run bc",
                  "Betweenness: how many shortest paths pass a vertex, from some or all sources; with --weighted "
                  "shortest by the sum of the weights, else by edges.");
  SourceChoice choice;
  VertexRun harness;
  CLI::App& app = command.app();
  harness.add_to(app);
  choice.add_to(app);
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) {
    const PathLength length = harness.input.is_weighted() ? PathLength::weights : PathLength::edges;
    std::unique_ptr<Betweenness> betweenness;
    BetweennessResult result;
    std::vector<Vertex> sources;
    return harness.run(
        world, {.prepare =
                    [&](const Graph& graph) {
                      sources = choice.of(graph);
                      betweenness = std::make_unique<Betweenness>(graph, length);
                    },
                .run = [&](int) { betweenness->run(sources, result); },
                .describe =
                    [&](Outcome& out, auto& rows) {
                      double most = 0;
                      for (const double score : result.score) most = std::max(most, score);
                      out.result = {{"sources", sources.size()},
                                    {"largest", world.max(most)},
                                    {"length", length == PathLength::weights ? "weights" : "edges"}};
                      out.seconds["source"] = out.seconds["run"].template get<double>() /
                                              static_cast<double>(std::max<std::size_t>(1, sources.size()));
                      rows.emplace_back("sources", fmt::format("{}, {:.3f} ms each", sources.size(),
                                                               out.seconds["source"].template get<double>() * 1e3));
                    },
                .write = [&](const Graph& graph, const std::string& path) { write_by_id(graph, path, result.score); },
                .verify =
                    [&](const Graph& graph) {
                      return verify_betweenness(graph, sources, values_of(result.score),
                                                {.recomputed_sources = recomputed_sources(graph),
                                                 .by_weight = length == PathLength::weights});
                    },
                .verified = VertexAlgorithm::Verified::on_request});
  });
}

}  // namespace atl::cli
