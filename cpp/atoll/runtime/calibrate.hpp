// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/world.hpp>
#include <atoll/topology/cost.hpp>

namespace atl {

/// Measures the cost of each level of a hierarchy of the job's ranks between two of them, while the others wait.
/// Latency is half of a ping-pong; bandwidth follows from the growth from short to long messages; overhead from a
/// stream of short ones. Each is the median of `rounds` rounds, which have fewer messages where the network is slow. A
/// level that separates no two ranks takes the costs of the level below, or, if none below was measured, of the level
/// above. Throws InputError for a job of one rank.
///
/// Collective; the same on all ranks. If noise makes a level faster than the one below it, it takes that one's figure.
/// Ranks that share cores measure the scheduler too: give each rank a core of its own.
Cost calibrate(World& world, const Hierarchy& hierarchy, int rounds);

}  // namespace atl
