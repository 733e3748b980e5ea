// SPDX-License-Identifier: Apache-2.0
// A random order by seed, the same for any number of threads: rows sorted by a random word each.
#include <atoll/base/random.hpp>
#include <atoll/order/methods.hpp>
#include <atoll/order/stable_sort.hpp>

namespace atl::order {

Array<Local> at_random(Team& team, std::int64_t rows, std::uint64_t seed) {
  Array<Local> order = identity(team, rows);
  constexpr int kBits = 44;  // 2^31 rows draw the same word as another one time in 8,192; those keep their old order
  sort_stably(team, order, (std::uint64_t{1} << kBits) - 1,
              [&](Local v) { return random_at(seed, static_cast<std::uint64_t>(v)) >> (64 - kBits); });
  return order;
}

}  // namespace atl::order
