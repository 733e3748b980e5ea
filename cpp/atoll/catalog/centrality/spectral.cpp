// SPDX-License-Identifier: Apache-2.0
#include "spectral.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace atl::catalog {

std::vector<Option> spectral_options(std::int64_t iterations, OptionSource weights) {
  return {{.name = "tol",
           .kind = Kind::real,
           .default_value = 1e-6,
           .help = "stop when the sum of changes is below (default 1e-6)",
           .check_help = "that the run ended at (default 1e-6)",
           .former = "tolerance"},
          {.name = "max-iter",
           .default_value = iterations,
           .help = iterations == 100 ? "at most so many iterations (default 100)"
                                     : "at most so many iterations (default 1000)",
           .range = Range::positive,
           .former = "iterations"},
          {.name = "weighted",
           .kind = Kind::flag,
           .stage = Stage::prepare,
           .default_value = false,
           .help = "edges count by their weights, else all alike",
           .taken_from = weights}};
}

std::vector<ScalarInfo> spectral_scalars() {
  return {{"iterations", "int64", "iterations done"},
          {"change", "float64", "sum of changes in the last iteration"},
          {"converged", "bool", "whether the change is below the tolerance"}};
}

void check_spectral(const Arguments& arguments) {
  const double tolerance = arguments.real("tol");
  check(tolerance > 0, "tol is {} (a number above 0). Change it.", tolerance);
}

SpectralOptions spectral_options_of(const Arguments& arguments, const Progress& progress) {
  return {.tolerance = arguments.real("tol"),
          .max_iterations = static_cast<int>(arguments.whole("max-iter")),
          .progress = progress};
}

SpectralTerms spectral_terms(const Arguments& arguments, const Answer& answer) {
  SpectralTerms terms{.tolerance = arguments.real("tol"), .weighted = arguments.flag("weighted")};
  if (const Scalar* change = answer.scalar("change"))  // a run that did not converge ended further away
    terms.tolerance = std::max(terms.tolerance, std::get<double>(*change));
  return terms;
}

void report_spectral(std::string_view name, const Arguments& arguments, const Answer& answer, const Runs& runs,
                     Report& report) {
  const std::int64_t iterations = answer.whole("iterations");
  const double change = std::get<double>(*answer.scalar("change"));
  const bool converged = std::get<bool>(*answer.scalar("converged"));
  const double each = runs.median_seconds / static_cast<double>(std::max<std::int64_t>(1, iterations));
  report.result = {{"iterations", iterations}, {"change", change}, {"converged", converged}};
  report.seconds["iteration"] = each;
  report.lines.emplace_back(
      "iterations", fmt::format("{}, the last changed {:.3g} in all; {:.3f} ms each", iterations, change, each * 1e3));
  if (!converged)
    report.failure = fmt::format(
        "{}: after {} iterations the sum of changes is {:.3g} (the tolerance is {:.3g}). Allow more iterations, or a "
        "larger tolerance.",
        name, iterations, change, arguments.real("tol"));
}

}  // namespace atl::catalog
