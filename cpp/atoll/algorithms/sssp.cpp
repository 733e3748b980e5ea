// SPDX-License-Identifier: Apache-2.0
// Shortest paths: the check of the weights, and the form for the number of ranks.
#include <atoll/algorithms/edge_weights.hpp>
#include <atoll/algorithms/sssp.hpp>
#include <atoll/algorithms/sssp_cut.hpp>
#include <atoll/algorithms/sssp_local.hpp>
#include <atoll/algorithms/sssp_spread.hpp>
#include <cmath>

namespace atl {

template <class Real>
class Sssp<Real>::Search {
 public:
  virtual ~Search() = default;
  virtual void run(Vertex source, SsspResult<Real>& result) = 0;
  virtual std::size_t memory_bytes() const = 0;
};

template <class Real>
class Sssp<Real>::Alone final : public Search {
 public:
  Alone(const Graph& graph, const SsspOptions& options) : local_(graph, options) {}
  void run(Vertex source, SsspResult<Real>& result) override { local_.run(source, result); }
  std::size_t memory_bytes() const override { return local_.memory_bytes(); }

 private:
  SsspLocal<Real> local_;
};

template <class Real>
class Sssp<Real>::Together final : public Search {
 public:
  Together(const Graph& graph, const SsspOptions& options) : spread_(graph, options) {}
  void run(Vertex source, SsspResult<Real>& result) override { spread_.run(source, result); }
  std::size_t memory_bytes() const override { return spread_.memory_bytes(); }

 private:
  SsspSpread<Real> spread_;
};

template <class Real>
class Sssp<Real>::Across final : public Search {
 public:
  Across(const Graph& graph, const SsspOptions& options) : cut_(graph, options) {}
  void run(Vertex source, SsspResult<Real>& result) override { cut_.run(source, result); }
  std::size_t memory_bytes() const override { return cut_.memory_bytes(); }

 private:
  SsspCut<Real> cut_;
};

template <class Real>
Sssp<Real>::Sssp(const Graph& graph, const SsspOptions& options) {
  check(!options.delta || (*options.delta > 0 && std::isfinite(*options.delta)),
        "sssp: delta is {} (a finite number above 0). Change it, or leave it out.", options.delta.value_or(0));
  if (graph.world().size() == 1) {
    search_ = std::make_unique<Alone>(graph, options);
    return;
  }
  check_weights<Real>("sssp", graph, ZeroWeights::allowed);
  if (graph.cut().cut() != Cut::edge) {
    search_ = std::make_unique<Across>(graph, options);
  } else {
    search_ = std::make_unique<Together>(graph, options);
  }
}

template <class Real>
Sssp<Real>::~Sssp() = default;

template <class Real>
void Sssp<Real>::run(Vertex source, SsspResult<Real>& result) {
  search_->run(source, result);
}

template <class Real>
std::size_t Sssp<Real>::memory_bytes() const {
  return search_->memory_bytes();
}

template class Sssp<float>;
template class Sssp<double>;

}  // namespace atl
