// SPDX-License-Identifier: Apache-2.0
#include <atoll/algorithms/pagerank/transition.hpp>
#include <atoll/algorithms/pagerank/weighted.hpp>
#include <numeric>

namespace atl {
namespace {

// Hubs come first, so pieces of as many rows would differ too much.
constexpr std::size_t kWeightedChunksPerThread = 32;

std::vector<std::size_t> chunks_of(const Csr& in, std::size_t rows, int threads) {
  const auto edges = static_cast<std::size_t>(in.offsets[rows]);
  const std::size_t most = (edges + rows) / (kWeightedChunksPerThread * static_cast<std::size_t>(threads)) + 1;
  std::vector<std::size_t> first{0};
  const auto work = [&](std::size_t row) { return static_cast<std::size_t>(in.offsets[row]) + row; };
  for (std::size_t row = 1; row < rows; ++row)
    if (work(row) - work(first.back()) >= most) first.push_back(row);
  first.push_back(rows);
  return first;
}

}  // namespace

template <class Real>
PageRankWeighted<Real>::PageRankWeighted(const Graph& graph)
    : Variant(graph, Transition::by_weight),
      exchange_(graph),
      probability_(
          transition_probabilities<Real>(this->team_, graph.in(), leaving_weights(graph, GraphView::all_of(graph)))),
      chunks_(chunks_of(graph.in(), static_cast<std::size_t>(graph.active()), this->team_.size())) {
  Array<Local> local_of(static_cast<std::size_t>(graph.active()));
  std::iota(local_of.begin(), local_of.end(), Local{0});
  this->number(std::move(local_of), static_cast<std::size_t>(graph.locals()));
}

template <class Real>
void PageRankWeighted<Real>::update_mirrors() {
  exchange_.broadcast_all({this->sent_.data(), this->sent_.size()});
}

template <class Real>
void PageRankWeighted<Real>::sweep(const Step& step) {
  const Csr& in = this->graph_.in();
  const Real* const x = this->sent_.data();
  this->team_.for_range(chunks_.size() - 1, 1, [&](int thread, std::size_t c, std::size_t) {
    const std::size_t begin = chunks_[c], end = chunks_[c + 1];
    for (std::size_t v = begin; v < end; ++v) {
      Real even = 0, odd = 0;
      auto e = static_cast<std::size_t>(in.offsets[v]);
      const auto last = static_cast<std::size_t>(in.offsets[v + 1]);
      for (; e + 1 < last; e += 2) {
        even += probability_[e] * x[in.targets[e]];
        odd += probability_[e + 1] * x[in.targets[e + 1]];
      }
      if (e < last) even += probability_[e] * x[in.targets[e]];
      this->next_[v] = even + odd;
    }
    this->finish(step, thread, begin, end, this->next_.data() + begin);
  });
}

template <class Real>
std::size_t PageRankWeighted<Real>::memory_bytes() const {
  return Variant::memory_bytes() + exchange_.memory_bytes() + probability_.size() * sizeof(Real) +
         chunks_.size() * sizeof(std::size_t);
}

template class PageRankWeighted<float>;
template class PageRankWeighted<double>;

}  // namespace atl
