// SPDX-License-Identifier: Apache-2.0
// PageRank by power iteration, one reading of the lists an iteration.
//
//   in the equation     here
//   x(u) / outdegree    sent_
//   sum over u -> v     tail rows: pulled from hubs and tail; hub rows: pulled from hubs, pushed by tail rows
//   s                   dangling_mass()
//   (1-d) p + d s p     Step::base, or Step::teleport * personal_
//
// A tail row that has an edge from a hub has, undirected, one to it: its list of 16-bit hub ids is read once for what
// it pulls and what it pushes, into sums of this thread's own, which stay near the core. Nobody writes what another
// reads: sent_ is read, next_ written.
// Vertices without edges all have x(v) = c p(v) for one c: they cost nothing.
#include <algorithm>
#include <atoll/algorithms/one_rank.hpp>
#include <atoll/algorithms/pagerank_local.hpp>
#include <cmath>

namespace atl {
namespace {

constexpr std::size_t kGrain = 4096;
// Entries of a tail list whose values are fetched ahead of their use.
constexpr std::size_t kAhead = 48;
static_assert(kAhead <= HubTail::kSlack);

template <class Real>
void sum_rows(const Real* x, const HubTail::HubId* ids, const std::uint32_t* counts, std::size_t rows, Real* sums) {
  for (std::size_t r = 0; r < rows; ++r) {
    const HubTail::HubId* const end = ids + counts[r];
    Real sum[4] = {};
    for (; end - ids >= 4; ids += 4)
      for (int k = 0; k < 4; ++k) sum[k] += x[ids[k]];
    for (; ids != end; ++ids) sum[0] += x[*ids];
    sums[r] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
}

}  // namespace

#if defined(__x86_64__)
SumRows<float> pagerank_sum_rows_avx512();  // pagerank_local_avx512.cpp
#endif

template <class Real>
SumRows<Real> pagerank_sum_rows(Isa isa) {
#if defined(__x86_64__)
  // In double a gather brings 8 values in the time of 8 loads: nothing is won.
  if constexpr (std::is_same_v<Real, float>)
    if (isa >= Isa::avx512) return pagerank_sum_rows_avx512();
#endif
  static_cast<void>(isa);
  return sum_rows<Real>;
}

template <class Real>
struct PageRankLocal<Real>::Step {
  Real damping;
  Real base;      // of all vertices, without a personalisation
  Real teleport;  // times personal_, with one
};

template <class Real>
PageRankLocal<Real>::PageRankLocal(const Graph& graph)
    : graph_(on_one_rank(graph, "pagerank")),
      team_(graph.world().team()),
      rows_(team_, graph),
      sum_rows_(pagerank_sum_rows<Real>(chosen_isa())),
      position_of_(static_cast<std::size_t>(graph.owned())),
      inverse_(rows_.positions),
      rank_(rows_.positions),
      sent_(rows_.positions),
      next_(rows_.positions),
      threads_(static_cast<std::size_t>(team_.size())) {
  std::fill(position_of_.begin(), position_of_.end(), Local{-1});
  for (std::size_t v = 0; v < rows_.positions; ++v) {
    const Local local = rows_.local_of[v];
    const Edge degree = graph.out().degree(local);
    position_of_[static_cast<std::size_t>(graph.natural_of(local))] = static_cast<Local>(v);
    inverse_[v] = degree > 0 ? Real(1) / static_cast<Real>(degree) : Real(0);
    if (degree == 0) dangling_.push_back(static_cast<Local>(v));
  }
  for (Thread& t : threads_) t.pushed = Array<Real>(rows_.hubs);
}

template <class Real>
void PageRankLocal<Real>::start(const PageRankOptions& options) {
  const auto& p = options.personalisation;
  const auto n = static_cast<double>(graph_.owned());
  personal_ = Array<Real>(p.empty() ? 0 : rows_.positions);
  total_ = n;
  apart_share_ = (n - static_cast<double>(rows_.positions)) / n;
  if (!p.empty()) {
    total_ = apart_share_ = 0;
    for (const double share : p) total_ += share;
    for (std::size_t v = 0; v < p.size(); ++v) {
      if (position_of_[v] < 0) {
        apart_share_ += p[v] / total_;
      } else {
        personal_[static_cast<std::size_t>(position_of_[v])] = static_cast<Real>(p[v] / total_);
      }
    }
  }
  apart_ = 1;
  team_.for_range(rows_.positions, kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) {
      rank_[v] = p.empty() ? static_cast<Real>(1 / n) : personal_[v];
      sent_[v] = rank_[v] * inverse_[v];
    }
  });
}

template <class Real>
double PageRankLocal<Real>::finish(const Step& step, std::size_t v, Real sum) {
  const Real x = step.damping * sum + (personal_.empty() ? step.base : step.teleport * personal_[v]);
  const Real change = std::abs(x - rank_[v]);
  rank_[v] = x;
  next_[v] = x * inverse_[v];
  return static_cast<double>(change);
}

template <class Real>
void PageRankLocal<Real>::tail_rows(const Step& step, const HubTail::Chunk& chunk, Thread& thread) {
  const Real* const x = sent_.data();
  Real* const pushed = thread.pushed.data();
  const Local* tail = rows_.tail_from_tail.ids.data() + chunk.tail_from;
  const HubTail::HubId* hub = rows_.tail_from_hub.ids.data() + chunk.hub_from;
  const bool directed = graph_.directed();
  const HubTail::HubId* to = directed ? rows_.tail_to_hub.ids.data() + chunk.hub_to : nullptr;
  double change = 0;
  for (std::size_t v = chunk.begin; v < chunk.end; ++v) {
    const std::size_t row = v - rows_.hubs;
    const Real own = x[v];
    Real even = 0, odd = 0;
    for (const Local* const end = tail + rows_.tail_from_tail.count[row]; tail != end; ++tail) {
      __builtin_prefetch(x + tail[kAhead]);
      even += x[*tail];
    }
    const HubTail::HubId* const end = hub + rows_.tail_from_hub.count[row];
    if (directed) {
      for (; hub != end; ++hub) even += x[*hub];
      for (const HubTail::HubId* const last = to + rows_.tail_to_hub.count[row]; to != last; ++to) pushed[*to] += own;
    } else {
      if ((end - hub) % 2) {
        even += x[*hub];
        pushed[*hub++] += own;
      }
      for (; hub != end; hub += 2) {
        even += x[hub[0]];
        pushed[hub[0]] += own;
        odd += x[hub[1]];
        pushed[hub[1]] += own;
      }
    }
    change += finish(step, v, even + odd);
  }
  thread.change += change;
}

template <class Real>
void PageRankLocal<Real>::hub_rows(const Step& step, const HubTail::Chunk& chunk, Thread& thread) {
  sum_rows_(sent_.data(), rows_.hub_from_hub.ids.data() + chunk.hub_from, rows_.hub_from_hub.count.data() + chunk.begin,
            chunk.end - chunk.begin, next_.data() + chunk.begin);
  double change = 0;
  for (std::size_t v = chunk.begin; v < chunk.end; ++v) {
    Real sum = next_[v];
    for (const Thread& t : threads_) sum += t.pushed[v];
    change += finish(step, v, sum);
  }
  thread.change += change;
}

template <class Real>
void PageRankLocal<Real>::sweep(const Step& step) {
  team_.for_range(threads_.size(), 1, [&](int, std::size_t t, std::size_t) {
    std::fill(threads_[t].pushed.begin(), threads_[t].pushed.end(), Real(0));
    threads_[t].change = 0;
  });
  team_.for_range(rows_.tail_chunks.size(), 1, [&](int thread, std::size_t c, std::size_t) {
    tail_rows(step, rows_.tail_chunks[c], threads_[static_cast<std::size_t>(thread)]);
  });
  team_.for_range(rows_.hub_chunks.size(), 1, [&](int thread, std::size_t c, std::size_t) {
    hub_rows(step, rows_.hub_chunks[c], threads_[static_cast<std::size_t>(thread)]);
  });
  sent_.swap(next_);
}

template <class Real>
double PageRankLocal<Real>::dangling_mass() {
  for (Thread& t : threads_) t.dangling = 0;
  team_.for_range(dangling_.size(), kGrain, [&](int thread, std::size_t a, std::size_t b) {
    double sum = 0;
    for (std::size_t i = a; i < b; ++i) sum += static_cast<double>(rank_[static_cast<std::size_t>(dangling_[i])]);
    threads_[static_cast<std::size_t>(thread)].dangling += sum;
  });
  double mass = apart_ * apart_share_;
  for (const Thread& t : threads_) mass += t.dangling;
  return mass;
}

template <class Real>
void PageRankLocal<Real>::write(const PageRankOptions& options, Array<Real>& score) {
  const auto owned = static_cast<std::size_t>(graph_.owned());
  if (score.size() != owned) score = Array<Real>(owned);
  team_.for_range(owned, kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) {
      const Local position = position_of_[v];
      const double share = options.personalisation.empty() ? 1 : options.personalisation[v];
      score[v] = position < 0 ? static_cast<Real>(apart_ * share / total_) : rank_[static_cast<std::size_t>(position)];
    }
  });
}

template <class Real>
void PageRankLocal<Real>::run(const PageRankOptions& options, PageRankResult<Real>& result) {
  check_options(options, graph_.owned(), graph_.name());
  double sum = 0;
  for (const double share : options.personalisation) sum += share;
  check(options.personalisation.empty() || (sum > 0 && std::isfinite(sum)),
        "pagerank: the personalisation sums to {} (a finite number above 0). Give some vertex a share.", sum);
  result.iterations = 0;
  result.change = 0;
  result.converged = false;
  if (graph_.owned() == 0) return;
  start(options);
  while (result.iterations < options.max_iterations && !result.converged) {
    const double mass = options.dangling == Dangling::spread ? dangling_mass() : 0;
    const double teleport = 1 - options.damping + options.damping * mass;
    sweep({.damping = static_cast<Real>(options.damping),
           .base = static_cast<Real>(teleport / static_cast<double>(graph_.owned())),
           .teleport = static_cast<Real>(teleport)});
    result.change = apart_share_ * std::abs(teleport - apart_);
    apart_ = teleport;
    for (const Thread& t : threads_) result.change += t.change;
    ++result.iterations;
    result.converged = options.tolerance && result.change < *options.tolerance;
  }
  write(options, result.score);
}

template <class Real>
std::size_t PageRankLocal<Real>::memory_bytes() const {
  return rows_.memory_bytes() + (position_of_.size() + dangling_.size()) * sizeof(Local) +
         (inverse_.size() + personal_.size() + rank_.size() + sent_.size() + next_.size() +
          threads_.size() * rows_.hubs) *
             sizeof(Real);
}

template SumRows<float> pagerank_sum_rows(Isa);
template SumRows<double> pagerank_sum_rows(Isa);
template class PageRankLocal<float>;
template class PageRankLocal<double>;

}  // namespace atl
