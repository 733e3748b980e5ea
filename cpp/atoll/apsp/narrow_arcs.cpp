// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/apsp/narrow_arcs.hpp>
#include <cmath>
#include <limits>

namespace atl {

Element narrowest_type(const Arcs<double>& arcs) {
  const double longest = std::max(std::abs(arcs.least), std::abs(arcs.greatest)) * static_cast<double>(arcs.vertices());
  const bool whole = std::ranges::all_of(arcs.weights, [](double w) { return std::trunc(w) == w; });
  if (arcs.is_unit() && longest < kNoPath<std::uint16_t>) return Element::uint16;
  if (whole && longest < kNoPath<std::int32_t> / 2) return Element::int32;
  if (whole && longest >= 0x1p24) return Element::float64;
  if (longest > std::numeric_limits<float>::max() / 2) return Element::float64;
  return Element::float32;
}

template <class T>
Arcs<T> narrowed(Arcs<double> arcs) {
  if constexpr (std::is_same_v<T, double>) {
    return arcs;
  } else {
    Arcs<T> out{.name = std::move(arcs.name),
                .directed = arcs.directed,
                .ids = std::move(arcs.ids),
                .offsets = std::move(arcs.offsets),
                .heads = std::move(arcs.heads),
                .weights = Array<T>(arcs.weights.size()),
                .least = static_cast<T>(arcs.least),
                .greatest = static_cast<T>(arcs.greatest)};
    std::ranges::transform(arcs.weights, out.weights.begin(), [](double w) { return static_cast<T>(w); });
    return out;
  }
}

template Arcs<float> narrowed(Arcs<double>);
template Arcs<double> narrowed(Arcs<double>);
template Arcs<std::int32_t> narrowed(Arcs<double>);
template Arcs<std::uint16_t> narrowed(Arcs<double>);
template Arcs<std::uint8_t> narrowed(Arcs<double>);

}  // namespace atl
