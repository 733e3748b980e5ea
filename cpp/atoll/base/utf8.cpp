// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <atoll/base/utf8.hpp>

namespace atl {
namespace {

// The bytes of the character at the beginning; 0: it is none.
std::size_t character(std::string_view bytes) {
  const auto at = [&](std::size_t k) { return static_cast<unsigned char>(bytes[k]); };
  if (at(0) < 0x80) return 1;
  const std::size_t more = at(0) >= 0xf0 ? 3 : at(0) >= 0xe0 ? 2 : 1;
  if (at(0) < 0xc2 || at(0) > 0xf4 || bytes.size() <= more) return 0;
  // Some values of the second byte would be a longer form of a shorter one, a surrogate, or beyond U+10FFFF.
  const unsigned low = at(0) == 0xe0   ? 0xa0
                       : at(0) == 0xf0 ? 0x90
                                       : 0x80,
                 high = at(0) == 0xed   ? 0x9f
                        : at(0) == 0xf4 ? 0x8f
                                        : 0xbf;
  if (at(1) < low || at(1) > high) return 0;
  for (std::size_t k = 2; k <= more; ++k)
    if ((at(k) & 0xc0) != 0x80) return 0;
  return more + 1;
}

}  // namespace

bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t size = character(bytes);
    if (size == 0) return false;
    bytes.remove_prefix(size);
  }
  return true;
}

std::string printable(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const std::size_t size = character(bytes);
    if (size > 0) {
      text += bytes.substr(0, size);
    } else {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes[0]));
    }
    bytes.remove_prefix(size > 0 ? size : 1);
  }
  return text;
}

}  // namespace atl
