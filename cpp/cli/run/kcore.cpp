// SPDX-License-Identifier: Apache-2.0
#include <atoll/algorithms/kcore/coreness.hpp>
#include <atoll/verify/core_numbers.hpp>

#include "cli/verbs.hpp"
#include "vertex_run.hpp"

namespace atl::cli {

int run_kcore(const Words& words) {
  Command command("run kcore", "Core numbers of an undirected graph.");
  VertexRun harness;
  harness.add_to(command.app());
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) {
    std::unique_ptr<Coreness> peeling;
    CorenessResult result;
    return harness.run(world,
                       {.prepare = [&](const Graph& g) { peeling = std::make_unique<Coreness>(g); },
                        .run = [&](int) { peeling->run(result); },
                        .describe =
                            [&](Outcome& out, auto& rows) {
                              out.result = {{"degeneracy", result.degeneracy}, {"rounds", result.rounds}};
                              rows.emplace_back("degeneracy",
                                                fmt::format("{} after {} rounds", result.degeneracy, result.rounds));
                            },
                        .write = [&](const Graph& g, const std::string& path) { write_by_id(g, path, result.core); },
                        .verify = [&](const Graph& g) { return verify_coreness(g, values_of(result.core)); }});
  });
}

}  // namespace atl::cli
