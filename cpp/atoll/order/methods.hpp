// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/order/ordering.hpp>

/// The methods. Each returns the old rows in their new order: [new row] -> old row.
namespace atl::order {

Array<Local> identity(Team& team, std::int64_t rows);
Array<Local> by_degree(Team& team, const SparsePattern& a);
Array<Local> by_hubs(Team& team, const SparsePattern& a);
Array<Local> by_degree_groups(Team& team, const SparsePattern& a);
Array<Local> by_reverse_cuthill_mckee(Team& team, const SparsePattern& a);
Array<Local> by_communities(Team& team, const SparsePattern& a);
Array<Local> by_shared_columns(Team& team, const SparsePattern& a, int window);
Array<Local> at_random(Team& team, std::int64_t rows, std::uint64_t seed);

}  // namespace atl::order
