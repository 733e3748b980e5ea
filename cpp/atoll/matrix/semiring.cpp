// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <atoll/base/error.hpp>
#include <atoll/matrix/semiring.hpp>
#include <string>

namespace atl {
namespace {

constexpr std::array<std::string_view, 4> kSemirings = {"min_plus", "max_plus", "max_min", "or_and"};
constexpr std::array<std::string_view, 6> kElements = {"float32", "float32_nonnegative", "float64", "int32", "uint16",
                                                       "uint8"};

template <class E, std::size_t N>
E named(const std::array<std::string_view, N>& names, std::string_view name, const char* kind) {
  std::string all;
  for (std::size_t k = 0; k < N; ++k) {
    if (names[k] == name) return static_cast<E>(k);
    all += (k ? ", " : "") + std::string(names[k]);
  }
  throw InputError(fmt::format("{} '{}' is unknown (there are {}). Choose one.", kind, name, all));
}

}  // namespace

std::string_view name_of(Semiring semiring) { return kSemirings[static_cast<std::size_t>(semiring)]; }
std::string_view name_of(Element element) { return kElements[static_cast<std::size_t>(element)]; }
Semiring semiring_named(std::string_view name) { return named<Semiring>(kSemirings, name, "semiring"); }
Element element_named(std::string_view name) { return named<Element>(kElements, name, "element type"); }

std::size_t bytes_of(Element element) {
  switch (element) {
    case Element::float64:
      return 8;
    case Element::uint16:
      return 2;
    case Element::uint8:
      return 1;
    default:
      return 4;
  }
}

}  // namespace atl
