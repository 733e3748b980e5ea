// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/files/atomic_file.hpp>
#include <atoll/base/timer.hpp>
#include <atoll/topology/formats/link_list.hpp>
#include <atoll/topology/formats/read_topology.hpp>
#include <atoll/topology/formats/simgrid_platform.hpp>
#include <atoll/topology/network/bisection.hpp>
#include <atoll/topology/network/optimize.hpp>
#include <atoll/topology/network/router_graph.hpp>
#include <cli/cli11.hpp>

#include "cli/verbs.hpp"
#include "options.hpp"

namespace atl::cli {
namespace {

// Options that replace the preset's, each by itself.
struct ChosenRates {
  std::string preset;
  std::optional<double> flops_per_second, switch_latency_s, link_latency_s, bytes_per_second;

  SimgridRates rates() const {
    SimgridRates rates;
    if (!preset.empty()) {
      const auto known = simgrid_preset(preset);
      if (!known)
        throw UsageError(fmt::format("--preset {} is unknown (there is hamorder-paper). Correct it.", preset));
      rates = *known;
    }
    rates.flops_per_second = flops_per_second.value_or(rates.flops_per_second);
    rates.switch_latency_s = switch_latency_s.value_or(rates.switch_latency_s);
    if (link_latency_s) rates.link_latency_s = link_latency_s;
    if (bytes_per_second) rates.bytes_per_second = bytes_per_second;
    return rates;
  }
};

struct NetworkOptions {
  std::string network, goal, output, simgrid;
  ChosenRates rates;
  TopologySearch search;
  int starts = 40;
};

struct Measures {
  RouteLengths distances;
  std::optional<std::int64_t> bisection_bound;
};

Measures measure(const Network& network, const NetworkOptions& o) {
  return {network.distances(), bisection_bound(network, o.starts, o.search.seed)};
}

std::string text_of(const std::optional<std::int64_t>& links) {
  return links ? fmt::format("{} links", *links) : "not known";
}

nlohmann::json to_json(const std::optional<std::int64_t>& links) {
  return links ? nlohmann::json(*links) : nlohmann::json();
}

Outcome describe(const NetworkOptions& o) {
  Network network = read_network(o.network);
  Outcome out;
  out.input = {{"name", o.network},
               {"hosts", network.hosts()},
               {"routers", network.routers()},
               {"links", network.links().size()}};
  std::vector<std::pair<std::string, std::string>> rows{
      {"network", fmt::format("{}: {} hosts, {} routers, {} links", o.network, network.hosts(), network.routers(),
                              network.links().size())}};
  const auto measured = [](const Measures& m) {
    return fmt::format("ASPL {:.4f}, diameter {}; best cut found {}", m.distances.aspl, m.distances.diameter,
                       text_of(m.bisection_bound));
  };
  Timer timer;
  Measures found = measure(network, o);
  out.seconds["measure"] = timer.seconds();
  if (!o.goal.empty()) {
    out.result["base_aspl"] = found.distances.aspl;
    out.result["base_bisection_bound"] = to_json(found.bisection_bound);
    rows.emplace_back("before", measured(found));
    const Timer searching;
    network = optimized(network, o.goal == "aspl" ? Objective::min_aspl : Objective::max_bisection, o.search);
    out.seconds["run"] = searching.seconds();
    out.result["goal"] = o.goal;
    found = measure(network, o);
  }
  rows.emplace_back(o.goal.empty() ? "measured" : "after", measured(found));
  out.result["aspl"] = found.distances.aspl;
  out.result["diameter"] = found.distances.diameter;
  out.result["bisection"] = to_json(network.bisection());
  out.result["bisection_bound"] = to_json(found.bisection_bound);
  if (network.bisection()) rows.emplace_back("bisection", text_of(network.bisection()));

  const RouterGraph routers(network);
  std::size_t least = routers.ends_of(0).size(), most = least;
  for (int r = 0; r < routers.routers(); ++r) {
    least = std::min(least, routers.ends_of(r).size());
    most = std::max(most, routers.ends_of(r).size());
  }
  out.result["least_degree"] = least;
  out.result["most_degree"] = most;
  // The bound is one of distances between routers, so each has to have a host.
  if (least == most && most > 0 && network.hosts() == network.routers()) {
    const double bound = moore_bound(network.routers(), static_cast<int>(most));
    out.result["moore_bound"] = bound;
    out.result["moore_gap"] = found.distances.aspl / bound - 1;
    rows.emplace_back("Moore bound", fmt::format("ASPL {:.4f} at degree {}: {:.2f} % above it", bound, most,
                                                 100 * (found.distances.aspl / bound - 1)));
  }
  if (!o.goal.empty()) rows.emplace_back("search", fmt::format("{:.3f} s", out.seconds["run"].get<double>()));
  if (!o.output.empty()) {
    put_file(o.output, link_list(network));
    out.result["output"] = o.output;
  }
  if (!o.simgrid.empty()) {
    put_file(o.simgrid, simgrid_platform(network, o.rates.rates()));
    out.result["simgrid"] = o.simgrid;
    out.result["simgrid_routes"] = network.hosts() <= kMostSimgridTable ? "network" : "dijkstra";
  }
  out.text = table_of(rows);
  return out;
}

}  // namespace

int verb_network(const Words& words) {
  Command command(
      "network",
      "A network's distances and bisection. Searches better ones of the same degrees, by exchanging the ends of "
      "two links at a time.\natoll network random:64:4 --optimize aspl --restarts 10 --output best.links");
  NetworkOptions o;
  CLI::App& app = command.app();
  command.remove_job_options();
  add_network(app, o.network);
  auto* goal = app.add_option("--optimize", o.goal,
                              "aspl: less average distance (Opt-minASPL); bisection: a larger best cut (Opt-maxBisec)")
                   ->check(CLI::IsMember({"aspl", "bisection"}));
  app.add_option("--patience", o.search.patience,
                 "end after so many moves in a row that did not help: I in the paper (default 1000)")
      ->check(CLI::PositiveNumber)
      ->needs(goal);
  app.add_option("--restarts", o.search.restarts, "searches, of which the best is taken (default 1)")
      ->check(CLI::PositiveNumber)
      ->needs(goal);
  app.add_option("--starts", o.starts, "random starts for the best cut, an upper bound of the bisection (default 40)")
      ->check(CLI::PositiveNumber);
  app.add_option("--seed", o.search.seed, "of the moves and starts (default 1)");
  app.add_option("--output", o.output, "write the network as a list of links, which is a topology's file");
  auto* simgrid =
      app.add_option("--simgrid", o.simgrid,
                     fmt::format("write it as a SimGrid platform (XML) with hosts host-0, host-1, ...; with "
                                 "its own routes up to {} hosts, above with SimGrid's Dijkstra",
                                 kMostSimgridTable));
  app.add_option("--preset", o.rates.preset,
                 "of the platform: hamorder-paper, that is 100 GF/s, cables of 40 Gb/s, switches of 60 ns")
      ->needs(simgrid);
  app.add_option("--host-speed", o.rates.flops_per_second, "flop/s of a host of the platform (default 1e11)")
      ->needs(simgrid);
  app.add_option("--switch-latency", o.rates.switch_latency_s, "seconds at each router on a route (default 0)")
      ->needs(simgrid);
  app.add_option("--link-latency", o.rates.link_latency_s, "seconds of each link (default: the network's)")
      ->needs(simgrid);
  app.add_option("--link-bandwidth", o.rates.bytes_per_second, "bytes/s of each link (default: the network's)")
      ->needs(simgrid);
  if (const auto code = command.parse(words)) return *code;
  return command.run_alone([&] {
    for (const std::string& path : {o.output, o.simgrid})
      if (!path.empty() && path != result_path()) check_output_path(path);
    static_cast<void>(o.rates.rates());  // refused before the search
    return describe(o);
  });
}

}  // namespace atl::cli
