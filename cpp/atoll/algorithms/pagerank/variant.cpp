// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/pagerank/transition.hpp>
#include <atoll/algorithms/pagerank/variant.hpp>
#include <cmath>
#include <numeric>

namespace atl {

namespace {

int expected_iterations(const PageRankOptions& options, int done, double change) {
  if (!options.tolerance) return options.max_iterations;
  if (!(change > *options.tolerance)) return done;
  const double more = std::ceil(std::log(*options.tolerance / change) / std::log(options.damping));
  return static_cast<int>(std::min<double>(options.max_iterations, done + more));
}

}  // namespace

void check_options(const PageRankOptions& options, Local owned, const std::string& name) {
  check(options.damping > 0 && options.damping < 1,
        "pagerank: alpha is {} (a number between 0 and 1; 0.85 is usual). Change it.", options.damping);
  check(!options.tolerance || *options.tolerance > 0,
        "pagerank: tol is {} (a number above 0). Change it, or leave it out for a fixed number of iterations.",
        options.tolerance.value_or(0));
  check(options.max_iterations > 0, "pagerank: max_iter is {} (at least 1). Change it.", options.max_iterations);
  const auto& p = options.personalization;
  if (p.empty()) return;
  check(p.size() == static_cast<std::size_t>(owned),
        "pagerank: the personalization has {} numbers ({} has {} vertices). Give one for each.", p.size(), name, owned);
  for (std::size_t v = 0; v < p.size(); ++v)
    check(p[v] >= 0 && std::isfinite(p[v]),
          "pagerank: personalization {} is {} (a finite number that is not negative). Correct it.", v, p[v]);
}

template <class Real>
PageRankVariant<Real>::PageRankVariant(const Graph& graph, Transition transition)
    : graph_(graph),
      world_(graph.world()),
      team_(world_.team()),
      transition_(transition),
      position_of_(static_cast<std::size_t>(graph.owned()), -1),
      threads_(static_cast<std::size_t>(team_.size())) {
  if (transition == Transition::by_weight) check_transition_weights(graph);
}

template <class Real>
void PageRankVariant<Real>::number(Array<Local> local_of, std::size_t sent) {
  local_of_ = std::move(local_of);
  sent_ = Array<Real>(sent, 0);
  next_ = Array<Real>(sent, 0);
  rank_ = Array<Real>(local_of_.size(), 0);
  inverse_ = Array<Real>(local_of_.size(), 0);
  for (std::size_t v = 0; v < local_of_.size(); ++v) {
    const Local local = local_of_[v];
    if (local < 0) continue;
    const double weight = leaving_weight(graph_, transition_, local);
    position_of_[graph_.owned_index_of(local)] = static_cast<Local>(v);
    // By weight the edges' probabilities are divided already (transition.hpp).
    const double divisor = transition_ == Transition::by_weight ? 1 : weight;
    inverse_[v] = weight > 0 ? Real(1) / static_cast<Real>(divisor) : Real(0);
    if (weight == 0) dangling_.push_back(static_cast<Local>(v));
  }
}

template <class Real>
void PageRankVariant<Real>::number_by_local(Local locals) {
  Array<Local> local_of(static_cast<std::size_t>(graph_.active()));
  std::iota(local_of.begin(), local_of.end(), Local{0});
  number(std::move(local_of), static_cast<std::size_t>(locals));
}

template <class Real>
void PageRankVariant<Real>::start(const PageRankOptions& options) {
  world_.collective_try([&] { check_options(options, graph_.owned(), graph_.name()); });
  const auto& p = options.personalization;
  const bool personal = world_.any(!p.empty());
  check(world_.all(!p.empty() || graph_.owned() == 0) || !personal,
        "pagerank: some ranks have a personalization, others none (it is a number for each vertex). Give it on all.");
  const auto n = static_cast<double>(graph_.vertices());
  total_ = 0;
  for (const double share : p) total_ += share;
  total_ = personal ? world_.sum(total_) : n;
  check(!personal || (total_ > 0 && std::isfinite(total_)),
        "pagerank: the personalization sums to {} (a finite number above 0). Give some vertex a share.", total_);
  personal_ = Array<Real>(p.empty() ? 0 : local_of_.size());
  isolated_share_ = static_cast<double>(graph_.owned() - graph_.active()) / n;
  if (!p.empty()) {
    isolated_share_ = 0;
    for (std::size_t v = 0; v < p.size(); ++v) {
      if (position_of_[v] < 0) {
        isolated_share_ += p[v] / total_;
      } else {
        personal_[position_of_[v]] = static_cast<Real>(p[v] / total_);
      }
    }
  }
  isolated_scale_ = 1;
  team_.for_range(local_of_.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) {
      if (local_of_[v] < 0) continue;
      rank_[v] = p.empty() ? static_cast<Real>(1 / n) : personal_[v];
      sent_[v] = rank_[v] * inverse_[v];
    }
  });
  for (Thread& t : threads_) t.change = 0;
}

// The threads' changes since the last call and the dangling mass, summed over all ranks.
template <class Real>
typename PageRankVariant<Real>::Totals PageRankVariant<Real>::totals() {
  for (Thread& t : threads_) t.dangling = 0;
  team_.for_range(dangling_.size(), kGrain, [&](int thread, std::size_t a, std::size_t b) {
    double sum = 0;
    for (std::size_t i = a; i < b; ++i) sum += static_cast<double>(rank_[dangling_[i]]);
    threads_[thread].dangling += sum;
  });
  Totals mine{.change = 0, .dangling = isolated_scale_ * isolated_share_};
  for (Thread& t : threads_) {
    mine.change += std::exchange(t.change, 0.0);
    mine.dangling += t.dangling;
  }
  return world_.fold(mine, [](Totals a, const Totals& b) {
    return Totals{.change = a.change + b.change, .dangling = a.dangling + b.dangling};
  });
}

// In pieces through local arrays, which cannot alias anything else, so that the compiler vectorizes the loops.
template <class Real>
void PageRankVariant<Real>::finish(const Step& step, int thread, std::size_t begin, std::size_t end, const Real* sums) {
  constexpr std::size_t kPiece = 256, kLanes = 8;
  Real x[kPiece], change[kPiece + kLanes];
  double all = 0;
  for (std::size_t v = begin; v < end; v += kPiece) {
    const std::size_t n = std::min(kPiece, end - v);
    const Real *sum = sums + (v - begin), *inverse = inverse_.data() + v;
    Real *rank = rank_.data() + v, *next = next_.data() + v;
    if (personal_.empty()) {
      for (std::size_t k = 0; k < n; ++k) x[k] = step.damping * sum[k] + step.base;
    } else {
      const Real* const personal = personal_.data() + v;
      for (std::size_t k = 0; k < n; ++k) x[k] = step.damping * sum[k] + step.teleport * personal[k];
    }
    for (std::size_t k = 0; k < n; ++k) change[k] = std::abs(x[k] - rank[k]);
    std::fill(change + n, change + n + kLanes, Real(0));
    std::copy(x, x + n, rank);
    for (std::size_t k = 0; k < n; ++k) next[k] = x[k] * inverse[k];
    Real lanes[kLanes] = {};
    for (std::size_t k = 0; k < n; k += kLanes)
      for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += change[k + lane];
    for (const Real lane : lanes) all += static_cast<double>(lane);
  }
  add_change(thread, all);
}

template <class Real>
void PageRankVariant<Real>::run(const PageRankOptions& options, PageRankResult<Real>& result) {
  result.iterations = 0;
  result.change = 0;
  result.converged = false;
  start(options);
  Totals all = totals();
  while (graph_.vertices() > 0 && result.iterations < options.max_iterations && !result.converged) {
    const double mass = options.dangling == Dangling::spread ? all.dangling : 0;
    const double teleport = 1 - options.damping + options.damping * mass;
    update_mirrors();
    sweep({.damping = static_cast<Real>(options.damping),
           .base = static_cast<Real>(teleport / static_cast<double>(graph_.vertices())),
           .teleport = static_cast<Real>(teleport)});
    sent_.swap(next_);
    threads_[0].change += isolated_share_ * std::abs(teleport - isolated_scale_);
    isolated_scale_ = teleport;
    all = totals();
    result.change = all.change;
    ++result.iterations;
    result.converged = options.tolerance && result.change < *options.tolerance;
    report_progress(options.progress, result.iterations,
                    expected_iterations(options, result.iterations, result.change));
  }
  write(options, result.score);
}

template <class Real>
void PageRankVariant<Real>::write(const PageRankOptions& options, Array<Real>& score) {
  const auto owned = static_cast<std::size_t>(graph_.owned());
  if (score.size() != owned) score = Array<Real>(owned);
  team_.for_range(owned, kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) {
      const Local position = position_of_[v];
      const double share = options.personalization.empty() ? 1 : options.personalization[v];
      score[v] = position < 0 ? static_cast<Real>(isolated_scale_ * share / total_) : rank_[position];
    }
  });
}

template <class Real>
std::size_t PageRankVariant<Real>::memory_bytes() const {
  return (local_of_.size() + position_of_.size() + dangling_.size()) * sizeof(Local) +
         (rank_.size() + inverse_.size() + personal_.size() + sent_.size() + next_.size()) * sizeof(Real);
}

template class PageRankVariant<float>;
template class PageRankVariant<double>;

}  // namespace atl
