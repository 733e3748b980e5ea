// SPDX-License-Identifier: Apache-2.0
#include <atoll/algorithms/components/components.hpp>
#include <atoll/verify/component_labels.hpp>

#include "cli/verbs.hpp"
#include "vertex_run.hpp"

namespace atl::cli {

int run_cc(const Words& words) {
  Command command("run cc", "Connected components; of a directed graph the weak ones.");
  VertexRun harness;
  harness.add_to(command.app(), GraphInput::Cuts::of_vertices_too);
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) {
    std::unique_ptr<Components> components;
    ComponentsResult result;
    return harness.run(
        world,
        {.prepare = [&](const Graph& graph) { components = std::make_unique<Components>(graph); },
         .run = [&](int) { components->run(result); },
         .describe =
             [&](Outcome& out, auto& rows) {
               out.result = {{"components", result.components}};
               rows.emplace_back("components", fmt::format("{}", result.components));
             },
         .write = [&](const Graph& graph, const std::string& path) { write_by_id(graph, path, result.component); },
         .verify = [&](const Graph& graph) { return verify_components(graph, values_of(result.component)); }});
  });
}

}  // namespace atl::cli
