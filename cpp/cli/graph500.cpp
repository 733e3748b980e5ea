// SPDX-License-Identifier: Apache-2.0
#include <atoll/graph500/graph500.hpp>

#include "command.hpp"
#include "verbs.hpp"

namespace atl::cli {

int verb_graph500(const Words& words) {
  Command command("graph500", "The Graph500 benchmark: kernel 1 (construction) and kernel 2 (verified searches).");
  Graph500Options o;
  CLI::App& app = command.app();
  app.add_option("--scale", o.scale, "2^SCALE vertices (default 16)")->check(CLI::Range(1, 48));
  app.add_option("--edge-factor", o.edge_factor, "tuples per vertex (default 16, as a submission needs)")
      ->check(CLI::PositiveNumber);
  app.add_option("--searches", o.searches, "search keys (default 64, as a submission needs)")->check(CLI::PositiveNumber);
  app.add_option("--seed", o.seed, "of the graph and the keys (default 1)");
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) {
    const Counters before = world.counters();
    const Graph500Result r = run_graph500(world, o);
    Outcome outcome;
    outcome.input = {{"name", fmt::format("kron:{}:{}:{}", o.scale, o.edge_factor, o.seed)}};
    outcome.result = r.to_json();
    outcome.seconds = {{"generate", r.generation_seconds},
                       {"prepare", r.construction_seconds},
                       {"trials", r.bfs.seconds},
                       {"run", Statistics::of(r.bfs.seconds).median},
                       {"verify", r.verification_seconds}};
    outcome.counters = total_counters(world, world.counters().since(before));
    outcome.verified = r.failure.empty();
    outcome.failure = r.failure;
    outcome.text = r.block();
    return outcome;
  });
}

}  // namespace atl::cli
