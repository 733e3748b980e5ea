// SPDX-License-Identifier: Apache-2.0
// PageRank [1] over a vertex-cut, as a vertex program of gather, apply, scatter [2]: masters tell the mirrors that edges
// leave (scatter), each rank adds up what enters its vertices, mirrors too, and the mirrors' sums go to their masters
// (gather), which are given their new rank (apply).
//
//   in the paper            here               meaning
//   R                       rank_              x, by local number of the masters
//   R(u) / N_u              share_             what each leaving edge of u carries
//   c                       damping
//   E                       personal_
//
// [1] S. Brin, L. Page. "The anatomy of a large-scale hypertextual Web search engine." WWW 1998. [2] J. Gonzalez et al.
// "PowerGraph: Distributed graph-parallel computation on natural graphs." OSDI 2012.
#include <atoll/algorithms/pagerank_cut.hpp>
#include <cmath>

namespace atl {
namespace {

constexpr std::size_t kGrain = 2048;

}  // namespace

template <class Real>
PageRankCut<Real>::PageRankCut(const Graph& graph)
    : graph_(graph),
      world_(graph.world()),
      team_(world_.team()),
      cut_(graph, graph.cut(), VertexCut::Rows::targets),
      exchange_(SharedVertices::along_edges(cut_)),
      owned_(static_cast<std::size_t>(graph.owned())),
      inverse_(owned_),
      rank_(owned_),
      personal_(owned_),
      share_(static_cast<std::size_t>(cut_.locals()), 0),
      sum_(static_cast<std::size_t>(cut_.locals()), 0),
      threads_(static_cast<std::size_t>(team_.size())) {
  for (std::size_t v = 0; v < owned_; ++v) {
    const Edge degree = graph.out().degree(static_cast<Local>(v));
    inverse_[v] = degree > 0 ? Real(1) / static_cast<Real>(degree) : Real(0);
  }
}

template <class Real>
void PageRankCut<Real>::run(const PageRankOptions& options, PageRankResult<Real>& result) {
  Totals all = start(options);
  result.iterations = 0;
  result.converged = false;
  result.change = 0;
  while (result.iterations < options.max_iterations && !result.converged) {
    exchange_.broadcast_all({share_.data(), share_.size()});
    gather();
    exchange_.reduce_all({sum_.data(), sum_.size()});
    const double spread = options.dangling == Dangling::spread ? all.dangling : 0;
    all = apply(options.damping, 1 - options.damping + options.damping * spread);
    result.change = all.change;
    ++result.iterations;
    result.converged = options.tolerance && result.change < *options.tolerance;
  }
  if (result.score.size() != owned_) result.score = Array<Real>(owned_);
  for (std::size_t v = 0; v < owned_; ++v)
    result.score[v] = rank_[static_cast<std::size_t>(graph_.local_of(static_cast<Vertex>(v)))];
}

template <class Real>
typename PageRankCut<Real>::Totals PageRankCut<Real>::start(const PageRankOptions& options) {
  const auto& p = options.personalisation;
  const double total = total_personalisation(graph_, options);
  for (std::size_t v = 0; v < owned_; ++v)
    personal_[v] = static_cast<Real>(
        p.empty() ? 1 / total : p[static_cast<std::size_t>(graph_.natural_of(static_cast<Local>(v)))] / total);
  return for_masters([&](std::size_t v, Totals&) { rank_[v] = personal_[v]; });
}

// f(master, totals) for all, which then share their rank among their edges.
template <class Real>
template <class F>
typename PageRankCut<Real>::Totals PageRankCut<Real>::for_masters(F&& f) {
  for (Thread& t : threads_) t.totals = {};
  team_.for_range(owned_, kGrain, [&](int thread, std::size_t a, std::size_t b) {
    Totals& totals = threads_[static_cast<std::size_t>(thread)].totals;
    for (std::size_t v = a; v < b; ++v) {
      f(v, totals);
      share_[v] = rank_[v] * inverse_[v];
      if (inverse_[v] == 0) totals.dangling += static_cast<double>(rank_[v]);
    }
  });
  Totals mine;
  for (const Thread& t : threads_) mine += t.totals;
  return world_.fold(mine, [](Totals a, const Totals& b) { return a += b; });
}

template <class Real>
void PageRankCut<Real>::gather() {
  const Csr& in = cut_.rows();
  team_.for_range(sum_.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) {
      Real sum = 0;
      for (const Local u : in.neighbours(static_cast<Local>(v))) sum += share_[static_cast<std::size_t>(u)];
      sum_[v] = sum;
    }
  });
}

template <class Real>
typename PageRankCut<Real>::Totals PageRankCut<Real>::apply(double damping, double teleport) {
  return for_masters([&](std::size_t v, Totals& totals) {
    const Real x = static_cast<Real>(damping) * sum_[v] + static_cast<Real>(teleport) * personal_[v];
    totals.change += static_cast<double>(std::abs(x - rank_[v]));
    rank_[v] = x;
  });
}

template <class Real>
std::size_t PageRankCut<Real>::memory_bytes() const {
  return (3 * owned_ + 2 * share_.size()) * sizeof(Real) + exchange_.memory_bytes() + cut_.memory_bytes();
}

template class PageRankCut<float>;
template class PageRankCut<double>;

}  // namespace atl
