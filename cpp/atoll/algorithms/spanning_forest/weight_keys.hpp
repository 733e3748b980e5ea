// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/spanning_forest/spanning_forest.hpp>
#include <bit>
#include <cstdint>
#include <type_traits>

/// Weights as unsigned keys: the smaller key is taken first. Used by class SpanningForest.
///
///     const WeightKeys<std::uint32_t> keys(graph.out(), EdgeWeighting::of_edges, ForestKind::maximum);
///     keys[e];                       // key of the edge at this index of the lists
///     keys.weight_of(key);           // its weight
///
/// Floats are ordered as their bits are, if those of negative ones are inverted. -0 has the key of 0.
namespace atl {

/// Whether edges have different keys; else all are 1.
inline bool differ_by_weight(const Csr& lists, EdgeWeighting weights) {
  return lists.weights.index() != 0 && weights == EdgeWeighting::of_edges;
}

template <class Key>
class WeightKeys {
 public:
  using Real = std::conditional_t<sizeof(Key) == sizeof(float), float, double>;

  WeightKeys(const Csr& lists, EdgeWeighting weights, ForestKind kind)
      : inverted_(kind == ForestKind::maximum ? ~Key{0} : Key{0}) {
    const auto* column = std::get_if<Array<Real>>(&lists.weights);
    if (column && weights == EdgeWeighting::of_edges) weights_ = column->data();
  }
  Key operator[](std::size_t e) const { return weights_ ? key_of(weights_[e]) : key_of(1); }
  Key key_of(Real weight) const {
    const auto bits = std::bit_cast<Key>(weight + Real{0});
    return (bits ^ (bits >> (8 * sizeof(Key) - 1) ? ~Key{0} : kSign)) ^ inverted_;
  }
  Real weight_of(Key key) const {
    key ^= inverted_;
    return std::bit_cast<Real>(key ^ (key & kSign ? kSign : ~Key{0}));
  }

 private:
  static constexpr Key kSign = Key{1} << (8 * sizeof(Key) - 1);
  const Real* weights_ = nullptr;
  Key inverted_;
};

/// An edge between two vertices of an array.
template <class Key>
struct KeyedEdge {
  Key key;
  Local a, b;
};

}  // namespace atl
