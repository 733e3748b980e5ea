// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/mirror_exchange.hpp>

/// Sums of the values of each vertex's neighbours, over ranks and any cut: y = A^T x over the edges that enter a
/// vertex, or y = A x over those that leave it.
///
///     NeighborSums<double> sums(graph, CutRows::targets);       // collective: over entering edges
///     sums.update_mirrors(x);                                   // collective: from their masters
///     sums.add(x, y, [&](int thread, std::size_t begin, std::size_t end) {   // y of these masters is known
///       ...
///     });
///
/// x and y are by local number of view(). Over an edge-cut each master has all of its edges. Over a vertex-cut each
/// rank adds what it has, and mirrors' sums are reduced to their masters.
namespace atl {

template <class Real>
class NeighborSums {
 public:
  /// Collective. CutRows::targets: sums at the targets of edges; CutRows::sources: at their sources.
  NeighborSums(const Graph& graph, CutRows rows);

  const GraphView& view() const { return view_; }
  /// Lists of the neighbours that are added up.
  const Csr& rows() const { return *view_.rows; }
  /// Multiplies the value of the neighbour at each entry of rows() by a factor; by 1 where none are set.
  void set_factors(Array<Real> factors) { factors_ = std::move(factors); }

  void update_mirrors(std::span<Real> x) { exchange_.broadcast_all(x); }

  /// Calls then(thread, begin, end) for ranges of masters that have edges, whose y is complete. Collective over a
  /// vertex-cut.
  template <class Then>
  void add(std::span<const Real> x, std::span<Real> y, Then&& then) {
    const bool complete = view_.cut == nullptr;
    view_.world->team().for_range(chunks_.size() - 1, 1, [&](int thread, std::size_t c, std::size_t) {
      const std::size_t begin = chunks_[c], end = chunks_[c + 1];
      factors_.empty() ? add_plain(x.data(), y.data(), begin, end) : add_scaled(x.data(), y.data(), begin, end);
      if (complete) then(thread, begin, end);
    });
    if (complete) return;
    exchange_.reduce_all(y);
    view_.world->team().for_range(static_cast<std::size_t>(masters_), kGrain, then);
  }
  std::size_t memory_bytes() const;

 private:
  static constexpr std::size_t kGrain = 4096;

  void add_plain(const Real* x, Real* y, std::size_t begin, std::size_t end) const;
  void add_scaled(const Real* x, Real* y, std::size_t begin, std::size_t end) const;

  const GraphView view_;
  const Local masters_;  // that have edges
  MirrorExchange<Real, SumOf> exchange_;
  Array<Real> factors_;              // [entry of rows()]
  std::vector<std::size_t> chunks_;  // first rows of pieces of about as many edges, and the end
};

}  // namespace atl
