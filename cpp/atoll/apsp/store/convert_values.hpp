// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/store/distance_format.hpp>
#include <cmath>
#include <cstring>

namespace atl {

/// Converts values of one type to another; "no path" and the semiring's one keep their meaning.
template <class To, class From>
class ConvertValues {
 public:
  explicit ConvertValues(Semiring semiring)
      : zero_from_(zero_of<From>(semiring)),
        zero_to_(zero_of<To>(semiring)),
        bottleneck_(semiring == Semiring::max_min),
        closure_(semiring == Semiring::or_and) {}

  /// Converts n values; returns the index of the first one that To cannot hold, or n.
  std::int64_t operator()(const From* from, To* to, std::int64_t n) const {
    if constexpr (std::is_same_v<To, From>) {
      std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(To));
    } else {
      for (std::int64_t k = 0; k < n; ++k)
        if (!one(from[k], to[k])) return k;
    }
    return n;
  }

 private:
  bool one(From value, To& to) const {
    if (value == zero_from_) {
      to = zero_to_;
      return true;
    }
    if (closure_) {
      to = std::is_floating_point_v<To> ? To{1} : static_cast<To>(-1);  // all ones
      return true;
    }
    if (bottleneck_ && value == kNoPath<From>) {
      to = kNoPath<To>;  // its one is infinity
      return true;
    }
    if constexpr (std::is_floating_point_v<To>) {
      to = static_cast<To>(value);
      // float64 may be rounded to float32, but not to 0; whole numbers may not be rounded.
      const bool rounds = std::is_floating_point_v<From> && std::isnormal(to);
      return std::isfinite(to) && (rounds || static_cast<double>(to) == static_cast<double>(value));
    } else {
      const auto wide = static_cast<double>(value);  // exact: From is float or at most 32 bits
      constexpr double above = std::is_signed_v<To> ? -static_cast<double>(kNoPath<To>) : -1;
      if (!(wide > above && wide < static_cast<double>(kNoPath<To>)) || std::trunc(wide) != wide) return false;
      to = static_cast<To>(wide);
      return to != zero_to_;
    }
  }

  From zero_from_;
  To zero_to_;
  bool bottleneck_, closure_;
};

}  // namespace atl
