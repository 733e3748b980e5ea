// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <atoll/algorithms/pagerank/pagerank.hpp>
#include <atoll/verify/pagerank_residual.hpp>
#include <limits>

#include "cli/verbs.hpp"
#include "vertex_run.hpp"

namespace atl::cli {
namespace {

struct Options {
  double damping = 0.85;
  std::optional<double> tolerance;
  std::optional<int> iterations;
  std::string dangling = "spread", precision = "double";
};

template <class Real>
Array<double> in_double(const Array<Real>& values) {
  Array<double> wide(values.size());
  std::copy(values.begin(), values.end(), wide.begin());
  return wide;
}

PageRankOptions options_of(const Options& o) {
  return {.damping = o.damping,
          .tolerance = o.iterations && !o.tolerance ? std::nullopt : std::optional(o.tolerance.value_or(1e-6)),
          .max_iterations = o.iterations.value_or(100),
          .dangling = o.dangling == "spread" ? Dangling::spread : Dangling::ignore};
}

template <class Real>
Outcome rank_vertices(World& world, const VertexRun& harness, const Options& o) {
  std::unique_ptr<PageRank<Real>> pagerank;
  PageRankResult<Real> result;
  const PageRankOptions options = options_of(o);
  std::string failure;
  Outcome outcome = harness.run(
      world, {.prepare = [&](const Graph& graph) { pagerank = std::make_unique<PageRank<Real>>(graph); },
              .run = [&](int) { pagerank->run(options, result); },
              .describe =
                  [&](Outcome& out, auto& rows) {
                    out.result = {{"iterations", result.iterations},
                                  {"change", result.change},
                                  {"converged", result.converged},
                                  {"precision", o.precision}};
                    out.seconds["iteration"] = out.seconds["run"].get<double>() / std::max(1, result.iterations);
                    rows.emplace_back("iterations", fmt::format("{}, the last changed {:.3g} in all; {:.3f} ms each",
                                                                result.iterations, result.change,
                                                                out.seconds["iteration"].get<double>() * 1e3));
                  },
              .write = [&](const Graph& graph, const std::string& path) { write_by_id(graph, path, result.score); },
              .verify =
                  [&](const Graph& graph) {
                    const Array<double> scores = in_double(result.score);
                    PageRankCheckOptions terms{.damping = o.damping,
                                               .lost = o.dangling == "spread" ? LostRank::spread : LostRank::ignored,
                                               .unit = std::numeric_limits<Real>::epsilon() / 2.0};
                    terms.tolerance = result.converged ? options.tolerance : std::nullopt;
                    if (!result.converged) terms.iterations = result.iterations;
                    return verify_pagerank(graph, values_of(scores), terms);
                  },
              .rounds = VertexAlgorithm::Rounds::along_all_edges});
  if (options.tolerance && !result.converged) {
    outcome.verified = false;
    outcome.failure = fmt::format(
        "pagerank: after {} iterations the sum of changes is {:.3g} (the tolerance is {:.3g}). Allow more iterations, "
        "or a "
        "larger tolerance.",
        result.iterations, result.change, *options.tolerance);
  }
  return outcome;
}

}  // namespace

int run_pagerank(const Words& words) {
  Command command("run pagerank", "PageRank: how often a random walk that jumps now and then comes by.");
  Options o;
  VertexRun harness;
  CLI::App& app = command.app();
  harness.add_to(app, GraphInput::Cuts::of_vertices_too);
  app.add_option("--damping", o.damping, "of the walk's steps, those that follow an edge (default 0.85)");
  app.add_option("--tolerance", o.tolerance, "stop when the sum of changes is below (default 1e-6)");
  app.add_option("--iterations", o.iterations,
                 "so many, without a --tolerance; with one, at most so many (default 100)");
  app.add_option("--dangling", o.dangling, "what vertices without a leaving edge have: spread (default) or ignore")
      ->check(CLI::IsMember({"spread", "ignore"}));
  app.add_option("--precision", o.precision, "double (default) or float")->check(CLI::IsMember({"double", "float"}));
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) {
    check_options(options_of(o), 0, {});  // before the graph is read
    return o.precision == "float" ? rank_vertices<float>(world, harness, o) : rank_vertices<double>(world, harness, o);
  });
}

}  // namespace atl::cli
