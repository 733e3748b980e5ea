// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/error.hpp>
#include <atoll/graph/graph.hpp>
#include <string_view>

namespace atl {

/// The edge weights of a graph as Real, by index into the adjacency lists. Real is the stored type or a wider one.
template <class Real>
class EdgeWeights {
 public:
  /// InputError if the lists have no weights, or some that Real would round.
  EdgeWeights(std::string_view algorithm, const Graph& graph, const Csr& lists) {
    check(graph.weighted(), "{}: {} has no weights. Give its edges weights, or use what counts edges.", algorithm,
          graph.name());
    if (const auto* same = std::get_if<Array<Real>>(&lists.weights)) same_ = same->data();
    if (const auto* narrow = std::get_if<Array<float>>(&lists.weights)) narrow_ = narrow->data();
    check(lists.weights.index() == 1 || kWide,
          "{}: the weights of {} have 64 bits (this form takes 32). Use the other.", algorithm, graph.name());
    size_ = lists.targets.size();
  }
  Real operator[](std::size_t e) const { return kWide && same_ == nullptr ? narrow_[e] : same_[e]; }
  std::size_t size() const { return size_; }

 private:
  static constexpr bool kWide = sizeof(Real) > sizeof(float);
  const Real* same_ = nullptr;
  const float* narrow_ = nullptr;
  std::size_t size_ = 0;
};

/// Whether an edge may weigh 0.
enum class ZeroWeights { allowed, refused };

/// Collective. Throws InputError, the same on all ranks, if there are no weights or some that Real would round, or if a
/// weight is negative, not a number, so large that a path of such edges could be infinitely long as Real, or a refused
/// 0 (a self-loop may weigh 0). The message names the edge.
template <class Real>
void check_weights(std::string_view algorithm, const Graph& graph, ZeroWeights zero);

}  // namespace atl
