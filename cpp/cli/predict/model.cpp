// SPDX-License-Identifier: Apache-2.0
#include "model.hpp"

#include <atoll/apsp/floyd_warshall/grid_plan.hpp>
#include <atoll/apsp/model/heat_map.hpp>
#include <atoll/base/byte_count.hpp>
#include <atoll/base/files/text_file.hpp>
#include <atoll/base/json.hpp>
#include <atoll/tune/store.hpp>
#include <cli/cli11.hpp>
#include <cmath>
#include <map>

#include "cli/verbs.hpp"

namespace atl::cli {
namespace {

std::string rate_text(double per_second) {
  for (const auto& [scale, name] :
       {std::pair{1e18, "Eop/s"}, {1e15, "Pop/s"}, {1e12, "Top/s"}, {1e9, "Gop/s"}, {1e6, "Mop/s"}})
    if (per_second >= scale) return fmt::format("{:.3f} {}", per_second / scale, name);
  return fmt::format("{:.3g} op/s", per_second);
}

nlohmann::json to_json(const ApspPrediction& p, double limit) {
  const ApspGrid& g = p.plan.grid;
  return {{"broadcast", p.plan.broadcast},
          {"grid", {g.rows, g.cols}},
          {"node_grid", {g.node_rows, g.node_cols}},
          {"block", p.plan.block},
          {"seconds",
           {{"expected", p.expected_s},
            {"ideal", p.time.ideal_s()},
            {"worst", p.time.worst_s()},
            {"compute", p.time.compute_s},
            {"latency", p.time.latency_s},
            {"transfer", p.time.transfer_s},
            {"chain", p.time.chain_s}}},
          {"operations_per_second", p.rate},
          {"memory",
           {{"node_bytes", p.node_bytes},
            {"node_has", std::isfinite(limit) ? nlohmann::json(limit) : nlohmann::json()},
            {"fits", p.memory_fits}}}};
}

std::string text_of(const ApspPrediction& p) {
  const ApspGrid& g = p.plan.grid;
  return fmt::format("{:<8} {:>11} {:>7} {:>6} {:>12} {:>12} {:>12} {:>14} {:>10}{}\n", p.plan.broadcast,
                     fmt::format("{}x{}", g.rows, g.cols), fmt::format("{}x{}", g.node_rows, g.node_cols), p.plan.block,
                     fmt::format("{:.4g} s", p.expected_s), fmt::format("{:.4g} s", p.time.ideal_s()),
                     fmt::format("{:.4g} s", p.time.worst_s()), rate_text(p.rate), bytes_text(p.node_bytes),
                     p.memory_fits ? "" : " too much");
}

std::pair<int, int> grid_of(const std::string& text) {
  int rows = 0, cols = 0, end = 0;
  if (std::sscanf(text.c_str(), "%dx%d%n", &rows, &cols, &end) != 2 || end != static_cast<int>(text.size()))
    throw UsageError(fmt::format("--grid {}: not a grid (rows x columns of ranks, as 8x4). Correct it.", text));
  return {rows, cols};
}

// Halves the nodes down to one, and the number of vertices as often, starting with the largest that fits. Numbers of
// vertices are 63 times a power of two: multiples of most blocks, so that a cell shows the machine and not the
// remainder.
void draw_heat_map(const ApspMachine& machine, const ApspQuery& query, const std::string& file) {
  std::vector<int> nodes;
  for (int count = std::max(1, query.ranks / machine.ranks_per_node); count > 0; count /= 2)
    nodes.insert(nodes.begin(), count);
  constexpr std::size_t kColumns = 12;
  std::int64_t n = 63;
  const std::int64_t largest = largest_apsp(machine, nodes.back() * machine.ranks_per_node);
  while (2 * n <= largest) n *= 2;
  std::vector<std::int64_t> vertices;
  for (; vertices.size() < kColumns && n >= 63; n /= 2) vertices.insert(vertices.begin(), n);
  put_file(file, svg_of(apsp_heat_map(machine, vertices, nodes, query)));
}

int model_predict(const Words& words) {
  if (words.empty() || words[0] != "apsp") {
    const bool help = !words.empty() && (words[0] == "--help" || words[0] == "-h");
    const std::string usage = "usage: atoll model predict apsp --n N --ranks P (see `... apsp --help`)\n";
    if (help)
      print_result(usage);
    else
      say("atoll: error: what to predict is not named (there is apsp). Name it.\n{}", usage);
    return help ? 0 : 2;
  }
  Command command("model predict apsp",
                  "How long all pairs' shortest paths take on a machine, and the best way to do it.");
  ApspQuery query;
  std::string parameters, kernel = "both", grid, heat_map, element = "float32";
  int nodes = 0;
  std::int64_t block = 0;
  CLI::App& app = command.app();
  app.add_option("--n", query.n, "vertices")->check(CLI::PositiveNumber);
  app.add_option("--nodes", nodes, "nodes, all of whose ranks take part (instead of --ranks)")
      ->check(CLI::PositiveNumber);
  app.add_option("--parameters", parameters,
                 "of the machine: frontier (the COAST paper's), or a file that `atoll model fit` wrote (default: this "
                 "machine's, once `atoll model fit` has run)");
  app.add_option("--element", element, "of which type this machine's parameters are (default float32)")
      ->check(CLI::IsMember({"float32", "float32_nonnegative", "float64", "int32", "uint16", "uint8"}));
  app.add_option("--kernel", kernel, "the rate's curve: both (default), block, or size as in the paper's projection")
      ->check(CLI::IsMember({"both", "block", "size"}));
  app.add_option(
         "--overlap", query.overlap,
         "share of the shorter of computing and communicating that is hidden (default: the parameters'; 1: equation "
         "3, 0: equation 4)")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--grid", grid, "only this grid of ranks, as 8x4");
  app.add_option("--block", block, "only this block size")->check(CLI::PositiveNumber);
  app.add_option("--broadcast", query.broadcast, "only this broadcast of panels: tree, ring, ring2m");
  app.add_option("--heat-map", heat_map,
                 "write rates over vertices and nodes (up to as many as asked for) to FILE.svg");
  if (const auto code = command.parse(Words(words.begin() + 1, words.end()))) return *code;

  return command.run_alone([&] {
    const ApspMachine machine = apsp_parameters(parameters, element);
    query.kernel = kernel == "size"    ? KernelRate::by_size
                   : kernel == "block" ? KernelRate::by_block
                                       : KernelRate::by_both;
    if (nodes > 0 && command.ranks() > 0)
      throw UsageError("--nodes and --ranks are both given (either says how large the machine is). Give one.");
    check(nodes <= std::numeric_limits<Rank>::max() / machine.ranks_per_node,
          "--nodes {} of {} ranks each are too many. Take fewer.", nodes, machine.ranks_per_node);
    query.ranks = nodes > 0 ? nodes * machine.ranks_per_node : std::max(1, command.ranks());
    if (!grid.empty()) query.grid = grid_of(grid);
    if (block > 0) query.block = block;
    if (query.n == 0 && heat_map.empty()) throw UsageError("--n is not given (the number of vertices). Give it.");

    Outcome outcome;
    outcome.extra["predicted"] = true;
    outcome.input = {{"n", query.n},
                     {"ranks", query.ranks},
                     {"kernel", kernel},
                     {"overlap", query.overlap.value_or(machine.overlap)},
                     {"parameters", machine.to_json()}};
    if (query.n != 0) {
      const std::vector<ApspPrediction> ways = predict_apsp(machine, query);
      outcome.result = to_json(ways.front(), machine.memory_per_node);
      outcome.text = fmt::format(
          "{} vertices on {} ranks of '{}', best way with each broadcast (1 op: one addition or one "
          "minimum, 2 n^3 in all)\n{:<8} {:>11} {:>7} {:>6} {:>12} {:>12} {:>12} {:>14} {:>10}\n",
          query.n, query.ranks, machine.name, "panels", "grid", "node", "block", "expected", "ideal", "worst", "rate",
          "of a node");
      std::map<std::string, const ApspPrediction*> shown;
      for (const ApspPrediction& p : ways)
        if (shown.emplace(p.plan.broadcast, &p).second) {
          outcome.result["ways"].push_back(to_json(p, machine.memory_per_node));
          outcome.text += text_of(p);
        }
      if (!ways.front().memory_fits) {
        const std::int64_t n = largest_apsp(machine, query.ranks);
        const int enough = fewest_nodes(machine, query.n);
        outcome.result["would_fit"] = {{"n", n}, {"nodes", enough}};
        outcome.text +=
            fmt::format("out of memory: a node has {}. Up to {} vertices fit here, or {} nodes are needed.\n",
                        bytes_text(machine.memory_per_node), n, enough);
      }
    }
    if (!heat_map.empty()) {
      draw_heat_map(machine, query, heat_map);
      outcome.extra["heat_map"] = heat_map;
      outcome.text += fmt::format("{}: rates over vertices and nodes\n", heat_map);
    }
    return outcome;
  });
}

struct What {
  const char* name;
  const char* about;
  int (*run)(const Words&);
};
constexpr What kWhat[] = {
    {"fit", "curves through measured rates: what this machine's parameters are", model_fit},
    {"predict", "time, memory and the best way before a run: model predict apsp", model_predict},
};

}  // namespace

ApspMachine apsp_parameters(const std::string& name, const std::string& element) {
  if (name == "frontier") return ApspMachine::frontier();
  if (name.empty()) {
    std::optional<ApspMachine> kept = stored_machine(element_named(element), tune::Store());
    check(kept.has_value(),
          "this machine's parameters for {} are not known (nobody has measured them). Run `atoll model "
          "fit --element {}`, or give --parameters frontier or a file.",
          element, element);
    return *std::move(kept);
  }
  const std::optional<std::string> text = read_text_file(name);
  check(text.has_value(), "{}: cannot be opened (value of --parameters: frontier or a file). Correct it.", name);
  nlohmann::json j = try_parse_json(*text);
  check(j.is_object(), "{}: is no JSON object (value of --parameters). Give what `atoll model fit` wrote.", name);
  // Also accept the command's whole JSON object, which contains the parameters.
  if (j.contains("result") && j["result"].is_object() && j["result"].contains("parameters"))
    j = nlohmann::json(j["result"]["parameters"]);
  try {
    return ApspMachine::from_json(j);
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}: {}", name, e.what()));
  }
}

std::optional<nlohmann::json> apsp_forecast(const ApspRun& run) {
  const std::optional<ApspMachine> kept = stored_machine(run.element, tune::Store());
  if (!kept) return std::nullopt;
  const ApspMachine& machine = *kept;
  const bool known = std::any_of(machine.broadcasts.begin(), machine.broadcasts.end(),
                                 [&](const BroadcastModel& b) { return b.name == run.broadcast; });
  if (run.grid.size() > 1 && !known) return std::nullopt;
  const ApspPlan plan{with_node_grid(machine.ranks_per_node, run.grid.rows, run.grid.cols), run.block, run.broadcast};
  ApspTime time = time_of(machine, run.n, plan);
  for (double* part : {&time.compute_s, &time.latency_s, &time.transfer_s, &time.chain_s}) *part *= run.share;
  return nlohmann::json{{"ideal", time.ideal_s()},
                        {"worst", time.worst_s()},
                        {"expected", time.expected_s(run.grid.size() > 1 ? machine.overlap : 0)},
                        {"measured", run.seconds},
                        {"place", time.place_of(run.seconds)}};
}

int verb_model(const Words& words) {
  for (const What& w : kWhat)
    if (!words.empty() && words[0] == w.name) return w.run(Words(words.begin() + 1, words.end()));
  std::string help = "usage: atoll model WHAT [--option VALUE]\n\n";
  for (const What& w : kWhat) help += fmt::format("  {:<9} {}\n", w.name, w.about);
  if (!words.empty() && (words[0] == "--help" || words[0] == "-h")) {
    print_result(help);
    return 0;
  }
  say("atoll: error: {} (model needs one of those below). Choose one.\n{}",
      words.empty() ? std::string("nothing is named") : "model '" + words[0] + "' is unknown", help);
  return 2;
}

}  // namespace atl::cli
