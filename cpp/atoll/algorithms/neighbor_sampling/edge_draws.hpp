// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/random.hpp>
#include <atoll/base/types.hpp>
#include <span>
#include <vector>

namespace atl {

/// Draws edges of a list, as ascending positions in it. An object serves one thread.
///
///     EdgeDraws draws;
///     for (const Edge k : draws.distinct(degree, 15, random)) ...
///
/// Results lie in the object until the next call.
class EdgeDraws {
 public:
  std::span<const Edge> all(Edge degree);
  /// `count` different ones of more, each set of as many equally likely.
  std::span<const Edge> distinct(Edge degree, Edge count, Random& random);
  /// `count` independent ones.
  std::span<const Edge> independent(Edge degree, Edge count, Random& random);
  /// Different ones, one after the other, each in proportion to the weights of those that are left; fewer than `count`
  /// if not as many have a weight above 0.
  std::span<const Edge> distinct(std::span<const double> weights, Edge count, Random& random);
  /// Independent ones; none if all weights are 0.
  std::span<const Edge> independent(std::span<const double> weights, Edge count, Random& random);

 private:
  std::span<const Edge> sorted();

  std::vector<Edge> drawn_;
  std::vector<double> sums_;
  std::vector<std::pair<double, Edge>> keys_;
};

}  // namespace atl
