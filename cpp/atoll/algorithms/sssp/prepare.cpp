// SPDX-License-Identifier: Apache-2.0
// What DeltaStepping derives from a graph once: delta, windows, and weighted adjacency lists by source and target.
#include <algorithm>
#include <atoll/algorithms/sssp/delta_stepping.hpp>
#include <atoll/algorithms/sssp/edge_weights.hpp>
#include <atoll/base/random.hpp>
#include <cmath>

namespace atl {
namespace {

constexpr std::size_t kSplitGrain = 64;
// A graph whose largest degree exceeds kSkew times the mean is treated as having hubs: only near vertices push, far
// ones pull. Of 18 real graphs on one rank, those above (from 62 times on) take 0.3 to 1.1 of the time this way, and
// those below (up to 47 times) would take 0.8 to 4 times as long.
constexpr double kSkew = 50;
// The first so many vertices, which are hubs, are landmarks; the ranks have equal shares of them. Only hubs of at least
// kLandmarkDegree times the mean degree are some, so a rank of low degrees has none.
constexpr Local kLandmarks = 64;
constexpr double kLandmarkDegree = 8;
// Weights from which delta and the reach are chosen.
constexpr double kSamples = 4096;

// Where there are hubs distances are close together: the reach is a quantile of the weights, and delta a part of it. A
// window is so many buckets of a round without hubs; with hubs it is as wide as the reach, and a part of it once there
// is a horizon.
struct Steps {
  double reach;   // quantile times the mean degree
  double parts;   // deltas in a reach
  double window;  // buckets
};
// Tried on Kronecker graphs.
constexpr Steps kOnOneRank{.reach = 0.75, .parts = 5, .window = 0x1p40};  // without end
// The reach is shorter: a near vertex is relaxed on every rank that has an edge of it, while a far vertex pulls on its
// owner only. 2, 3 and 5 parts took the same time on 2 and 4 ranks (Kronecker 20), with 25, 30 and 36 rounds.
constexpr Steps kOverRanks{.reach = 0.35, .parts = 3, .window = 4};

}  // namespace

// Chooses delta, reach and windows from a sample of the weights, the same on every rank. If k of a vertex's d edges are
// lighter than delta, a pass over a bucket finds k times as many vertices in it; k = 1 keeps repeated relaxations few.
// So without hubs delta is the 1/d quantile.
template <class Real, class Sum>
void DeltaStepping<Real, Sum>::choose_steps(const SsspOptions& options) {
  const EdgeWeights<Real> weights("sssp", graph_, graph_.out());
  const auto entries = world_.sum(static_cast<double>(weights.size()));
  active_of_all_ = world_.sum(static_cast<double>(graph_.active()));
  const double mean = active_of_all_ > 0 ? entries / active_of_all_ : 1;
  skewed_ = world_.any(graph_.hubs() > 0 && static_cast<double>(graph_.out().degree(0)) > kSkew * mean);
  while (skewed_ && landmarks_ < std::min(graph_.hubs(), std::max<Local>(1, kLandmarks / world_.size())) &&
         static_cast<double>(graph_.out().degree(landmarks_)) > kLandmarkDegree * mean)
    ++landmarks_;

  std::vector<double> mine;
  const double share = entries > 0 ? std::ceil(kSamples * static_cast<double>(weights.size()) / entries) : 0;
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(share); ++i)
    mine.push_back(static_cast<double>(weights[random_at(1, i) % weights.size()]));
  std::vector<double> sample = world_.all_gather_varying(std::span<const double>(mine));
  std::sort(sample.begin(), sample.end());
  const Steps steps = exchange_ ? kOverRanks : kOnOneRank;
  reach_ = positive_quantile(sample, steps.reach / mean);
  const double chosen = skewed_ ? reach_ / steps.parts : positive_quantile(sample, 1 / mean);
  delta_ = std::max(options.delta.value_or(chosen), std::numeric_limits<double>::min());  // so that 1 / delta is finite
  buckets_per_unit_ = 1 / delta_;
  const double window = skewed_ && exchange_ ? std::clamp(std::floor(reach_ / delta_), 1.0, 1e6) : steps.window;
  window_ = static_cast<std::size_t>(window);
  near_window_ = static_cast<std::size_t>(std::max(1.0, std::floor(window / steps.parts)));
}

template <class Real, class Sum>
void DeltaStepping<Real, Sum>::make_lists() {
  if (skewed_ && (exchange_ || graph_.directed())) in_ = lists_of(graph_.in());
  if (exchange_) {
    if (skewed_) make_heads();
    make_lists_to_masters();
  } else {
    out_ = lists_of(graph_.out());
  }
}

// The same lists with weights beside their targets, lightest first if far vertices pull.
template <class Real, class Sum>
SsspLists<Sum> DeltaStepping<Real, Sum>::lists_of(const Csr& csr) const {
  const EdgeWeights<Real> weights("sssp", graph_, csr);
  SsspLists<Sum> lists{{csr.offsets.data(), csr.offsets.size()}, Array<Entry>(csr.targets.size())};
  team_.for_range(csr.targets.size(), kSplitGrain * 256, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t e = a; e < b; ++e) lists.entries[e] = {csr.targets[e], static_cast<Sum>(weights[e])};
  });
  if (skewed_) sort_by_weight(team_, lists, 0, index(graph_.active()));
  return lists;
}

template <class Real, class Sum>
void DeltaStepping<Real, Sum>::make_heads() {
  heads_ = Array<Head>(index(graph_.active()));
  team_.for_range(heads_.size(), kSplitGrain * 16, [&](int, std::size_t a, std::size_t b) {
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
void DeltaStepping<Real, Sum>::make_lists_to_masters() {
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

template void DeltaStepping<float>::choose_steps(const SsspOptions&);
template void DeltaStepping<double>::choose_steps(const SsspOptions&);
template void DeltaStepping<double, std::uint32_t>::choose_steps(const SsspOptions&);
template void DeltaStepping<double, std::uint64_t>::choose_steps(const SsspOptions&);
template void DeltaStepping<float>::make_lists();
template void DeltaStepping<double>::make_lists();
template void DeltaStepping<double, std::uint32_t>::make_lists();
template void DeltaStepping<double, std::uint64_t>::make_lists();

}  // namespace atl
