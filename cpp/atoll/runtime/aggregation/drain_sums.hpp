// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace atl {

/// A few whole numbers that all ranks add up while they drain a mailbox (Mailbox::drain).
struct DrainSums {
  std::array<std::int64_t, 4> values{};
  DrainSums& operator+=(const DrainSums& other) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += other.values[i];
    return *this;
  }
  bool operator==(const DrainSums&) const = default;
};

}  // namespace atl
