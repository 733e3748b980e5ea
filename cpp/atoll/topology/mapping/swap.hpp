// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/topology/mapping/traffic.hpp>
#include <atoll/topology/numbering/place_graph.hpp>
#include <cstdint>
#include <span>
#include <vector>

/// Mappings for known traffic: rank -> place with few hop-bytes, by local search.
///
///     std::vector<int> mapping = swap_mapping(places, traffic);
///     hop_bytes_of(places, traffic, mapping);
///
/// The problem is a quadratic assignment, so what is found is a local optimum: of exchanging two ranks, or moving one
/// to a free place, within one link of one of the 16 ranks that it talks most with; for dense traffic, of any two.
namespace atl {

/// Exchanges ranks while that lowers the hop-bytes. A move is priced from what it changes [1]: by LocalSearch, for
/// dense traffic by improve_by_table(). `mapping` has a different place for each rank of the traffic. The result is
/// never worse.
///
/// [1] C. Schulz, J. L. Traff. "Better process mapping and sparse quadratic assignment." SEA 2017.
std::vector<int> improve_by_swaps(const PlaceGraph& places, const TrafficMatrix& traffic, std::vector<int> mapping);

struct SwapOptions {
  int sweeps = 200;  ///< of annealing, at most; 0: none
  std::uint64_t seed = 1;
};

/// The better of the first places of `numbering` (a permutation of all) and of dual_bisection(), from one to eight
/// seeds the fewer ranks there are; then improve_by_swaps(); then, unless the traffic is dense, so many sweeps of
/// simulated annealing and improve_by_swaps() again, if that is better. Fewer sweeps for many pairs. Never worse than
/// the numbering, and the same for the same seed. Throws InputError if there are fewer places than ranks.
std::vector<int> swap_mapping(const PlaceGraph& places, const TrafficMatrix& traffic, std::span<const int> numbering,
                              const SwapOptions& options = {});

}  // namespace atl
