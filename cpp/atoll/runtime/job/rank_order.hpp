// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/plan.hpp>
#include <atoll/topology/network/network.hpp>
#include <string>
#include <vector>

/// The order of a job's ranks, as a value: rank r is the process that was launched as number order[r], and so sits at
/// the place order[r] of the machine.
///
///     Plan plan{.domains = "torus:4x4", .map = "hamorder-w"};
///     const std::vector<Rank> order = rank_order(plan, 16);
///     places.of_places(order);                              // the domains of the renumbered ranks
///
namespace atl {

/// The order that Plan::map gives, the same on each process that has the same plan and file:
///
///     (empty)     empty: as launched
///     identity    0, 1, 2, ...
///     random, hamorder, hamorder-w
///                 the numbering of that name (topology/numbering/numbering.hpp) of the network's hosts, each with as many
///                 consecutive places as the ranks need; places beyond the ranks are left out
///     a file      whole numbers, the place of rank 0 first, as `atoll map --export places FILE` writes them; # begins a
///                 comment
///
/// The network is the given one, else that of the plan's domains or platform. Throws UsageError if none has a network,
/// InputError unless the file names each place below `ranks` once.
std::vector<Rank> rank_order(const Plan& plan, Rank ranks, const Network* network = nullptr);

/// The rank of the process that was launched as number `process`.
Rank rank_of_process(const std::vector<Rank>& order, Rank process);

}  // namespace atl
