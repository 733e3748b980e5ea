// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/betweenness/batch.hpp>
#include <atomic>
#include <bit>

/// Functions shared by the files of class BetweennessBatch.
namespace atl {

/// Calls f(lane) for each bit that is set.
template <class Lanes, class F>
void for_lanes(Lanes lanes, F&& f) {
  for (unsigned bits = lanes; bits; bits &= bits - 1) f(static_cast<std::size_t>(std::countr_zero(bits)));
}

/// The sum of the rows of the vertices in a list.
template <int kLanes>
std::array<double, kLanes> sum_rows(std::span<const Local> list, const double* rows) {
  std::array<double, kLanes> even{}, odd{};  // two sums: an addition does not wait for the one before
  std::size_t i = 0;
  for (; i + 2 <= list.size(); i += 2)
    for (std::size_t l = 0; l < kLanes; ++l) {
      even[l] += rows[static_cast<std::size_t>(list[i]) * kLanes + l];
      odd[l] += rows[static_cast<std::size_t>(list[i + 1]) * kLanes + l];
    }
  for (std::size_t l = 0; l < kLanes; ++l) {
    if (i < list.size()) even[l] += rows[static_cast<std::size_t>(list[i]) * kLanes + l];
    even[l] += odd[l];
  }
  return even;
}

// The row is 0 in the lanes that its vertex does not have. A single thread adds the whole row, also to lanes of the
// target that are seen already: these are cleared without being read.
template <int kLanes>
void BetweennessBatch<kLanes>::add(double* into, const Row& row, Lanes lanes, bool serial) {
  if (serial) {
    for (std::size_t l = 0; l < kLanes; ++l) into[l] += row[l];
  } else {
    for_lanes(lanes, [&](std::size_t l) { std::atomic_ref(into[l]).fetch_add(row[l], std::memory_order_relaxed); });
  }
}

template <int kLanes>
template <class F>
void BetweennessBatch<kLanes>::for_entries(std::span<const Entry> list, std::size_t grain, F&& f) {
  team_.for_range(list.size(), grain, [&](int t, std::size_t a, std::size_t b) {
    for (std::size_t i = a; i < b; ++i) f(threads_[t], list[i]);
  });
}

}  // namespace atl
