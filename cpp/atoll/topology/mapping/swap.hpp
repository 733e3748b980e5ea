// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/topology/mapping/place_graph.hpp>
#include <atoll/topology/mapping/traffic.hpp>
#include <cstdint>
#include <vector>

/// Mappings for known traffic: rank -> place with few hop-bytes, by local search.
///
///     std::vector<int> mapping = swap_mapping(places, traffic);
///     hop_bytes_of(places, traffic, mapping);
///
/// The problem is a quadratic assignment, so what is found is a local optimum: of exchanging two ranks, or moving one
/// to a free place, within one link of one of the 16 ranks that it talks most with.
namespace atl {

/// Exchanges ranks while that lowers the hop-bytes. A move is priced in O(degree) from what it changes [1]; the first
/// one that gains is made. `mapping` has a different place for each rank of the traffic. The result is never worse.
///
/// [1] C. Schulz, J. L. Traff. "Better process mapping and sparse quadratic assignment." SEA 2017.
std::vector<int> improve_by_swaps(const PlaceGraph& places, const TrafficMatrix& traffic, std::vector<int> mapping);

/// Places ranks one after the other: next comes the one that talks most with those that have a place, and it gets the
/// free place that makes the fewest hop-bytes with them (GreedyAllC [2]). O(pairs * sites + ranks^2).
///
/// [2] R. Glantz, H. Meyerhenke, A. Noe. "Algorithms for mapping parallel processes onto grid and torus
///     architectures." PDP 2015.
std::vector<int> greedy_mapping(const PlaceGraph& places, const TrafficMatrix& traffic);

struct SwapOptions {
  int sweeps = 200;  ///< of annealing; 0: none
  std::uint64_t seed = 1;
};

/// The best of three: improve_by_swaps() from the first places of `numbering` (a permutation of all); from
/// greedy_mapping(), unless the traffic is dense (pairs * sites above 4e9); and from the better of these after so many
/// sweeps of simulated annealing, whose moves are the same (fewer for dense traffic). Never worse than the numbering.
/// Throws InputError if there are fewer places than ranks.
std::vector<int> swap_mapping(const PlaceGraph& places, const TrafficMatrix& traffic, std::span<const int> numbering,
                              const SwapOptions& options = {});

}  // namespace atl
