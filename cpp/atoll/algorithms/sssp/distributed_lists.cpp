// SPDX-License-Identifier: Apache-2.0
// What DistributedSssp derives from a graph once: delta, window widths, and weighted adjacency lists by source and
// target.
#include <algorithm>
#include <atoll/algorithms/sssp/distributed.hpp>
#include <atoll/algorithms/sssp/edge_weights.hpp>
#include <atoll/base/random.hpp>
#include <cmath>

namespace atl {
namespace {

constexpr std::size_t kSplitGrain = 64;
// The landmarks are divided evenly among the ranks. Only hubs of at least kLandmarkDegree times the mean degree are
// some, so a rank of low degrees has none.
constexpr double kLandmarkDegree = 8;
// Windows between a hub and the horizon. 2, 3 and 5 took the same time on 2 and 4 ranks (Kronecker 20), with 25, 30 and
// 36 rounds.
constexpr std::size_t kNearWindows = 3;
// Buckets in a round on graphs without hubs.
constexpr std::size_t kWindow = 4;

}  // namespace

// Chooses delta, reach and windows from a sample of the weights, the same on every rank; kernel.cpp explains the
// quantiles. The reach is shorter than on one rank: a near vertex is relaxed on every rank that has an edge of it,
// while a far vertex pulls on its owner only.
template <class Real, class Sum>
void DistributedSssp<Real, Sum>::choose_steps(const SsspOptions& options) {
  const EdgeWeights<Real> weights("sssp", graph_, graph_.out());
  const auto entries = world_.sum(static_cast<double>(weights.size()));
  active_of_all_ = world_.sum(static_cast<double>(graph_.active()));
  const double mean = active_of_all_ > 0 ? entries / active_of_all_ : 1;
  skewed_ = world_.any(graph_.hubs() > 0 && static_cast<double>(graph_.out().degree(0)) > Steps::kSkew * mean);
  while (skewed_ && landmarks_ < std::min(graph_.hubs(), std::max<Local>(1, Steps::kLandmarks / world_.size())) &&
         static_cast<double>(graph_.out().degree(landmarks_)) > kLandmarkDegree * mean)
    ++landmarks_;

  std::vector<double> mine;
  const auto share =
      entries > 0 ? std::ceil(static_cast<double>(Steps::kSamples) * static_cast<double>(weights.size()) / entries) : 0;
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(share); ++i)
    mine.push_back(static_cast<double>(weights[random_at(1, i) % weights.size()]));
  std::vector<double> sample = world_.all_gather_varying(std::span<const double>(mine));
  std::sort(sample.begin(), sample.end());
  reach_ = positive_quantile(sample, 0.35 / mean);
  this->set_delta(options.delta ? *options.delta
                  : skewed_     ? reach_ / static_cast<double>(kNearWindows)
                                : positive_quantile(sample, 1 / mean));
  window_ = skewed_ ? std::max<std::size_t>(1, static_cast<std::size_t>(std::min(reach_ / delta_, 1e6))) : kWindow;
  near_window_ = std::max<std::size_t>(1, window_ / kNearWindows);
}

template <class Real, class Sum>
void DistributedSssp<Real, Sum>::make_lists() {
  if (skewed_) make_in_lists();
  make_out_lists();
}

template <class Real, class Sum>
void DistributedSssp<Real, Sum>::make_in_lists() {
  const Csr& in = graph_.in();
  const EdgeWeights<Real> weights("sssp", graph_, in);
  const auto active = index(graph_.active());
  in_ = {{in.offsets.data(), in.offsets.size()}, Array<Entry>(in.targets.size())};
  team_.for_range(in.targets.size(), kSplitGrain * 256, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t e = a; e < b; ++e) in_.entries[e] = {in.targets[e], static_cast<Sum>(weights[e])};
  });
  sort_by_weight(team_, in_, 0, active);
  heads_ = Array<Head>(active);
  team_.for_range(active, kSplitGrain * 16, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) {
      const std::span<const Entry> edges = in_.of(static_cast<Local>(v));
      heads_[v].fill({0, kUnreached});
      std::copy_n(edges.begin(), std::min(edges.size(), heads_[v].size()), heads_[v].begin());
    }
  });
}

// Builds out_: for each local vertex its edges to masters of this rank. A master's are the front of its own out-list,
// which is sorted by local number. A mirror's are the entries for it at the back of the masters' in-lists: these are
// transposed by counting sort.
template <class Real, class Sum>
void DistributedSssp<Real, Sum>::make_out_lists() {
  const Csr &out = graph_.out(), &in = graph_.in();
  const EdgeWeights<Real> leaving("sssp", graph_, out), entering("sssp", graph_, in);
  const auto active = index(graph_.active()), locals = index(graph_.locals()), first = index(first_mirror_);
  const auto to_masters = [&](const Csr& lists, std::size_t v) {
    const std::span<const Local> list = lists.neighbours(static_cast<Local>(v));
    return static_cast<std::size_t>(std::lower_bound(list.begin(), list.end(), first_mirror_) - list.begin());
  };
  const auto next = [&](Array<Edge>& positions, Local u) {
    Edge& position = positions[u];
    return this->one_thread_ ? position++ : std::atomic_ref(position).fetch_add(1, std::memory_order_relaxed);
  };
  const auto for_mirrors = [&](auto&& f) {  // f(mirror u, master v, index of u in v's in-list)
    team_.for_range(active, kSplitGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v)
        for (auto e = static_cast<std::size_t>(in.offsets[v]) + to_masters(in, v),
                  end = static_cast<std::size_t>(in.offsets[v + 1]);
             e < end; ++e)
          f(in.targets[e], static_cast<Local>(v), e);
    });
  };

  Array<Edge> positions(locals + 1, 0);
  team_.for_range(active, kSplitGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) positions[v] = static_cast<Edge>(to_masters(out, v));
  });
  for_mirrors([&](Local u, Local, std::size_t) { next(positions, u); });
  Edge sum = 0;
  for (Edge& position : positions) position = std::exchange(sum, sum + position);
  out_offsets_ = Array<Edge>(locals + 1);
  std::copy(positions.begin(), positions.end(), out_offsets_.begin());
  out_ = {{out_offsets_.data(), out_offsets_.size()}, Array<Entry>(static_cast<std::size_t>(sum))};
  // If the graph is undirected, in_ is already sorted and has the same edges: entries filtered from it stay sorted.
  const bool picked = skewed_ && !graph_.directed();
  team_.for_range(active, kSplitGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) {
      Entry* into = out_.entries.data() + out_offsets_[v];
      if (picked) {
        for (const Entry& e : in_.of(static_cast<Local>(v)))
          if (e.vertex < first_mirror_) *into++ = e;
      } else {
        const auto begin = static_cast<std::size_t>(out.offsets[v]), end = begin + to_masters(out, v);
        for (std::size_t e = begin; e < end; ++e) *into++ = {out.targets[e], static_cast<Sum>(leaving[e])};
      }
    }
  });
  for_mirrors(
      [&](Local u, Local v, std::size_t e) { out_.entries[next(positions, u)] = {v, static_cast<Sum>(entering[e])}; });
  if (skewed_ && !picked) sort_by_weight(team_, out_, 0, active);
  if (skewed_) sort_by_weight(team_, out_, first, locals);
}

template void DistributedSssp<float>::choose_steps(const SsspOptions&);
template void DistributedSssp<double>::choose_steps(const SsspOptions&);
template void DistributedSssp<double, std::uint32_t>::choose_steps(const SsspOptions&);
template void DistributedSssp<double, std::uint64_t>::choose_steps(const SsspOptions&);
template void DistributedSssp<float>::make_lists();
template void DistributedSssp<double>::make_lists();
template void DistributedSssp<double, std::uint32_t>::make_lists();
template void DistributedSssp<double, std::uint64_t>::make_lists();

}  // namespace atl
