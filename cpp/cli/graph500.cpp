// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/byte_count.hpp>
#include <atoll/benchmarks/graph500/graph500.hpp>
#include <cli/cli11.hpp>

#include "command.hpp"
#include "verbs.hpp"

namespace atl::cli {
namespace {

// "3.1 MB in 120 messages" for each level of the hierarchy, `times` times.
std::string traffic_text(const nlohmann::json& counters, double times) {
  std::string text;
  for (const auto& level : counters["levels"]) {
    if (!text.empty()) text += "; ";
    text += fmt::format("{} in {:.0f} messages inside a {}", bytes_text(level["bytes"].get<double>() / times),
                        level["messages"].get<double>() / times, level["kind"].get<std::string>());
  }
  return text;
}

// The human-readable account of time and bytes.
std::string account(World& world, const Graph500Result& r, const nlohmann::json& construction,
                    const nlohmann::json& search) {
  const auto searches = static_cast<double>(r.bfs.seconds.size() + r.sssp.seconds.size());
  double all = 0;
  for (const SearchTimes* kernel : {&r.bfs, &r.sssp})
    for (const double s : kernel->seconds) all += s;
  std::vector<std::pair<double, std::string>> parts;
  for (const auto& [part, seconds] : r.construction_parts)
    if (part != "build" && part != "build total") parts.emplace_back(seconds, part.substr(part.find(' ') + 1));
  std::sort(parts.rbegin(), parts.rend());
  std::string kernel1;
  for (std::size_t i = 0; i < std::min<std::size_t>(4, parts.size()); ++i)
    kernel1 +=
        fmt::format("{}{} {:.0f} %", i ? ", " : "", parts[i].second, 100 * parts[i].first / r.construction_seconds);
  std::vector<std::pair<std::string, std::string>> rows{
      {"ranks", fmt::format("{} x {} threads, {}", world.size(), world.team().size(), world.fabric().name())},
      {"generation", fmt::format("{:.3f} s for {} entries (not timed by the specification)", r.generation_seconds,
                                 (std::int64_t{1} << r.options.scale) * r.options.edge_factor)},
      {"kernel 1", fmt::format("{:.3f} s: {}", r.construction_seconds, kernel1)},
      {"  bytes", traffic_text(construction, 1)}};
  for (const auto& [name, kernel] : {std::pair("kernel 2", &r.bfs), {"kernel 3", &r.sssp}})
    if (!kernel->seconds.empty())
      rows.emplace_back(name, fmt::format("{} searches, {:.3f} ms each (median), {:.1f} M edges/s (harmonic mean)",
                                          kernel->seconds.size(), Statistics::of(kernel->seconds).median * 1e3,
                                          Statistics::of_rates(kernel->teps()).mean / 1e6));
  rows.emplace_back("  bytes", traffic_text(search, searches) + " (a search, all ranks)");
  rows.emplace_back("  waiting", fmt::format("{:.0f} % of the time for other ranks",
                                             100 * search["wait_seconds"].get<double>() / all));
  rows.emplace_back("memory",
                    bytes_text(search["memory_bytes"].get<double>()) + " for communication on the most loaded rank");
  rows.emplace_back("verified", fmt::format("all {} searches by all five rules, {:.3f} s (not timed)", searches,
                                            r.verification_seconds));
  return table_of(rows);
}

}  // namespace

int verb_graph500(const Words& words) {
  Command command("graph500",
                  "The Graph500 benchmark: kernel 1 (construction), 2 (searches) and 3 (shortest paths), verified.");
  Graph500Options o;
  bool brief = false;
  CLI::App& app = command.app();
  app.add_flag("--brief", brief, "print where time and bytes went, without the specification's block of numbers");
  app.add_option("--scale", o.scale, "2^SCALE vertices (default 16)")->check(CLI::Range(1, 48));
  app.add_option("--edge-factor", o.edge_factor, "tuples per vertex (default 16, as a submission needs)")
      ->check(CLI::PositiveNumber);
  app.add_option("--searches", o.searches, "search keys (default 64, as a submission needs)")
      ->check(CLI::PositiveNumber);
  app.add_option("--seed", o.seed, "of the graph and the keys (default 1)");
  std::vector<std::string> kernels{"bfs"};
  app.add_option("--kernels", kernels, "bfs (default), sssp, or both: bfs,sssp; with sssp the graph has weights")
      ->delimiter(',')
      ->check(CLI::IsMember({"bfs", "sssp"}));
  if (const auto code = command.parse(words)) return *code;
  const auto chosen = [&](const char* name) {
    return std::find(kernels.begin(), kernels.end(), name) != kernels.end();
  };
  o.bfs = chosen("bfs");
  o.sssp = chosen("sssp");
  return command.run([&](World& world) {
    const Graph500Result r = run_graph500(world, o);
    Outcome outcome;
    outcome.input = {{"name", fmt::format("kron:{}:{}:{}", o.scale, o.edge_factor, o.seed)}};
    outcome.result = r.to_json();
    outcome.seconds = {{"generate", r.generation_seconds},
                       {"prepare", r.construction_seconds},
                       {"trials", (o.bfs ? r.bfs : r.sssp).seconds},
                       {"run", Statistics::of((o.bfs ? r.bfs : r.sssp).seconds).median},
                       {"verify", r.verification_seconds}};
    outcome.counters = total_counters(world, r.search_counters);
    const nlohmann::json construction = total_counters(world, r.construction_counters);
    outcome.extra["construction_counters"] = construction;
    outcome.verified = r.failure.empty();
    outcome.failure = r.failure;
    const std::string where =
        r.failure.empty() && !r.keys.empty() ? account(world, r, construction, outcome.counters) : "";
    outcome.text = brief && !where.empty() ? where : r.block() + (where.empty() ? "" : "\n" + where);
    return outcome;
  });
}

}  // namespace atl::cli
