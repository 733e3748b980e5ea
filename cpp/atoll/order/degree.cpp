// SPDX-License-Identifier: Apache-2.0
// Rows by falling number of nonzeros, and two orders that change less: hub sorting [1] and degree-based grouping [2].
// Rows that count as equal stay in their old order, which often has locality of its own.
//
//   in the papers        here
//   average degree A     nonzeros / rows
//   hub, hot vertex      a row of more than A nonzeros
//   groups of DBG        [32A, ..), [16A, 32A), .. [A, 2A), [A/2, A), [0, A/2): kGroups of them
//
// [1] Y. Zhang, V. Kiriansky, C. Mendis, S. Amarasinghe, M. Zaharia. "Making caches work for graph analytics." IEEE Big
//     Data 2017 (frequency-based clustering, which [2] calls hub sorting).
// [2] P. Faldu, J. Diamond, B. Grot. "A closer look at lightweight graph reordering." IISWC 2019.
#include <atoll/order/methods.hpp>
#include <atoll/order/rows.hpp>
#include <atoll/order/stable_sort.hpp>

namespace atl::order {

Array<Local> identity(Team& team, std::int64_t rows) {
  Array<Local> order(static_cast<std::size_t>(rows));
  team.for_range(order.size(), std::size_t{1} << 16, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t i = a; i < b; ++i) order[i] = static_cast<Local>(i);
  });
  return order;
}

Array<Local> by_degree(Team& team, const SparsePattern& a) {
  Array<Local> order = identity(team, a.rows);
  const std::uint64_t most = largest_degree(a);
  sort_stably(team, order, most, [&](Local v) { return most - degree(a, v); });
  return order;
}

Array<Local> by_hubs(Team& team, const SparsePattern& a) {
  Array<Local> order = identity(team, a.rows);
  if (a.rows == 0) return order;
  const std::uint64_t most = largest_degree(a), average = static_cast<std::uint64_t>(a.nonzeros() / a.rows);
  // The average is rounded down: a whole number above it is above the average itself, too.
  sort_stably(team, order, most, [&](Local v) { return most - std::max(degree(a, v), average); });
  return order;
}

Array<Local> by_degree_groups(Team& team, const SparsePattern& a) {
  Array<Local> order = identity(team, a.rows);
  if (a.rows == 0) return order;
  constexpr int kGroups = 8;
  const double average = static_cast<double>(a.nonzeros()) / static_cast<double>(a.rows);
  sort_stably(team, order, kGroups - 1, [&](Local v) {
    std::uint64_t group = 0;
    for (double least = 32 * average; group + 1 < kGroups && static_cast<double>(degree(a, v)) < least; least /= 2)
      ++group;
    return group;
  });
  return order;
}

}  // namespace atl::order
