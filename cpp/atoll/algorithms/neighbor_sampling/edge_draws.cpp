// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/neighbor_sampling/edge_draws.hpp>
#include <cmath>
#include <numeric>

namespace atl {
namespace {

// Above as many draws a pass over the list costs less than to look each draw up among the others.
constexpr Edge kFewDraws = 64;

}  // namespace

std::span<const Edge> EdgeDraws::sorted() {
  std::sort(drawn_.begin(), drawn_.end());
  return drawn_;
}

std::span<const Edge> EdgeDraws::all(Edge degree) {
  drawn_.resize(static_cast<std::size_t>(degree));
  std::iota(drawn_.begin(), drawn_.end(), Edge{0});
  return drawn_;
}

// R. Floyd's algorithm ("Programming pearls: A sample of brilliance." CACM 30(9), 1987), or, of many, selection
// sampling (D. Knuth. "The art of computer programming", volume 2, algorithm 3.4.2S).
std::span<const Edge> EdgeDraws::distinct(Edge degree, Edge count, Random& random) {
  drawn_.clear();
  if (count > kFewDraws) {
    for (Edge k = 0; count > 0; ++k)
      if (random.below(static_cast<std::uint64_t>(degree - k)) < static_cast<std::uint64_t>(count)) {
        drawn_.push_back(k);
        --count;
      }
    return drawn_;
  }
  for (Edge last = degree - count; last < degree; ++last) {
    const auto k = static_cast<Edge>(random.below(static_cast<std::uint64_t>(last) + 1));
    drawn_.push_back(std::ranges::find(drawn_, k) == drawn_.end() ? k : last);
  }
  return sorted();
}

std::span<const Edge> EdgeDraws::independent(Edge degree, Edge count, Random& random) {
  drawn_.clear();
  for (Edge i = 0; i < count; ++i)
    drawn_.push_back(static_cast<Edge>(random.below(static_cast<std::uint64_t>(degree))));
  return sorted();
}

// The edges of the least exponential variates at rates that are the weights: P. Efraimidis, P. Spirakis. "Weighted random
// sampling with a reservoir." Inf. Process. Lett. 97(5), 2006. By logarithms, so that no weight is too small.
std::span<const Edge> EdgeDraws::distinct(std::span<const double> weights, Edge count, Random& random) {
  keys_.clear();
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const double u = random.unit();
    if (weights[k] > 0) keys_.emplace_back(std::log(-std::log1p(-u)) - std::log(weights[k]), static_cast<Edge>(k));
  }
  if (static_cast<Edge>(keys_.size()) > count) {
    std::nth_element(keys_.begin(), keys_.begin() + count, keys_.end());
    keys_.resize(static_cast<std::size_t>(count));
  }
  drawn_.clear();
  for (const auto& [key, k] : keys_) drawn_.push_back(k);
  return sorted();
}

std::span<const Edge> EdgeDraws::independent(std::span<const double> weights, Edge count, Random& random) {
  drawn_.clear();
  sums_.clear();
  const double greatest = weights.empty() ? 0 : std::ranges::max(weights);
  if (greatest == 0) return drawn_;
  double sum = 0;
  for (const double weight : weights) sums_.push_back(sum += weight / greatest);
  const auto last = std::ranges::lower_bound(sums_, sum);  // the last edge whose weight counts
  for (Edge i = 0; i < count; ++i)
    drawn_.push_back(std::min(std::ranges::upper_bound(sums_, random.unit() * sum), last) - sums_.begin());
  return sorted();
}

}  // namespace atl
