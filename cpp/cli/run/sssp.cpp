// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <atoll/algorithms/sssp/sssp.hpp>
#include <atoll/algorithms/sssp/whole_weights.hpp>
#include <atoll/verify/shortest_paths/shortest_paths.hpp>

#include "cli/verbs.hpp"
#include "sources.hpp"
#include "vertex_run.hpp"

namespace atl::cli {
namespace {

struct Options {
  std::optional<Vertex> source;
  std::optional<double> delta;
  std::uint64_t seed = 1;
  std::string values = "distance";
};

// With sums of Real.
template <class Real>
struct Paths {
  std::unique_ptr<Sssp<Real>> sssp;
  SsspResult<Real> result;
};

}  // namespace

int run_sssp(const Words& words) {
  Command command("run sssp", "Shortest paths by weight from a source: distances and parents.");
  Options o;
  VertexRun harness;
  CLI::App& app = command.app();
  harness.add_to(app, GraphInput::Cuts::of_vertices_too);
  app.add_option("--source", o.source, "original id to start from (default: one a trial, drawn by --seed)");
  app.add_option("--seed", o.seed, "for drawing sources (default 1)");
  app.add_option("--delta", o.delta, "width of a bucket, in units of the weights (default: chosen from them)")
      ->check(CLI::PositiveNumber);
  app.add_option("--output-values", o.values, "distance (default) or parent")
      ->check(CLI::IsMember({"distance", "parent"}));
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) {
    Paths<float> narrow;
    Paths<double> wide;
    std::vector<Vertex> sources;
    const auto with_paths = [&](auto&& f) { return wide.sssp ? f(wide) : f(narrow); };
    const auto last_source = [&] { return sources[static_cast<std::size_t>(harness.trials - 1) % sources.size()]; };
    return harness.run(
        world,
        {.prepare =
             [&](const Graph& graph) {
               const SsspOptions options{.delta = o.delta};
               if (needs_double_sums(graph)) {
                 wide.sssp = std::make_unique<Sssp<double>>(graph, options);
               } else {
                 narrow.sssp = std::make_unique<Sssp<float>>(graph, options);
               }
               sources = o.source ? std::vector<Vertex>{*o.source} : draw_sources(graph, harness.trials, o.seed);
               check(!sources.empty(), "{}: no vertex has an edge (there is nothing to search). Give another graph.",
                     graph.name());
             },
         .run =
             [&](int trial) {
               const Vertex source = sources[static_cast<std::size_t>(trial) % sources.size()];
               with_paths([&](auto& paths) { paths.sssp->run(source, paths.result); });
             },
         .describe =
             [&](Outcome& out, auto& rows) {
               const Vertex source = last_source();
               const Vertex reached = with_paths([](auto& paths) { return paths.result.reached; });
               out.result = {{"source", source}, {"reached", reached}, {"sums", wide.sssp ? "float64" : "float32"}};
               rows.emplace_back("reached", fmt::format("{} from {}, lengths added up as {}", reached, source,
                                                        wide.sssp ? "float64" : "float32"));
             },
         .write =
             [&](const Graph& graph, const std::string& path) {
               with_paths([&](auto& paths) {
                 if (o.values == "parent") {
                   write_by_id(graph, path, paths.result.parent);
                 } else {
                   write_by_id(graph, path, paths.result.distance);
                 }
               });
             },
         .verify =
             [&](const Graph& graph) {
               return with_paths([&](auto& paths) {
                 return verify_sssp(graph, last_source(), values_of(paths.result.distance),
                                    values_of(paths.result.parent));
               });
             }});
  });
}

}  // namespace atl::cli
