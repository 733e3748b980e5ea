// SPDX-License-Identifier: Apache-2.0
#include <atoll/algorithms/pagerank/any_cut.hpp>
#include <atoll/algorithms/pagerank/transition.hpp>

namespace atl {

template <class Real>
AnyCutPageRank<Real>::AnyCutPageRank(const Graph& graph, Transition transition)
    : Variant(graph, transition), sums_(graph, CutRows::targets) {
  this->number_by_local(sums_.view().locals);
  if (transition == Transition::by_weight)
    sums_.set_factors(transition_probabilities<Real>(this->team_, sums_.rows(), leaving_weights(graph, sums_.view())));
}

template <class Real>
void AnyCutPageRank<Real>::update_mirrors() {
  sums_.update_mirrors({this->sent_.data(), this->sent_.size()});
}

template <class Real>
void AnyCutPageRank<Real>::sweep(const Step& step) {
  Array<Real>& next = this->next_;
  sums_.add({this->sent_.data(), this->sent_.size()}, {next.data(), next.size()},
            [&](int thread, std::size_t begin, std::size_t end) {
              this->finish(step, thread, begin, end, next.data() + begin);
            });
}

template <class Real>
std::size_t AnyCutPageRank<Real>::memory_bytes() const {
  return Variant::memory_bytes() + sums_.memory_bytes();
}

template class AnyCutPageRank<float>;
template class AnyCutPageRank<double>;

}  // namespace atl
