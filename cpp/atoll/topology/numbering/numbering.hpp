// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/topology/numbering/place_graph.hpp>
#include <cstdint>
#include <vector>

/// Numberings: places in such an order that consecutive ones are near each other, for programs whose neighbour ranks
/// talk. By the by-order rule rank r gets the r-th place.
///
///     const PlaceGraph places(Network::parse("random:64:4"));
///     std::vector<int> order = hamorder_w(places);   // [rank] -> place
///     jumps_of(places, order);                       // 0: a Hamiltonian path
///
/// Each is a permutation of all places, and the same for the same arguments.
namespace atl {

/// Hamorder [1], algorithm 1 as printed: a nearest-neighbour tour from host 0. Of unvisited neighbours, which all weigh
/// 1, the one with the smallest number is next; where there is none, the nearest by hops, of equal ones the smallest.
/// The edge that closes the cycle does not count. O(sites^2).
///
/// [1] Y. Hu. "Accelerating parallel applications based on graph reordering for random network topologies." IEEE
/// Access, 2023.
std::vector<int> hamorder(const PlaceGraph& places);

/// Hamorder with Warnsdorff's rule for equal neighbours: the one with the fewest unvisited neighbours is next. The best
/// tour of all starts is improved by 2-opt: moves that shorten it, and moves that replace one jump by another (Posa's
/// rotations [2]), until a Hamiltonian cycle is found or 50 * sites rotations in a row were of no use. Then the cycle
/// is cut at its longest edge. O(sites * links) for the tours.
///
/// [2] L. Posa. "Hamiltonian circuits in random graphs." Discrete Mathematics 14(4), 1976.
std::vector<int> hamorder_w(const PlaceGraph& places, std::uint64_t seed = 1);

/// A random permutation.
std::vector<int> random_order(const PlaceGraph& places, std::uint64_t seed);

/// The number of consecutive places in the order that are more than one link apart.
int jumps_of(const PlaceGraph& places, std::span<const int> order);

}  // namespace atl
