// SPDX-License-Identifier: Apache-2.0
#include <atoll/algorithms/betweenness.hpp>

#include "sources.hpp"
#include "verbs.hpp"
#include "vertex_run.hpp"

namespace atl::cli {

int run_bc(const Words& words) {
  Command command("run bc", "Betweenness: how many shortest paths pass a vertex, from some or all sources.");
  std::string count = "4";
  std::vector<Vertex> given;
  std::uint64_t seed = 1;
  VertexRun harness;
  CLI::App& app = command.app();
  harness.add_to(app);
  app.add_option("--sources", count, "how many are drawn by --seed (default 4), or all")
      ->check([](const std::string& text) {
        const bool number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos && text != "0";
        return number || text == "all" ? "" : text + " (a number above 0, or all)";
      });
  app.add_option("--source", given, "original ids instead, one or several")->delimiter(',');
  app.add_option("--seed", seed, "for drawing sources (default 1)");
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) {
    std::unique_ptr<Betweenness> betweenness;
    BetweennessResult result;
    std::vector<Vertex> sources;
    return harness.run(
        world,
        {.prepare =
             [&](const Graph& graph) {
               const int all = static_cast<int>(std::min<Vertex>(graph.vertices(), INT32_MAX));
               sources = given.empty() ? draw_sources(graph, count == "all" ? all : std::stoi(count), seed) : given;
               betweenness = std::make_unique<Betweenness>(graph);
             },
         .run = [&](int) { betweenness->run(sources, result); },
         .describe =
             [&](Outcome& out, auto& rows) {
               double most = 0;
               for (const double score : result.score) most = std::max(most, score);
               out.result = {{"sources", sources.size()}, {"largest", world.max(most)}};
               out.seconds["source"] = out.seconds["run"].template get<double>() /
                                       static_cast<double>(std::max<std::size_t>(1, sources.size()));
               rows.emplace_back("sources", fmt::format("{}, {:.3f} ms each", sources.size(),
                                                        out.seconds["source"].template get<double>() * 1e3));
             },
         .write = [&](const Graph& graph, const std::string& path) { write_by_id(graph, path, result.score); }});
  });
}

}  // namespace atl::cli
