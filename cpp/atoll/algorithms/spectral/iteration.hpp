// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/spectral/spectral.hpp>
#include <atoll/engine/neighbor_sums.hpp>

namespace atl {

/// A product of the adjacency matrix and a vector, again and again.
///
///     SpectralIteration step(graph, CutRows::targets, weighting);   // A^T; CutRows::sources: A
///     step.multiply();                                           // collective: sums() = A^T x()
///     const double change = step.total([&](std::size_t v) { ... return term; });   // over the vertices of all ranks
///
/// x() and sums() are by local number of the masters.
class SpectralIteration {
 public:
  SpectralIteration(const Graph& graph, CutRows rows, EdgeWeighting weighting);

  Array<double>& x() { return x_; }
  const Array<double>& sums() const { return sums_; }
  std::size_t owned() const { return static_cast<std::size_t>(graph_.owned()); }
  void multiply();
  /// The sum of f(v) over all masters; f, called by any thread, may change x()[v]. Collective.
  template <class F>
  double total(F&& f) {
    for (Thread& thread : threads_) thread.sum = 0;
    team_.for_range(owned(), kGrain, [&](int t, std::size_t a, std::size_t b) {
      double sum = 0;
      for (std::size_t v = a; v < b; ++v) sum += f(v);
      threads_[t].sum += sum;
    });
    double sum = 0;
    for (const Thread& thread : threads_) sum += thread.sum;
    return graph_.world().sum(sum);
  }
  /// Calls f(v) for all masters of this rank, by any thread.
  template <class F>
  void for_masters(F&& f) {
    team_.for_range(owned(), kGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v) f(v);
    });
  }
  /// Values by local number, times a factor, in the order of owned indices.
  void write(const Array<double>& values, double factor, Array<double>& by_owned_index) const;
  Vertex vertices() const { return graph_.vertices(); }
  std::size_t memory_bytes() const { return sum_.memory_bytes() + 2 * x_.size() * sizeof(double); }

 private:
  static constexpr std::size_t kGrain = 4096;
  struct alignas(128) Thread {
    double sum = 0;
  };

  const Graph& graph_;
  Team& team_;
  NeighborSums<double> sum_;
  Array<double> x_, sums_;  // [local]; the sum of a master without edges stays 0
  std::vector<Thread> threads_;
};

}  // namespace atl
