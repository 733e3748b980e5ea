// SPDX-License-Identifier: Apache-2.0
// What shortest paths over ranks make of a graph once: the widths of their steps, and its edges by source and by target.
#include <algorithm>
#include <atoll/algorithms/edge_weights.hpp>
#include <atoll/algorithms/sssp_spread.hpp>
#include <atoll/base/random.hpp>
#include <cmath>

namespace atl {
namespace {

constexpr std::size_t kGrain = 64;
// Graphs whose largest degree is so many times the mean have hubs.
constexpr double kSkew = 8;
// The first so many hubs of all ranks set the horizon.
constexpr Local kLandmarks = 64;
constexpr double kSamples = 4096;
// Buckets of a round where there are no hubs.
constexpr std::size_t kWindow = 4;

std::size_t index(Local v) { return static_cast<std::size_t>(v); }

}  // namespace

// From a sample of the weights, the same on every rank; see sssp_local.cpp for the quantiles. The
// horizon is nearer than there: what lies below is settled by each rank that has an edge of it, what pulls by one.
template <class Real>
void SsspSpread<Real>::choose_steps(const SsspOptions& options) {
  const EdgeWeights<Real> weights("sssp", graph_, graph_.out());
  const auto entries = world_.sum(static_cast<double>(weights.size()));
  active_of_all_ = world_.sum(static_cast<double>(graph_.active()));
  const double mean = active_of_all_ > 0 ? entries / active_of_all_ : 1;
  const double many = kSkew * mean;
  while (landmarks_ < std::min(graph_.hubs(), std::max<Local>(1, kLandmarks / world_.size())) &&
         static_cast<double>(graph_.out().degree(landmarks_)) > many)
    ++landmarks_;
  skewed_ = world_.any(landmarks_ > 0);

  std::vector<double> mine;
  const auto share = entries > 0 ? std::ceil(kSamples * static_cast<double>(weights.size()) / entries) : 0;
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(share); ++i)
    mine.push_back(static_cast<double>(weights[random_at(1, i) % weights.size()]));
  std::vector<double> sample = world_.all_gather_varying(std::span<const double>(mine));
  std::sort(sample.begin(), sample.end());
  auto quantile = [&](double q) {
    if (sample.empty()) return 1.0;
    const auto at = static_cast<std::size_t>(std::clamp(q, 0.0, 1.0) * static_cast<double>(sample.size() - 1));
    const auto positive = std::upper_bound(sample.begin(), sample.end(), 0.0);
    return positive == sample.end() ? 1.0 : std::max(sample[at], *positive);
  };
  reach_ = quantile(0.35 / mean);
  delta_ = options.delta ? *options.delta : skewed_ ? reach_ / 5 : quantile(1 / mean);
  delta_ = std::max(delta_, std::numeric_limits<double>::min());  // so that 1 / delta is finite
  buckets_per_unit_ = 1 / delta_;
  window_ = skewed_ ? std::max<std::size_t>(1, static_cast<std::size_t>(std::min(reach_ / delta_, 1e6))) : kWindow;
}

template <class Real>
void SsspSpread<Real>::make_lists() {
  const Csr& in = graph_.in();
  const EdgeWeights<Real> weights("sssp", graph_, in);
  const auto active = index(graph_.active()), locals = index(graph_.locals());
  // By counting: the edges that enter masters, by source.
  forth_.offsets = Array<Edge>(locals + 1);
  std::fill(forth_.offsets.begin(), forth_.offsets.end(), 0);
  for (const Local u : in.targets) ++forth_.offsets[index(u) + 1];
  for (std::size_t v = 0; v < locals; ++v) forth_.offsets[v + 1] += forth_.offsets[v];
  forth_.entries = Array<Entry>(in.targets.size());
  std::vector<Edge> next(forth_.offsets.begin(), forth_.offsets.end() - 1);
  for (std::size_t v = 0; v < active; ++v)
    for (auto e = static_cast<std::size_t>(in.offsets[v]); e < static_cast<std::size_t>(in.offsets[v + 1]); ++e)
      forth_.entries[static_cast<std::size_t>(next[index(in.targets[e])]++)] = {static_cast<Local>(v), weights[e]};
  if (skewed_) sort_by_weight(forth_);
  if (!skewed_) return;
  back_.offsets = Array<Edge>(active + 1);
  std::copy(in.offsets.begin(), in.offsets.begin() + static_cast<std::ptrdiff_t>(active) + 1, back_.offsets.begin());
  back_.entries = Array<Entry>(in.targets.size());
  team_.for_range(in.targets.size(), kGrain * 1024, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t e = a; e < b; ++e) back_.entries[e] = {in.targets[e], weights[e]};
  });
  sort_by_weight(back_);
  heads_ = Array<Head>(active);
  for (std::size_t v = 0; v < active; ++v) {
    const std::span<const Entry> edges = back_.of(static_cast<Local>(v));
    heads_[v].fill({0, kFar});
    std::copy_n(edges.begin(), std::min(edges.size(), heads_[v].size()), heads_[v].begin());
  }
}

template <class Real>
void SsspSpread<Real>::sort_by_weight(Lists& lists) {
  team_.for_range(lists.offsets.size() - 1, kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v)
      std::sort(lists.entries.begin() + lists.offsets[v], lists.entries.begin() + lists.offsets[v + 1],
                [](const Entry& x, const Entry& y) { return x.weight < y.weight; });
  });
}

template void SsspSpread<float>::choose_steps(const SsspOptions&);
template void SsspSpread<double>::choose_steps(const SsspOptions&);
template void SsspSpread<float>::make_lists();
template void SsspSpread<double>::make_lists();

}  // namespace atl
