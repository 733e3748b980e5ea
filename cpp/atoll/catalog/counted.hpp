// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace atl::catalog {

/// A number with its noun, that of one or of any other number: counted(1, "edge"), counted(3, "vertex", "vertices").
/// Without `more` the noun takes an s.
inline std::string counted(std::int64_t number, std::string_view one, std::string_view more = {}) {
  if (number == 1) return fmt::format("1 {}", one);
  return more.empty() ? fmt::format("{} {}s", number, one) : fmt::format("{} {}", number, more);
}

}  // namespace atl::catalog
