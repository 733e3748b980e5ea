// SPDX-License-Identifier: Apache-2.0
// Shortest paths: checks the weights and chooses the method (for the edge-cut or a vertex-cut) and the type of sums.
#include <atoll/algorithms/sssp/delta_stepping.hpp>
#include <atoll/algorithms/sssp/edge_weights.hpp>
#include <atoll/algorithms/sssp/sssp.hpp>
#include <atoll/algorithms/sssp/vertex_cut.hpp>
#include <atoll/algorithms/sssp/whole_weights.hpp>
#include <cmath>
#include <limits>

namespace atl {

template <class Real>
class Sssp<Real>::Search {
 public:
  virtual ~Search() = default;
  virtual void run(Vertex source, SsspResult<Real>& result) = 0;
  virtual std::size_t memory_bytes() const = 0;
};

template <class Real>
template <class Method>
class Sssp<Real>::SearchBy final : public Search {
 public:
  SearchBy(const Graph& graph, const SsspOptions& options) : method_(graph, options) {}
  void run(Vertex source, SsspResult<Real>& result) override { method_.run(source, result); }
  std::size_t memory_bytes() const override { return method_.memory_bytes(); }

 private:
  Method method_;
};

template <class Real>
Sssp<Real>::Sssp(const Graph& graph, const SsspOptions& options) {
  check(!options.delta || (*options.delta > 0 && std::isfinite(*options.delta)),
        "sssp: delta is {} (a finite number above 0). Change it, or leave it out.", options.delta.value_or(0));
  check_weights<Real>("sssp", graph, ZeroWeights::allowed);
  constexpr bool kWide = sizeof(Real) == sizeof(double);
  const double longest = kWide ? longest_whole_path(graph) : std::numeric_limits<double>::infinity();
  const bool over_edge_cut = graph.cut().cut() == Cut::edge;
  const auto use = [&]<class Sum>(Sum) {
    if (over_edge_cut) {
      search_ = std::make_unique<SearchBy<DeltaStepping<Real, Sum>>>(graph, options);
    } else {
      search_ = std::make_unique<SearchBy<VertexCutSssp<Real, Sum>>>(graph, options);
    }
  };
  // If all paths fit 31 bits, sums of 32 bits equal those of double in half the space for lists and messages. Sums of
  // 64 bits are exact where double could round.
  if constexpr (kWide) {
    if (longest < static_cast<double>(kSsspUnreached<std::uint32_t>)) {
      use(std::uint32_t{0});
    } else if (may_round_whole(longest)) {
      use(std::uint64_t{0});
    }
  }
  if (!search_) use(Real{0});
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
