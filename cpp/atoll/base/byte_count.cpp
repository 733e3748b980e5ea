// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <atoll/base/byte_count.hpp>
#include <iterator>

namespace atl {

std::string bytes_text(double bytes) {
  constexpr const char* kUnits[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t unit = 0;
  // A count that would print as 1000.0 belongs to the next unit.
  for (; bytes >= (unit == 0 ? 999.5 : 999.95) && unit + 1 < std::size(kUnits); ++unit) bytes /= 1000;
  return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, kUnits[unit]);
}

}  // namespace atl
