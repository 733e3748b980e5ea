// SPDX-License-Identifier: Apache-2.0
#include <atoll/algorithms/triangles/clustering_coefficient.hpp>
#include <atoll/verify/clustering_samples.hpp>
#include <atoll/verify/triangle_counts.hpp>

#include "cli/verbs.hpp"
#include "vertex_run.hpp"

namespace atl::cli {
namespace {

enum class Values { coefficients, triangles };

int run_clustering(Command& command, const Words& words, Values values) {
  VertexRun harness;
  harness.add_to(command.app());
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) {
    const Graph* graph = nullptr;
    ClusteringResult result;
    return harness.run(
        world, {.prepare = [&](const Graph& g) { graph = &g; },
                .run = [&](int) { result = clustering_coefficient(*graph); },
                .describe =
                    [&](Outcome& out, auto& rows) {
                      double sum = 0;
                      for (const double c : result.coefficient) sum += c;
                      const double mean = world.sum(sum) / static_cast<double>(std::max<Vertex>(1, graph->vertices()));
                      out.result = {{"triangles", result.total}, {"mean_coefficient", mean}};
                      rows.emplace_back("triangles", fmt::format("{}; mean coefficient {:.6f}", result.total, mean));
                    },
                .write =
                    [&](const Graph& g, const std::string& path) {
                      if (values == Values::triangles) {
                        write_by_id(g, path, result.triangles);
                      } else {
                        write_by_id(g, path, result.coefficient);
                      }
                    },
                .verify =
                    [&](const Graph& g) {
                      return values == Values::triangles
                                 ? verify_triangles(g, values_of(result.triangles), {.total = result.total})
                                 : verify_clustering(g, values_of(result.coefficient));
                    },
                .verified = VertexAlgorithm::Verified::on_request});
  });
}

}  // namespace

int run_lcc(const Words& words) {
  Command command("run lcc", "Local clustering coefficients, as Graphalytics defines them.");
  return run_clustering(command, words, Values::coefficients);
}

int run_triangles(const Words& words) {
  Command command("run triangles", "How many triangles each vertex is in, and all.");
  return run_clustering(command, words, Values::triangles);
}

}  // namespace atl::cli
