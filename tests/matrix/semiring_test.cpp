// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/matrix/scalar.hpp>
#include <atoll/matrix/semiring.hpp>
#include <cstdint>
#include <type_traits>

using namespace atl;

TEST_CASE("names of semirings and of types are read back, and an unknown one is refused with all there are") {
  for (const Semiring s : {Semiring::min_plus, Semiring::max_plus, Semiring::max_min, Semiring::or_and})
    CHECK(semiring_named(name_of(s)) == s);
  for (const Element e : {Element::float32, Element::float32_nonnegative, Element::float64, Element::int32,
                          Element::uint16, Element::uint8}) {
    CHECK(element_named(name_of(e)) == e);
    with_value_type(e, [&](auto value) { CHECK(bytes_of(e) == sizeof value); });
  }
  CHECK_THROWS_WITH_AS(element_named("float16"),
                       "element type 'float16' is unknown (there are float32, float32_nonnegative, float64, int32, "
                       "uint16, uint8). Choose one.",
                       InputError);
  CHECK_THROWS_WITH_AS(semiring_named("plus_times"), doctest::Contains("min_plus, max_plus, max_min, or_and"),
                       InputError);
}

TEST_CASE_TEMPLATE("zero is the identity of plus and leaves no path, one is the identity of times", T, float, double,
                   std::int32_t, std::uint16_t, std::uint8_t) {
  for (const Semiring semiring : {Semiring::min_plus, Semiring::max_plus, Semiring::max_min, Semiring::or_and}) {
    if (semiring == Semiring::max_plus && std::is_unsigned_v<T>) continue;
    if (semiring == Semiring::or_and && !std::is_same_v<T, std::uint8_t>) continue;
    CAPTURE(name_of(semiring));
    with_semiring<T>(semiring, [&](auto s) {
      CHECK(s.zero() == zero_of<T>(semiring));
      for (const T x : {T{0}, T{1}, T{5}, T{100}}) {
        CHECK(s.plus(s.zero(), x) == x);
        CHECK(s.times(s.one(), x) == x);
        CHECK(s.times(x, s.one()) == x);
      }
      CHECK(s.plus(s.zero(), s.times(s.zero(), s.zero())) == s.zero());  // two that are missing do not wrap around
    });
  }
}
