// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

/// The semirings of all-pairs computations, and the types of their values.
///
///     Zero<Semiring::min_plus, float>      // infinity: no path; the identity of (+)
///     One<Semiring::min_plus, float>       // 0: the empty path, the identity of (x)
///
/// | semiring | (+)  | (x)  | zero      | one       | all pairs give |
/// |----------|------|------|-----------|-----------|----------------|
/// | min_plus | min  | +    | infinity  | 0         | shortest paths |
/// | max_plus | max  | +    | -infinity | 0         | longest paths of graphs without positive cycles |
/// | max_min  | max  | min  | -infinity | infinity  | widest paths (bottlenecks) |
/// | or_and   | or   | and  | 0         | all ones  | reachability |
namespace atl {

enum class Semiring : std::uint8_t { min_plus, max_plus, max_min, or_and };

/// float32_nonnegative is float32 with values known to be >= +0: their order equals the order of their bits as
/// integers, and integer minima run on more of the processor's units than those of floats.
enum class Element : std::uint8_t { float32, float32_nonnegative, float64, int32, uint16, uint8 };

std::string_view name_of(Semiring semiring);
std::string_view name_of(Element element);
/// "min_plus" and so on; throws InputError that lists the names.
Semiring semiring_named(std::string_view name);
Element element_named(std::string_view name);
std::size_t bytes_of(Element element);

/// The value of T for "no path". Signed integers do not saturate, so theirs is small enough that the sum of two does
/// not overflow; unsigned integers saturate.
template <class T>
inline constexpr T kNoPath = std::is_floating_point_v<T>       ? std::numeric_limits<T>::infinity()
                             : std::is_same_v<T, std::int32_t> ? static_cast<T>(0x3fffffff)
                                                               : std::numeric_limits<T>::max();

template <Semiring S, class T>
inline constexpr T Zero = S == Semiring::min_plus ? kNoPath<T>
                          : S == Semiring::or_and ? T{0}
                          : std::is_unsigned_v<T> ? T{0}
                                                  : static_cast<T>(-kNoPath<T>);
template <Semiring S, class T>
inline constexpr T One = S == Semiring::max_min  ? kNoPath<T>
                         : S == Semiring::or_and ? std::numeric_limits<T>::max()
                                                 : T{0};

/// The Zero of a semiring that is known only at run time.
template <class T>
T zero_of(Semiring semiring) {
  switch (semiring) {
    case Semiring::max_plus:
      return Zero<Semiring::max_plus, T>;
    case Semiring::max_min:
      return Zero<Semiring::max_min, T>;
    case Semiring::or_and:
      return T{0};
    default:
      return kNoPath<T>;
  }
}

/// The Element of values of type T; float32_nonnegative is stored as float32 in memory and in files.
template <class T>
inline constexpr Element kElementOf = std::is_same_v<T, float>           ? Element::float32
                                      : std::is_same_v<T, double>        ? Element::float64
                                      : std::is_same_v<T, std::int32_t>  ? Element::int32
                                      : std::is_same_v<T, std::uint16_t> ? Element::uint16
                                                                         : Element::uint8;

/// Calls f(T{}) with the type that values of the element have in memory.
template <class F>
decltype(auto) with_value_type(Element element, F&& f) {
  switch (element) {
    case Element::float64:
      return f(double{});
    case Element::int32:
      return f(std::int32_t{});
    case Element::uint16:
      return f(std::uint16_t{});
    case Element::uint8:
      return f(std::uint8_t{});
    default:
      return f(float{});
  }
}

}  // namespace atl
