// SPDX-License-Identifier: Apache-2.0
#include "predicted_run.hpp"

#include <algorithm>
#include <atoll/algorithms/bfs/profile.hpp>
#include <atoll/runtime/plan.hpp>
#include <charconv>
#include <cli/cli11.hpp>
#include <cmath>
#include <optional>

#include "cli/graph_input.hpp"
#include "cli/run/sources.hpp"

namespace atl::cli {
namespace {

constexpr int kProfiledScale = 20;  // of a Kronecker graph; larger ones are scaled up from it

std::optional<int> kronecker_scale(const std::string& text) {
  constexpr std::string_view kFamily = "kron:";
  int scale = 0;
  if (!text.starts_with(kFamily)) return std::nullopt;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data() + kFamily.size(), end, scale);
  return error == std::errc() && at == end ? std::optional(scale) : std::nullopt;
}

struct Searched {
  BfsProfile profile;
  bool undirected = true;
  Direction direction = Direction::automatic;
};

Searched search_of(const Words& words) {
  CLI::App app("run bfs");
  GraphInput input;
  input.add_to(app);
  std::uint64_t seed = 1;
  std::string direction = "auto";
  app.add_option("--seed", seed);
  app.add_option("--direction", direction)->check(CLI::IsMember({"auto", "push", "pull"}));
  app.allow_extras();  // what only says what is printed of it
  Words reversed(words.rbegin(), words.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::ParseError& e) {
    throw UsageError(fmt::format("run bfs: {} (the command behind --). Correct it.", e.what()));
  }
  const auto world = World::alone();
  const Graph graph = Graph::build(*world, input.load(*world), input.options());
  const std::vector<Vertex> sources = draw_sources(graph, 1, seed);
  check(!sources.empty(), "{}: no vertex has an edge (there is nothing to search). Give another graph.", graph.name());
  return {BfsProfile::of(graph, sources[0]), !graph.directed(),
          direction == "push"   ? Direction::push
          : direction == "pull" ? Direction::pull
                                : Direction::automatic};
}

}  // namespace

PredictedRun predict_run(const Hierarchy& hierarchy, const Machine& machine, const std::vector<std::string>& routes,
                         const std::string& without, const Words& words) {
  if (words.size() < 3 || words[0] != "run" || words[1] != "bfs")
    throw UsageError("--clock formulas: there are formulas for `run bfs GRAPH` alone. Take it, or another clock.");
  Words graph(words.begin() + 2, words.end());
  double times = 1;
  std::string scaled;
  if (const auto scale = kronecker_scale(graph[0]); scale && *scale > kProfiledScale) {
    check(*scale <= 50, "{}: scales up to 50 have formulas. Take a smaller one.", graph[0]);
    times = std::ldexp(1.0, *scale - kProfiledScale);
    graph[0] = fmt::format("kron:{}", kProfiledScale);
    scaled = fmt::format("; {} has levels and degrees in proportion to those of {}", words[2], graph[0]);
  }
  const auto ranks = static_cast<double>(hierarchy.size());
  const Plan plan;
  const Searched searched = search_of(graph);
  const BfsProfile profile = searched.profile.scaled(times);
  const double traversed = profile.traversed_edges(searched.undirected);
  const bool only_pushes = searched.direction == Direction::push;

  PredictedRun result;
  result.assumptions =
      "closed formulas: vertices assigned to ranks at random, records between all pairs alike, domains of a level of "
      "one "
      "size, the rounds of a route one after the other, no link shared but a domain's uplink, no computation but the "
      "work on records that the platform names" +
      scaled;
  for (const std::string& route : routes) {
    const Savings savings = Savings::of(route, without);
    const RouteModel model(hierarchy, machine.cost.levels(),
                           {plan.slot_bytes_for(hierarchy.size()), plan.slots_per_peer, plan.longest_slot_bytes()},
                           savings, machine.records);
    RouteModel::Estimate sum;
    // A search that only pushes knows its levels one drain late on routes whose drains add them up, so it drains once
    // more; elsewhere the ranks add up what the source and the unreached vertices have.
    const Exchange last{.agrees_apart = false};
    const std::string_view last_route = model.best(last, RouteModel::choices(route));
    sum.seconds = only_pushes && savings.closing && last_route != "direct"
                      ? model.seconds(last_route, last)
                      : 2 * model.vote_seconds(last_route != "direct");
    const BfsProfile::Ways ways{
        .claims = savings.claims, .direction = searched.direction, .words_as_records = route != "direct"};
    for (const Exchange& e : profile.exchanges(ranks, ways)) {
      const RouteModel::Estimate level = model.estimate(model.best(e, RouteModel::choices(route)), e);
      sum.seconds += level.seconds;
      sum.top_messages += level.top_messages;
      sum.top_bytes += level.top_bytes;
    }
    result.rows.push_back({{"route", route},
                           {"inter_domain_messages", static_cast<std::uint64_t>(std::llround(sum.top_messages))},
                           {"inter_domain_bytes", static_cast<std::uint64_t>(std::llround(sum.top_bytes))},
                           {"communication_seconds", sum.seconds},
                           {"run_seconds", sum.seconds},
                           {"virtual_seconds", sum.seconds},
                           {"gteps", traversed / sum.seconds / 1e9},
                           {"predicted", true},
                           {"formulas", true}});
  }
  return result;
}

}  // namespace atl::cli
