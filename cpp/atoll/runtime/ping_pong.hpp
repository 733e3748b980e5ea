// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/world.hpp>
#include <cstdint>

/// Timed messages between two ranks, for calibrate() and measure_links().
namespace atl {

/// Reserves n tags, one per message, and returns the first: two messages in flight need different tags. All ranks call
/// it in the same order.
std::uint64_t reserve_tags(World& world, int n);

/// Seconds that a message of `bytes` bytes takes one way: half of the mean of `times` round trips that a begins. Called
/// by ranks a and b only; it takes the tags first_tag to first_tag + times - 1.
double ping_pong(World& world, Rank a, Rank b, std::uint64_t first_tag, std::size_t bytes, int times);

}  // namespace atl
