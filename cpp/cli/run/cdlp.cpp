// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <atoll/algorithms/label_propagation/label_propagation.hpp>
#include <atoll/verify/propagated_labels.hpp>

#include "cli/verbs.hpp"
#include "vertex_run.hpp"

namespace atl::cli {

int run_cdlp(const Words& words) {
  Command command("run cdlp", "Communities by synchronous label propagation, as Graphalytics defines it.");
  LabelPropagationOptions options;
  VertexRun harness;
  harness.add_to(command.app());
  command.app().add_option("--iterations", options.iterations, "at most so many (default 10)");
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) {
    std::unique_ptr<LabelPropagation> communities;
    LabelPropagationResult result;
    return harness.run(
        world,
        {.prepare = [&](const Graph& graph) { communities = std::make_unique<LabelPropagation>(graph); },
         .run = [&](int) { communities->run(options, result); },
         .describe =
             [&](Outcome& out, auto& rows) {
               out.result = {{"iterations", result.iterations}, {"changed", result.changed}};
               rows.emplace_back("iterations",
                                 fmt::format("{}, the last changed {} labels", result.iterations, result.changed));
             },
         .write = [&](const Graph& graph, const std::string& path) { write_by_id(graph, path, result.label); },
         .verify =
             [&](const Graph& graph) {
               return verify_label_propagation(graph, values_of(result.label), {.iterations = options.iterations});
             },
         .verified = VertexAlgorithm::Verified::on_request});
  });
}

}  // namespace atl::cli
