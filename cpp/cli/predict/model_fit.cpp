// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/apsp/floyd_warshall/floyd_warshall.hpp>
#include <atoll/apsp/floyd_warshall/grid_plan.hpp>
#include <atoll/apsp/model/hyperbola.hpp>
#include <atoll/base/files/text_file.hpp>
#include <atoll/base/json.hpp>
#include <atoll/matrix/gemm/tuning.hpp>
#include <atoll/runtime/broadcast/panel_broadcast.hpp>
#include <atoll/transport/bootstrap/discover.hpp>
#include <atoll/tune/store.hpp>
#include <cli/cli11.hpp>
#include <cmath>
#include <numeric>

#include "cli/run/apsp_measure.hpp"
#include "cli/verbs.hpp"
#include "model.hpp"

namespace atl::cli {
namespace {

struct FitOptions {
  std::string input, output, element = "float32";
  std::int64_t n = 2048;
  int trials = 5;
  bool keep = true, only_broadcasts = false;
};

// Points, given by --input or measured: a curve is {"points": [[x, rate], ..]}.
using Curve = nlohmann::json;

// For each x the best of the trials: other load on a core only slows it down, and the model describes the machine
// without it. Each trial runs all x, so that a slow moment affects all of them. Ranks measure at the same time, as they
// compute, and the slowest counts.
Curve measure_curve(World& world, const std::vector<double>& xs, int trials,
                    const std::function<double(std::size_t)>& rate) {
  std::vector<std::vector<double>> rates(xs.size());
  for (int trial = 0; trial <= trials; ++trial)
    for (std::size_t i = 0; i < xs.size(); ++i) {
      world.barrier();
      const double r = rate(i);
      if (trial > 0) rates[i].push_back(r);  // the first brings in pages
    }
  Curve curve;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    const double slowest = world.min(*std::max_element(rates[i].begin(), rates[i].end()));
    curve["points"].push_back({xs[i], slowest});
  }
  return curve;
}

// Repeats short work, which the clock's resolution and first-touch costs would otherwise dominate.
template <class F>
double steady(F&& rate) {
  constexpr double kSeconds = 2e-3;
  const Timer timer;
  double sum = 0;
  int times = 0;
  do {
    sum += 1 / rate();
    ++times;
  } while (timer.seconds() < kSeconds);
  return times / sum;
}

template <class T>
void measure_kernel(World& world, Algebra algebra, const FitOptions& o, nlohmann::json& parameters) {
  Team& team = world.team();
  const Gemm gemm(algebra, world.collective_try([&] { return stored_blocking(algebra, tune::Store()); }));
  constexpr std::int64_t kDeepest = 1024, kDepth = 256, kDiagonal = 256;
  ProductOperands<T> operands(team, o.n, o.n, kDeepest);
  if (!parameters.contains("rate_of_block")) {
    const std::vector<double> blocks{8, 16, 32, 64, 96, 128, 192, 256, 384, 512, 768, kDeepest};
    parameters["rate_of_block"] = measure_curve(world, blocks, o.trials, [&](std::size_t i) {
      return steady([&] { return operands.step_rate(team, gemm, o.n, o.n, static_cast<std::int64_t>(blocks[i])); });
    });
  }
  if (!parameters.contains("rate_of_size")) {
    std::vector<double> sizes;
    std::vector<std::int64_t> sides;
    for (std::int64_t side = 32; side <= o.n; side *= 2) {
      sides.push_back(side);
      sizes.push_back(static_cast<double>(side * side) * sizeof(T));
    }
    parameters["rate_of_size"] = measure_curve(world, sizes, o.trials, [&](std::size_t i) {
      return steady([&] { return operands.step_rate(team, gemm, sides[i], sides[i], kDepth); });
    });
  }
  if (!parameters.contains("diagonal_rate")) {
    Matrix<T> block(kDiagonal, kDiagonal);
    for (std::int64_t i = 0; i < kDiagonal; ++i)
      for (std::int64_t j = 0; j < kDiagonal; ++j) block(i, j) = static_cast<T>(i == j ? 0 : 1 + (i * 7 + j * 13) % 90);
    const Curve once = measure_curve(world, {1}, o.trials, [&](std::size_t) {
      return steady([&] {
        const Timer timer;
        close_block(gemm, team, block.view());
        return 2 * std::pow(static_cast<double>(kDiagonal), 3) / timer.seconds();
      });
    });
    parameters["diagonal_rate"] = once["points"][0][1];
  }
}

// The rate of a panel's broadcast, against the bytes of a rank's matrix of which the panel is one step's part. All
// ranks form one row and take turns as the root. Two panels are in flight at a time, as with look-ahead.
double broadcast_rate(World& world, PanelBroadcast& broadcasts, BroadcastShape shape, std::span<std::byte> memory,
                      std::size_t panel_bytes) {
  const int times = 2 * world.size() + 2;
  BroadcastRequest flights[2];
  world.barrier();
  const RankTimer timer(world);
  for (int k = 0; k < times; ++k) {
    broadcasts.finish(flights[k % 2]);
    std::byte* const data = memory.empty() ? nullptr : memory.data() + static_cast<std::size_t>(k % 2) * panel_bytes;
    broadcasts.start(flights[k % 2], 0, static_cast<std::uint32_t>(k), k % world.size(), {data, panel_bytes}, shape);
  }
  for (const BroadcastRequest& flight : flights) broadcasts.finish(flight);
  return static_cast<double>(panel_bytes) * times / timer.seconds();
}

void measure_broadcasts(World& world, const FitOptions& o, std::size_t element_bytes, nlohmann::json& parameters) {
  if (world.size() < 2) return;
  constexpr std::int64_t kBlock = 256;
  std::vector<double> sizes;
  std::vector<std::size_t> panels;
  for (std::int64_t side = 64; side <= std::max<std::int64_t>(o.n, 128); side *= 2) {
    sizes.push_back(static_cast<double>(side * side) * static_cast<double>(element_bytes));
    panels.push_back(static_cast<std::size_t>(side * std::min(side, kBlock)) * element_bytes);
  }
  // In virtual time bytes that nobody reads need no memory.
  std::vector<std::byte> memory(world.fabric().is_virtual() ? 0 : 2 * panels.back());
  std::vector<Rank> all(static_cast<std::size_t>(world.size()));
  std::iota(all.begin(), all.end(), 0);
  PanelBroadcast broadcasts(world, {all});
  parameters["broadcasts"] = nlohmann::json::array();
  // In shared memory the copies of all ranks count, not the sends of the root: such a bandwidth holds for any grid.
  const bool one_memory = share_one_memory(world);
  for (const auto& [shape, steps] :
       {std::pair{BroadcastShape::tree, "tree"}, {BroadcastShape::ring, "ring"}, {BroadcastShape::ring2m, "two_rings"}})
    parameters["broadcasts"].push_back({{"name", name_of(shape)},
                                        {"steps", steps},
                                        {"sends", one_memory ? 0 : node_sends(shape, world.size(), 1).root},
                                        {"bytes_per_second", measure_curve(world, sizes, o.trials, [&](std::size_t i) {
                                           return broadcast_rate(world, broadcasts, shape, memory, panels[i]);
                                         })}});
}

void measure(World& world, const FitOptions& o, nlohmann::json& parameters) {
  const Algebra algebra{Semiring::min_plus, element_named(o.element)};
  if (!o.only_broadcasts)
    with_value_type(algebra.element,
                    [&](auto value) { measure_kernel<decltype(value)>(world, algebra, o, parameters); });
  measure_broadcasts(world, o, bytes_of(algebra.element), parameters);
  const HostFacts here = host_facts();
  const auto put = [&](const char* key, const nlohmann::json& value) {
    if (!parameters.contains(key)) parameters[key] = value;
  };
  put("name", here.host);
  put("provenance", fmt::format("measured on {} ({}), {} threads a rank, {} ranks", here.processor,
                                name_of(chosen_isa()), world.team().size(), world.size()));
  put("element", o.element);
  put("element_bytes", bytes_of(algebra.element));
  put("overlap", share_one_memory(world) ? kOverlapInOneMemory : kOverlap);
  put("memory_per_node", static_cast<double>(here.memory_bytes) / world.size());
}

// Replaces a curve's points by the fitted a and d, and reports the fit.
void fit(nlohmann::json& curve, const std::string& name, Outcome& outcome) {
  if (!curve.is_object() || !curve.contains("points")) return;
  const nlohmann::json given = curve.at("points");
  std::vector<MeasuredRate> points;
  for (const auto& p : given) points.push_back({p.at(0).get<double>(), p.at(1).get<double>()});
  HyperbolaFit found;
  try {
    found = fit_hyperbola(points);
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}: {}", name, e.what()));
  }
  curve = found.curve.to_json();
  nlohmann::json row = curve;
  row.update({{"curve", name}, {"points", given}, {"misfit", found.misfit}, {"worst_ratio", found.worst_ratio}});
  outcome.result["fits"].push_back(std::move(row));
  outcome.text += fmt::format("{:<18} a = {:<11.4g} d = {:<11.4g} {} points, the worst off by a factor {:.2f}\n", name,
                              found.curve.a, found.curve.d, points.size(), found.worst_ratio);
}

nlohmann::json read_points(const std::string& name) {
  const std::optional<std::string> text = read_text_file(name);
  check(text.has_value(), "{}: cannot be opened (value of --input). Give a JSON file.", name);
  nlohmann::json j = try_parse_json(*text);
  check(j.is_object(),
        "{}: is no JSON object (parameters whose curves are {{\"points\": [[x, rate], ..]}} are needed). Correct it.",
        name);
  return j;
}

Outcome fitted(nlohmann::json parameters, const FitOptions& o) {
  Outcome outcome;
  outcome.result["fits"] = nlohmann::json::array();
  try {
    for (const char* curve : {"rate_of_block", "rate_of_size"})
      if (parameters.contains(curve)) fit(parameters[curve], curve, outcome);
    if (parameters.contains("broadcasts"))
      for (auto& b : parameters["broadcasts"])
        fit(b.at("bytes_per_second"), "broadcast " + b.at("name").get<std::string>(), outcome);
  } catch (const nlohmann::json::exception& e) {
    throw InputError(fmt::format("{}: {} (points are [[x, rate], ..]). Correct it.", o.input, e.what()));
  }
  const ApspMachine machine = ApspMachine::from_json(parameters);
  outcome.result["parameters"] = machine.to_json();
  outcome.text += fmt::format("{:<18} {:.4g} op/s on a diagonal block\n", "diagonal_rate", machine.diagonal_rate);
  if (!o.output.empty()) {
    put_file(o.output, dump_json(machine.to_json(), 2) + "\n");
    outcome.text += fmt::format("{}: the parameters\n", o.output);
  }
  if (o.keep) {
    const std::string file = tune::Store().write("apsp/" + machine.element, machine.to_json()).string();
    outcome.result["file"] = file;
    outcome.text += fmt::format("kept in {}\n", file);
  }
  return outcome;
}

}  // namespace

int model_fit(const Words& words) {
  Command command("model fit",
                  "Fits y = a x / (x + d) to measured rates, and keeps the parameters of `model predict`.");
  FitOptions o;
  CLI::App& app = command.app();
  app.add_option("--input", o.input,
                 "parameters in which curves (rate_of_block, rate_of_size, each broadcast's bytes_per_second) are "
                 "{\"points\": [[x, rate], ..]}; nothing is measured");
  app.add_flag("--broadcasts", o.only_broadcasts,
               "measure broadcasts among --ranks, over any transport and in virtual time; all else is from --input");
  app.add_option("--output", o.output, "write the parameters to FILE");
  app.add_option("--element", o.element, "of which type the products are (default float32)")
      ->check(CLI::IsMember({"float32", "float32_nonnegative", "float64", "int32", "uint16", "uint8"}));
  app.add_option("--n", o.n, "side of the largest product that is measured (default 2048)")
      ->check(CLI::Range(64, 1 << 16));
  app.add_option("--trials", o.trials, "measurements of each point (default 5)")->check(CLI::PositiveNumber);
  app.add_flag("!--no-store", o.keep, "do not keep what was measured for later predictions");
  if (const auto code = command.parse(words)) return *code;
  if (!o.input.empty()) o.keep = false;  // it may be another machine
  if (!o.input.empty() && !o.only_broadcasts) return command.run_alone([&] { return fitted(read_points(o.input), o); });
  return command.run([&](World& world) {
    nlohmann::json parameters = nlohmann::json::object();
    world.collective_try([&] {
      check(!o.only_broadcasts || !o.input.empty(),
            "--broadcasts without --input (where the kernel's rates are). Give it.");
      if (!o.input.empty()) parameters = read_points(o.input);
    });
    check(!o.only_broadcasts || world.size() > 1, "--broadcasts on {} rank (two are needed). Give --ranks 2.",
          world.size());
    measure(world, o, parameters);
    return world.collective_try([&] { return world.rank() == 0 ? fitted(std::move(parameters), o) : Outcome{}; });
  });
}

}  // namespace atl::cli
