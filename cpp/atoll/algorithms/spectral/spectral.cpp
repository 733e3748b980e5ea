// SPDX-License-Identifier: Apache-2.0
#include <atoll/algorithms/spectral/iteration.hpp>
#include <cmath>

namespace atl {
namespace {

// Iterates until the change that step() returns is small enough.
template <class Result, class Step>
void iterate(const SpectralOptions& options, Result& result, Step&& step) {
  result.iterations = 0;
  result.change = 0;
  result.converged = false;
  while (result.iterations < options.max_iterations && !result.converged) {
    result.change = step();
    ++result.iterations;
    result.converged = result.change < options.tolerance;
    report_progress(options.progress, result.iterations, options.max_iterations);
  }
}

void check_finite(double size, double alpha) {
  check(std::isfinite(size),
        "katz: the scores grow beyond what a double holds (alpha is {}, and has to be below 1 / k, k the largest "
        "eigenvalue of the adjacency matrix). Choose a smaller alpha.",
        alpha);
}

double inverse(double x) { return x > 0 ? 1 / x : 0; }

}  // namespace

EigenvectorCentrality::EigenvectorCentrality(const Graph& graph, EdgeWeighting weighting)
    : iteration_(std::make_unique<SpectralIteration>(graph, CutRows::targets, weighting)) {}
EigenvectorCentrality::~EigenvectorCentrality() = default;

void EigenvectorCentrality::run(const SpectralOptions& options, SpectralResult& result) {
  SpectralIteration& step = *iteration_;
  Array<double>& x = step.x();
  std::fill(x.begin(), x.end(), 1 / std::sqrt(static_cast<double>(step.vertices())));
  double norm = 1;
  iterate(options, result, [&] {
    step.multiply();
    const Array<double>& sums = step.sums();
    norm = std::sqrt(step.total([&](std::size_t v) { return (sums[v] + x[v]) * (sums[v] + x[v]); }));
    return step.total([&](std::size_t v) {
      const double before = x[v];
      x[v] = (sums[v] + before) / norm;
      return std::abs(x[v] - before);
    });
  });
  eigenvalue_ = step.vertices() > 0 ? norm - 1 : 0;
  step.write(x, 1, result.score);
}

std::size_t EigenvectorCentrality::memory_bytes() const { return iteration_->memory_bytes(); }

KatzCentrality::KatzCentrality(const Graph& graph, EdgeWeighting weighting)
    : iteration_(std::make_unique<SpectralIteration>(graph, CutRows::targets, weighting)) {}
KatzCentrality::~KatzCentrality() = default;

void KatzCentrality::run(double alpha, double beta, const SpectralOptions& options, SpectralResult& result) {
  SpectralIteration& step = *iteration_;
  Array<double>& x = step.x();
  std::fill(x.begin(), x.end(), 0.0);
  iterate(options, result, [&] {
    step.multiply();
    const Array<double>& sums = step.sums();
    const double change = step.total([&](std::size_t v) {
      const double before = x[v];
      x[v] = alpha * sums[v] + beta;
      return std::abs(x[v] - before);
    });
    check_finite(change, alpha);
    return change;
  });
  const double norm = std::sqrt(step.total([&](std::size_t v) { return x[v] * x[v]; }));
  check_finite(norm, alpha);
  step.write(x, inverse(norm), result.score);
}

std::size_t KatzCentrality::memory_bytes() const { return iteration_->memory_bytes(); }

Hits::Hits(const Graph& graph, EdgeWeighting weighting)
    : to_authorities_(std::make_unique<SpectralIteration>(graph, CutRows::targets, weighting)),
      to_hubs_(std::make_unique<SpectralIteration>(graph, CutRows::sources, weighting)) {}
Hits::~Hits() = default;

void Hits::run(const SpectralOptions& options, HitsResult& result) {
  Array<double>&hub = to_authorities_->x(), &authority = to_hubs_->x();
  std::fill(hub.begin(), hub.end(), 1 / static_cast<double>(to_hubs_->vertices()));
  iterate(options, result, [&] {
    to_authorities_->multiply();
    const Array<double>& entering = to_authorities_->sums();
    const double authorities = inverse(to_authorities_->total([&](std::size_t v) { return entering[v]; }));
    to_hubs_->for_masters([&](std::size_t v) { authority[v] = entering[v] * authorities; });
    to_hubs_->multiply();
    const Array<double>& leaving = to_hubs_->sums();
    const double hubs = inverse(to_hubs_->total([&](std::size_t v) { return leaving[v]; }));
    return to_hubs_->total([&](std::size_t v) {
      const double before = hub[v];
      hub[v] = leaving[v] * hubs;
      return std::abs(hub[v] - before);
    });
  });
  to_hubs_->write(hub, 1, result.hub);
  to_hubs_->write(authority, 1, result.authority);
}

std::size_t Hits::memory_bytes() const { return to_authorities_->memory_bytes() + to_hubs_->memory_bytes(); }

}  // namespace atl
