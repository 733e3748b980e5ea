// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace atl {

/// The indices begin, begin + 1, .. end - 1.
struct IndexRange {
  std::int64_t begin = 0, end = 0;
  bool empty() const { return begin >= end; }
};

}  // namespace atl
