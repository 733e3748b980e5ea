// SPDX-License-Identifier: Apache-2.0
#include <atoll/apsp/arcs/narrow_arcs.hpp>
#include <atoll/base/error.hpp>
#include <bit>
#include <limits>

namespace atl {
namespace {

/// The greatest power of two that divides w, for w != 0.
double lowest_bit(double w) {
  int exponent = 0;
  const auto digits = static_cast<std::uint64_t>(std::ldexp(std::frexp(std::abs(w), &exponent), 53));
  return std::ldexp(1, exponent - 53 + std::countr_zero(digits));
}

/// Sums are multiples of the lowest bit of any weight: 24 binary digits from there on must hold all of them.
template <class W>
bool float32_holds_sums(const ReplicatedCsr<W>& arcs) {
  double unit = std::numeric_limits<double>::infinity();
  for (const W w : arcs.weights)
    if (w != 0) unit = std::min(unit, lowest_bit(static_cast<double>(w)));
  // Reweighting by potentials, for negative weights, may need more digits.
  return !arcs.has_negative() && unit >= std::numeric_limits<float>::denorm_min() && arcs.longest() <= unit * 0x1p24 &&
         arcs.longest() <= std::numeric_limits<float>::max();
}

/// Why T cannot hold this weight, and what to do; empty if it can.
template <class T>
std::string refusal(double w) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isinf(static_cast<T>(w))) return fmt::format("beyond {}. Use float64.", name_of(kElementOf<T>));
    if (std::abs(w) < std::numeric_limits<T>::min() && static_cast<double>(static_cast<T>(w)) != w)
      return fmt::format("{} would have {} in its place (its least is {:.2g}). Use float64, or scale the weights.",
                         name_of(kElementOf<T>), static_cast<T>(w), std::numeric_limits<T>::min());
  } else {
    if (w != std::floor(w))
      return fmt::format("{} has whole numbers only. Use float64, or scale the weights.", name_of(kElementOf<T>));
    const double most = kNoPath<T> - 1.0, least = std::is_unsigned_v<T> ? 0.0 : -most;
    if (w < least || w > most)
      return fmt::format("{} takes {:.0f} to {:.0f}. Use a wider type.", name_of(kElementOf<T>), least, most);
  }
  return {};
}

}  // namespace

template <class W>
Element narrowest_type(const ReplicatedCsr<W>& arcs) {
  if (arcs.is_unit() && arcs.longest() < kNoPath<std::uint16_t>) return Element::uint16;
  if (arcs.is_whole()) return arcs.longest() < kNoPath<std::int32_t> / 2 ? Element::int32 : Element::float64;
  if (arcs.from_float32 && arcs.longest() <= std::numeric_limits<float>::max() / 2) return Element::float32;
  return float32_holds_sums(arcs) ? Element::float32 : Element::float64;
}

template <class T, class W>
ReplicatedCsr<T> narrowed(const ReplicatedCsr<W>& arcs) {
  ReplicatedCsr<T> out{.name = arcs.name,
                       .directed = arcs.directed,
                       .ids = arcs.ids,
                       .offsets = Array<Edge>(arcs.offsets.size()),
                       .heads = Array<Local>(arcs.heads.size()),
                       .weights = Array<T>(arcs.weights.size()),
                       .from_float32 = arcs.from_float32};
  std::ranges::copy(arcs.offsets, out.offsets.begin());
  std::ranges::copy(arcs.heads, out.heads.begin());
  for (Vertex v = 0; v < arcs.vertices(); ++v)
    for (auto e = static_cast<std::size_t>(arcs.begin(v)); e < static_cast<std::size_t>(arcs.end(v)); ++e) {
      const auto w = static_cast<double>(arcs.weights[e]);
      if (const std::string why = refusal<T>(w); !why.empty())
        throw InputError(fmt::format("{}: the edge from {} to {} weighs {}: {}", arcs.name, arcs.ids[v],
                                     arcs.ids[arcs.heads[e]], w, why));
      out.weights[e] = static_cast<T>(w);
      out.rounded += static_cast<double>(out.weights[e]) != w;
    }
  out.least = static_cast<T>(arcs.least);
  out.greatest = static_cast<T>(arcs.greatest);
  return out;
}

#define ATOLL_NARROWED_OF(W)                                               \
  template Element narrowest_type(const ReplicatedCsr<W>&);                \
  template ReplicatedCsr<float> narrowed(const ReplicatedCsr<W>&);         \
  template ReplicatedCsr<double> narrowed(const ReplicatedCsr<W>&);        \
  template ReplicatedCsr<std::int32_t> narrowed(const ReplicatedCsr<W>&);  \
  template ReplicatedCsr<std::uint16_t> narrowed(const ReplicatedCsr<W>&); \
  template ReplicatedCsr<std::uint8_t> narrowed(const ReplicatedCsr<W>&);
ATOLL_NARROWED_OF(double)
ATOLL_NARROWED_OF(float)
ATOLL_NARROWED_OF(std::int32_t)
#undef ATOLL_NARROWED_OF

}  // namespace atl
