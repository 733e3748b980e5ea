// SPDX-License-Identifier: Apache-2.0
// Single-source shortest paths by delta-stepping [1] with bucket fusion [2]. On graphs with hubs only the near vertices
// are reached by delta-stepping; far vertices pull.
//
//   in the paper     here                meaning
//   tent(v)          distance_           best distance known
//   B[i]             Thread::buckets     vertices with i delta <= tent < (i+1) delta, per thread
//   relax            relax_edges         relaxes all edges of a vertex
//   light, heavy     -                   all edges are relaxed at once; a vertex relaxed too early is relaxed again
//
// The far vertices: beyond a hub nearly every vertex has a light edge to a near vertex, and most relaxations pushed
// from near vertices fail. Once a hub is reached at distance h, the horizon is H = h + reach. Distances below H are
// found by pushing, along edges that end below H only (lists are sorted by weight, so these are a prefix). Then each
// vertex v at or beyond H pulls along its entering edges, lightest first, and stops at the first with L + w >= best,
// where L = lower_: vertices closer than L relaxed all their edges before there was a horizon. A vertex that another
// vertex at or beyond H could still improve, H + w < best for its lightest edge w, pulls once more, and vertices that
// change then push. Rounding is monotone, so all these comparisons hold for the rounded sums.
//
// [1] U. Meyer, P. Sanders. "Delta-stepping: a parallelizable shortest path algorithm." J. Algorithms 49(1), 2003.
// [2] Y. Zhang et al. "Optimizing ordered graph algorithms with GraphIt." CGO 2020.
#include <algorithm>
#include <atoll/algorithms/one_rank.hpp>
#include <atoll/algorithms/sssp/edge_weights.hpp>
#include <atoll/algorithms/sssp/kernel.hpp>
#include <atoll/base/random.hpp>
#include <cmath>

namespace atl {
namespace {

constexpr std::size_t kKernelGrain = 1024;

}  // namespace

template <class Real, class Sum>
SsspKernel<Real, Sum>::SsspKernel(const Graph& graph, const SsspOptions& options)
    : Steps(graph.world().team(), index(on_one_rank(graph, "sssp").active()), index(graph.active())), graph_(graph) {
  check(!options.delta || (*options.delta > 0 && std::isfinite(*options.delta)),
        "sssp: delta is {} (a finite number above 0). Change it, or leave it out.", options.delta.value_or(0));
  check_weights<Real>("sssp", graph, ZeroWeights::allowed);
  const auto active = index(graph.active());
  const double mean = active > 0 ? static_cast<double>(graph.out().size()) / static_cast<double>(active) : 0;
  skewed_ = graph.hubs() > 0 && static_cast<double>(graph.out().degree(0)) > Steps::kSkew * mean;
  choose_steps(options);
  out_ = lists_of(graph.out());
  if (graph.directed()) in_ = lists_of(graph.in());
  frontier_ = Array<Local>(index(graph.active()) + 1);
}

// Chooses delta and reach from a sample of the weights. If k of a vertex's d edges are lighter than delta, a pass over
// a bucket finds k times as many vertices in it; k = 1 keeps repeated relaxations few. So delta is the 1/d quantile.
// With hubs distances are close together: there the reach is the 0.75/d quantile and delta a fifth of it, as tried on
// Kronecker graphs.
template <class Real, class Sum>
void SsspKernel<Real, Sum>::choose_steps(const SsspOptions& options) {
  const EdgeWeights<Real> weights("sssp", graph_, graph_.out());
  std::vector<double> sample;
  for (std::size_t i = 0; i < Steps::kSamples && weights.size() > 0; ++i)
    sample.push_back(static_cast<double>(weights[random_at(1, i) % weights.size()]));
  std::sort(sample.begin(), sample.end());
  const double mean = sample.empty() ? 1 : static_cast<double>(weights.size()) / static_cast<double>(graph_.active());
  reach_ = positive_quantile(sample, 0.75 / mean);
  this->set_delta(options.delta ? *options.delta : skewed_ ? reach_ / 5 : positive_quantile(sample, 1 / mean));
}

template <class Real, class Sum>
SsspLists<Sum> SsspKernel<Real, Sum>::lists_of(const Csr& csr) const {
  const EdgeWeights<Real> weights("sssp", graph_, csr);
  SsspLists<Sum> lists{{csr.offsets.data(), csr.offsets.size()}, Array<Entry>(csr.targets.size())};
  team_.for_range(csr.targets.size(), kKernelGrain * 16, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t e = a; e < b; ++e) lists.entries[e] = {csr.targets[e], static_cast<Sum>(weights[e])};
  });
  if (skewed_) sort_by_weight(team_, lists, 0, index(graph_.active()));
  return lists;
}

template <class Real, class Sum>
void SsspKernel<Real, Sum>::relax_edges(Thread& thread, Local u) {
  const Sum distance = load(u);
  if (!this->is_due(u, distance)) return;
  if (skewed_ && u < Steps::kLandmarks) {
    Sum none = kUnreached;
    if (horizon_.compare_exchange_strong(
            none, static_cast<Sum>(std::min(static_cast<double>(distance) + reach_, static_cast<double>(kUnreached)))))
      lower_ = static_cast<Sum>(static_cast<double>(bucket_) * delta_ * Steps::kRoundingRoom);
  }
  const Sum horizon = horizon_.load(std::memory_order_relaxed);
  for (const Entry& e : out(u)) {
    const Sum reached = distance + e.weight;
    if (reached >= horizon) {
      if (skewed_) break;
      continue;
    }
    if (relax(distance, u, e)) this->put(thread, e.vertex, reached);
  }
}

// Empties all buckets below the horizon in order.
template <class Real, class Sum>
void SsspKernel<Real, Sum>::push(Local source) {
  this->clear();
  distance_[source] = 0;
  this->put(threads_[0], source, 0);
  this->empty_buckets(out_, 0, Steps::kNone, [this](Thread& thread, Local u) { relax_edges(thread, u); });
}

template <class Real, class Sum>
bool SsspKernel<Real, Sum>::pull_one(Local v, Sum lower) {
  return Steps::pull_one(v, lower, [&](auto&& try_edge) {
    const std::span<const Entry> edges = in(v);
    std::all_of(edges.begin(), edges.end(), try_edge);
  });
}

template <class Real, class Sum>
template <class F>
void SsspKernel<Real, Sum>::for_frontier(F&& f) {
  team_.for_range(frontier_size_, kKernelGrain / 4, [&](int t, std::size_t a, std::size_t b) {
    for (std::size_t i = a; i < b; ++i) {
      if (i + kAhead < b) __builtin_prefetch(in(frontier_[i + kAhead]).data());
      f(threads_[t], frontier_[i]);
    }
  });
  collect_kept();
}

template <class Real, class Sum>
void SsspKernel<Real, Sum>::pull() {
  const Sum horizon = horizon_;
  team_.for_range(distance_.size(), kKernelGrain, [&](int t, std::size_t a, std::size_t b) {
    Thread& thread = threads_[t];
    for (std::size_t i = a; i < b; ++i) {
      if (i + kAhead < b) __builtin_prefetch(in(static_cast<Local>(i + kAhead)).data());
      if (distance_[i] < horizon) continue;
      const auto v = static_cast<Local>(i);
      pull_one(v, lower_);
      if (const auto edges = in(v); !edges.empty() && horizon + edges[0].weight < distance_[i])
        thread.kept.push_back(v);
    }
  });
  collect_kept();
  for_frontier([&](Thread& thread, Local v) {
    if (pull_one(v, horizon)) thread.kept.push_back(v);
  });
  // Few vertices have changed after their neighbours pulled from them: these push.
  while (frontier_size_ > 0)
    for_frontier([&](Thread& thread, Local u) {
      const Sum distance = load(u);
      for (const Entry& e : out(u))
        if (relax(distance, u, e)) thread.kept.push_back(e.vertex);
    });
}

template <class Real, class Sum>
void SsspKernel<Real, Sum>::run(Vertex source, SsspResult<Real>& result) {
  const Local start = graph_.local_of(graph_.find(source).second);
  if (start < graph_.active()) {
    push(start);
    if (horizon_ < kUnreached) pull();
  } else {
    std::fill(distance_.begin(), distance_.end(), kUnreached);
  }
  write(start, result);
}

template <class Real, class Sum>
std::size_t SsspKernel<Real, Sum>::memory_bytes() const {
  return out_.memory_bytes() + in_.memory_bytes() + this->steps_bytes();
}

template class SsspKernel<float>;
template class SsspKernel<double>;
template class SsspKernel<double, std::uint32_t>;
template class SsspKernel<double, std::uint64_t>;

}  // namespace atl
