// SPDX-License-Identifier: Apache-2.0
#include <atoll/model/hyperbola.hpp>
#include <fstream>

#include "model.hpp"
#include "verbs.hpp"

namespace atl::cli {
namespace {

std::vector<MeasuredRate> points_of(const nlohmann::json& list) {
  std::vector<MeasuredRate> points;
  for (const auto& p : list) points.push_back({p.at(0).get<double>(), p.at(1).get<double>()});
  return points;
}

// A curve that is given by its points becomes one that is given by a and d; what it was fitted to is reported.
void fit(nlohmann::json& curve, const std::string& name, Outcome& outcome) {
  if (!curve.is_object() || !curve.contains("points")) return;
  const nlohmann::json points = curve.at("points");
  HyperbolaFit found;
  try {
    found = fit_hyperbola(points_of(points));
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}: {}", name, e.what()));
  }
  curve = found.curve.to_json();
  nlohmann::json row = curve;
  row.update({{"curve", name}, {"points", points}, {"misfit", found.misfit}, {"worst_ratio", found.worst_ratio}});
  outcome.result["fits"].push_back(std::move(row));
  outcome.text += fmt::format("{:<18} a = {:<11.4g} d = {:<11.4g} {} points, the worst off by a factor {:.2f}\n", name,
                              found.curve.a, found.curve.d, points.size(), found.worst_ratio);
}

nlohmann::json read_points(const std::string& name) {
  std::ifstream file(name);
  check(static_cast<bool>(file), "{}: cannot be opened (value of --input). Give a JSON file.", name);
  nlohmann::json j = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  check(j.is_object(),
        "{}: is no JSON object (parameters whose curves are {{\"points\": [[x, rate], ..]}} are needed). Correct it.",
        name);
  return j;
}

}  // namespace

int model_fit(const Words& words) {
  Command command("model fit",
                  "Fits y = a x / (x + d) to measured rates, and keeps the parameters of `model predict`.");
  std::string input, output;
  CLI::App& app = command.app();
  app.add_option("--input", input,
                 "parameters in which curves (rate_of_block, rate_of_size, each broadcast's bytes_per_second) are "
                 "{\"points\": [[x, rate], ..]}")
      ->required();
  app.add_option("--output", output, "write the parameters to FILE");
  if (const auto code = command.parse(words)) return *code;

  return command.run_alone([&] {
    Outcome outcome;
    outcome.result["fits"] = nlohmann::json::array();
    nlohmann::json parameters = read_points(input);
    try {
      for (const char* curve : {"rate_of_block", "rate_of_size"})
        if (parameters.contains(curve)) fit(parameters[curve], curve, outcome);
      if (parameters.contains("broadcasts"))
        for (auto& b : parameters["broadcasts"])
          fit(b.at("bytes_per_second"), "broadcast " + b.at("name").get<std::string>(), outcome);
    } catch (const nlohmann::json::exception& e) {
      throw InputError(fmt::format("{}: {} (points are [[x, rate], ..]). Correct it.", input, e.what()));
    }
    const ApspMachine machine = ApspMachine::from_json(parameters);
    outcome.result["parameters"] = machine.to_json();
    if (!output.empty()) {
      std::ofstream file(output);
      file << machine.to_json().dump(2) << "\n" << std::flush;
      if (!file) throw IoError(fmt::format("{}: cannot be written (value of --output). Give another path.", output));
      outcome.text += fmt::format("{}: the parameters\n", output);
    }
    return outcome;
  });
}

}  // namespace atl::cli
