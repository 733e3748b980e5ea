// SPDX-License-Identifier: Apache-2.0
// Shortest paths: checks the weights and chooses the form (one rank, edge-cut or vertex-cut) and the type of sums.
#include <atoll/algorithms/sssp/distributed.hpp>
#include <atoll/algorithms/sssp/edge_weights.hpp>
#include <atoll/algorithms/sssp/kernel.hpp>
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
template <class Sum>
class Sssp<Real>::OneRank final : public Search {
 public:
  OneRank(const Graph& graph, const SsspOptions& options) : kernel_(graph, options) {}
  void run(Vertex source, SsspResult<Real>& result) override { kernel_.run(source, result); }
  std::size_t memory_bytes() const override { return kernel_.memory_bytes(); }

 private:
  SsspKernel<Real, Sum> kernel_;
};

template <class Real>
template <class Sum>
class Sssp<Real>::Distributed final : public Search {
 public:
  Distributed(const Graph& graph, const SsspOptions& options) : distributed_(graph, options) {}
  void run(Vertex source, SsspResult<Real>& result) override { distributed_.run(source, result); }
  std::size_t memory_bytes() const override { return distributed_.memory_bytes(); }

 private:
  DistributedSssp<Real, Sum> distributed_;
};

template <class Real>
template <class Sum>
class Sssp<Real>::OnVertexCut final : public Search {
 public:
  OnVertexCut(const Graph& graph, const SsspOptions& options) : vertex_cut_(graph, options) {}
  void run(Vertex source, SsspResult<Real>& result) override { vertex_cut_.run(source, result); }
  std::size_t memory_bytes() const override { return vertex_cut_.memory_bytes(); }

 private:
  VertexCutSssp<Real, Sum> vertex_cut_;
};

template <class Real>
Sssp<Real>::Sssp(const Graph& graph, const SsspOptions& options) {
  check(!options.delta || (*options.delta > 0 && std::isfinite(*options.delta)),
        "sssp: delta is {} (a finite number above 0). Change it, or leave it out.", options.delta.value_or(0));
  const bool one_rank = graph.world().size() == 1;
  if (!one_rank) check_weights<Real>("sssp", graph, ZeroWeights::allowed);
  constexpr bool kWide = sizeof(Real) == sizeof(double);
  const double longest = kWide ? longest_whole_path(graph) : std::numeric_limits<double>::infinity();
  const bool beyond_double = may_round_whole(longest);
  if (graph.cut().cut() != Cut::edge) {
    if constexpr (kWide)
      if (beyond_double) {
        search_ = std::make_unique<OnVertexCut<std::uint64_t>>(graph, options);
        return;
      }
    search_ = std::make_unique<OnVertexCut<Real>>(graph, options);
    return;
  }
  const auto search_by_sums = [&](auto zero) {
    using Sum = decltype(zero);
    if (one_rank) {
      search_ = std::make_unique<OneRank<Sum>>(graph, options);
    } else {
      search_ = std::make_unique<Distributed<Sum>>(graph, options);
    }
  };
  // If all paths fit 31 bits, sums of 32 bits equal those of double in half the space for lists and messages. Sums of
  // 64 bits are exact where double could round.
  if constexpr (kWide) {
    if (longest < static_cast<double>(kSsspUnreached<std::uint32_t>)) {
      search_by_sums(std::uint32_t{0});
    } else if (beyond_double) {
      search_by_sums(std::uint64_t{0});
    }
  }
  if (!search_) search_by_sums(Real{0});
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
