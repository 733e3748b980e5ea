// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/topology/network/network.hpp>
#include <cstdint>

/// Topology search: better networks of the same degrees, algorithm 2 of Hamorder [1].
///
///     const Network base = Network::parse("random:64:4");
///     const Network best = optimized(base, Objective::min_aspl, {});
///     best.distances().aspl;                            // not below moore_bound(64, 4): 2.857
///
/// Each step is a 2-opt move: two links are replaced by two others between the same four routers, so that all degrees
/// stay. It is kept if the objective gains, or loses nothing. The search ends after `patience` moves without a gain.
///
/// [1] Y. Hu. "Accelerating parallel applications based on graph reordering for random network topologies." IEEE
/// Access, 2023.
namespace atl {

enum class Objective {
  min_aspl,      ///< Opt-minASPL: the average shortest path length, by bit-parallel searches from all routers together
  max_bisection  ///< Opt-maxBisec: the best cut that is known (bisection.hpp), kept from move to move
};

struct TopologySearch {
  int patience = 1000;  ///< I in the paper
  int restarts = 1;     ///< searches from the base, of which the best is taken
  std::uint64_t seed = 1;
};

/// Returns the best network found; the base's links if nothing was better. Links keep latency and bandwidth; there is
/// no routing rule and no known bisection. A move costs O(diameter * routers * links / 64) for min_aspl. The same seed
/// gives the same network. Throws InputError unless each router has as many hosts, each host one router, and no two
/// links join the same routers.
Network optimized(const Network& base, Objective objective, const TopologySearch& search);

/// The least ASPL that any graph of so many routers with so many links each could have: from each router 1 at distance
/// 0, `degree` at 1, degree * (degree - 1) at 2, and so on.
double moore_bound(int routers, int degree);

}  // namespace atl
