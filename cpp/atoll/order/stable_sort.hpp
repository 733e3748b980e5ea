// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/array.hpp>
#include <atoll/base/parallel.hpp>
#include <atoll/base/types.hpp>

namespace atl::order {

/// Sorts `rows` by key(row), at most `greatest`; rows of equal keys stay in their order. A radix sort, the same for any number of
/// threads: each counts and moves a contiguous part.
template <class Key>
void sort_stably(Team& team, Array<Local>& rows, std::uint64_t greatest, Key&& key) {
  constexpr int kDigitBits = 11;  // 2,048 counts of 8 bytes stay in the first cache
  constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
  const auto threads = static_cast<std::size_t>(team.size());
  Array<Local> sorted(rows.size());
  Array<std::size_t> next(threads * kDigits);
  for (int shift = 0; greatest > 0; shift += kDigitBits, greatest >>= kDigitBits) {
    const auto digit = [&](Local row) { return static_cast<std::size_t>(key(row) >> shift) & (kDigits - 1); };
    team.run([&](int thread) {
      std::size_t* const count = next.data() + static_cast<std::size_t>(thread) * kDigits;
      std::fill(count, count + kDigits, std::size_t{0});
      const auto [begin, end] = team.share(thread, rows.size());
      for (std::size_t i = begin; i < end; ++i) ++count[digit(rows[i])];
    });
    std::size_t sum = 0;
    for (std::size_t d = 0; d < kDigits; ++d)
      for (std::size_t t = 0; t < threads; ++t) {
        const std::size_t count = next[t * kDigits + d];
        next[t * kDigits + d] = sum;
        sum += count;
      }
    team.run([&](int thread) {
      std::size_t* const place = next.data() + static_cast<std::size_t>(thread) * kDigits;
      const auto [begin, end] = team.share(thread, rows.size());
      for (std::size_t i = begin; i < end; ++i) sorted[place[digit(rows[i])]++] = rows[i];
    });
    rows.swap(sorted);
  }
}

}  // namespace atl::order
