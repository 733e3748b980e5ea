// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/types.hpp>

namespace atl {

/// The text of messages about a number that is no id: "source is -3 (ids are ..)".
inline constexpr const char* kIdRule = "ids are whole numbers from 0 to 2^63 - 2";
static_assert(kMaxVertex == INT64_MAX - 1);

}  // namespace atl
