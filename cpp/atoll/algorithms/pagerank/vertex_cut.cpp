// SPDX-License-Identifier: Apache-2.0
// PageRank over a vertex-cut by gather, apply, scatter [1]: each rank sums over its edges into its vertices, mirrors
// included, and the mirrors' sums are reduced to their masters (gather). Masters compute their new rank (apply) and
// broadcast it to the mirrors that edges leave (scatter).
//
// [1] J. Gonzalez et al. "PowerGraph: Distributed graph-parallel computation on natural graphs." OSDI 2012.
#include <atoll/algorithms/pagerank/transition.hpp>
#include <atoll/algorithms/pagerank/vertex_cut.hpp>
#include <numeric>

namespace atl {

template <class Real>
VertexCutPageRank<Real>::VertexCutPageRank(const Graph& graph, Transition transition)
    : Variant(graph, transition), cut_(graph.vertex_cut(CutRows::targets)), exchange_(GraphView::along_edges(cut_)) {
  Array<Local> local_of(static_cast<std::size_t>(graph.active()));
  std::iota(local_of.begin(), local_of.end(), Local{0});
  this->number(std::move(local_of), static_cast<std::size_t>(cut_.locals()));
  if (transition == Transition::by_weight)
    probability_ =
        transition_probabilities<Real>(this->team_, cut_.rows(), leaving_weights(graph, GraphView::along_edges(cut_)));
}

template <class Real>
void VertexCutPageRank<Real>::update_mirrors() {
  exchange_.broadcast_all({this->sent_.data(), this->sent_.size()});
}

template <class Real>
void VertexCutPageRank<Real>::sweep(const Step& step) {
  Array<Real>& next = this->next_;
  const Real* const sent = this->sent_.data();
  const Csr& in = cut_.rows();
  const bool uniform = probability_.empty();
  this->team_.for_range(next.size(), Variant::kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) {
      Real sum = 0;
      const auto begin = static_cast<std::size_t>(in.offsets[v]), end = static_cast<std::size_t>(in.offsets[v + 1]);
      if (uniform) {
        for (std::size_t e = begin; e < end; ++e) sum += sent[in.targets[e]];
      } else {
        for (std::size_t e = begin; e < end; ++e) sum += probability_[e] * sent[in.targets[e]];
      }
      next[v] = sum;
    }
  });
  exchange_.reduce_all({next.data(), next.size()});
  this->team_.for_range(this->local_of_.size(), Variant::kGrain, [&](int thread, std::size_t a, std::size_t b) {
    this->finish(step, thread, a, b, next.data() + a);
  });
}

template <class Real>
std::size_t VertexCutPageRank<Real>::memory_bytes() const {
  return Variant::memory_bytes() + exchange_.memory_bytes() + probability_.size() * sizeof(Real);
}

template class VertexCutPageRank<float>;
template class VertexCutPageRank<double>;

}  // namespace atl
