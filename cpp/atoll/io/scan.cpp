// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <atoll/io/scan.hpp>

namespace atl {

bool rounds_whole_number(std::string_view digits, double value) {
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), scan::is_digit)) return false;
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size() - 1));
  return fmt::format("{:.0f}", value) != digits;
}

}  // namespace atl
