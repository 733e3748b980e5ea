// SPDX-License-Identifier: Apache-2.0
#include "apsp_idle.hpp"

#include <atoll/base/error.hpp>
#include <cli/cli11.hpp>
#include <string>

namespace atl::cli {

void refuse_idle_options(const CLI::App& app, Rank ranks) {
  const auto given = [&](const char* name) { return app.count(name) > 0; };
  const auto value = [&](const char* name, const char* otherwise) {
    return given(name) ? app[name]->as<std::string>() : std::string(otherwise);
  };
  const auto refuse = [&](const char* name, const std::string& beside, const char* why, const char* what_to_do) {
    throw UsageError(fmt::format("{} {} {} ({}). {}", name, value(name, ""), beside, why, what_to_do));
  };
  const std::string method = value("--method", "auto"), semiring = value("--semiring", "min_plus");
  const std::string on_ranks = fmt::format("on {} rank{}", ranks, ranks == 1 ? "" : "s");
  // One rank uses its own method, unless the user asks for a 1 x 1 grid.
  const auto chosen = [&](const char* name) { return value(name, "auto") != "auto"; };
  const bool grid = ranks > 1 || chosen("--grid") || chosen("--placement") || given("--checkpoint");
  const bool shortest = semiring == "min_plus";
  // Why Floyd-Warshall must compute the whole matrix; empty if it need not.
  const bool on_grid = chosen("--grid") || chosen("--placement") || chosen("--broadcast") || chosen("--chunk") ||
                       given("--variant") || given("--look-ahead") || given("--checkpoint");
  const std::string whole = on_grid                  ? "on a grid"
                            : given("--out-of-core") ? "with --out-of-core"
                            : given("--steps")       ? "with --steps"
                            : !shortest              ? "with --semiring " + semiring
                                                     : "";
  if (given("--delta")) {
    if (method != "auto" && method != "delta")
      refuse("--delta", "with --method " + method, "only delta-stepping has buckets", "Leave it out, or take delta.");
    if (!whole.empty()) refuse("--delta", whole, "Floyd-Warshall does that, and has no buckets", "Leave it out.");
  }
  if (given("--block") && method != "auto" && method != "fw")
    refuse("--block", "with --method " + method, "only Floyd-Warshall has blocks", "Leave it out, or take fw.");
  if (value("--peel", "off") == "on" && (ranks > 1 || !whole.empty()))
    refuse("--peel", ranks > 1 ? on_ranks : whole, "the matrix is computed as it is there", "Leave it out.");
  for (const char* sent : {"--broadcast", "--chunk"})
    if (chosen(sent) && ranks == 1) refuse(sent, on_ranks, "nothing is sent", "Leave it out, or give --ranks.");
  for (const char* plan : {"--variant", "--look-ahead"})
    if (given(plan) && !grid)
      refuse(plan, on_ranks, "it is for a grid of ranks", "Leave it out, or give --ranks, or --grid 1x1.");
  for (const char* plan : {"--grid", "--placement"})
    if (given("--out-of-core") && chosen(plan))
      refuse(plan, "with --out-of-core", "one rank works on the file", "Leave it out.");
}

}  // namespace atl::cli
