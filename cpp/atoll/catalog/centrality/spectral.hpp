// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/spectral/spectral.hpp>
#include <atoll/catalog/algorithm.hpp>
#include <atoll/catalog/weighting.hpp>
#include <atoll/verify/centrality/spectral_residuals.hpp>

/// The options and scalars that the rows of eigenvector, katz and hits share.
namespace atl::catalog {

/// --tol, --max-iter (this many by default), and whether edges count by weight.
std::vector<Option> spectral_options(std::int64_t iterations, OptionSource weights = OptionSource::by_input);
std::vector<ScalarInfo> spectral_scalars();
/// InputError for a tolerance or a number of iterations out of its range.
void check_spectral(const Arguments& arguments);
SpectralOptions spectral_options_of(const Arguments& arguments, const Progress& progress);
/// The terms of the check of a run that has just ended, or of a file.
SpectralTerms spectral_terms(const Arguments& arguments, const Answer& answer);

template <class Result>
void set_spectral_scalars(const Result& result, Answer& answer) {
  answer.set("iterations", std::int64_t{result.iterations});
  answer.set("change", result.change);
  answer.set("converged", result.converged);
}
/// Fails where the run has not converged.
void report_spectral(std::string_view name, const Arguments& arguments, const Answer& answer, const Runs& runs,
                     Report& report);

}  // namespace atl::catalog
