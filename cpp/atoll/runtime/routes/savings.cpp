// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/runtime/routes/savings.hpp>

namespace atl {

Savings Savings::without(std::string_view names) {
  Savings left;
  while (!names.empty()) {
    const std::size_t comma = std::min(names.find(','), names.size());
    const std::string_view name = names.substr(0, comma);
    bool* const saving = name == "merging"   ? &left.merging
                         : name == "claims"  ? &left.claims
                         : name == "closing" ? &left.closing
                                             : nullptr;
    check(saving != nullptr && comma + 1 != names.size(),
          "without names '{}' (what can be left out is merging, claims and closing, separated by commas). Correct it.",
          name);
    *saving = false;
    names.remove_prefix(std::min(comma + 1, names.size()));
  }
  return left;
}

Savings Savings::of(std::string_view route, std::string_view names) {
  const Savings left = without(names);
  return route == "aml" || route == "mst" ? Savings{.merging = false, .claims = false, .closing = false} : left;
}

}  // namespace atl
