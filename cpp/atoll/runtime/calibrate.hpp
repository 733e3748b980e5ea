// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/world.hpp>
#include <atoll/topology/cost.hpp>

namespace atl {

/// What crossing each level of the job's hierarchy costs, measured between two ranks a level while the others wait: half
/// of a ping-pong for the latency, the growth from short to long messages for the bandwidth, a stream of short ones for
/// the overhead. Medians of `rounds` rounds. Levels that no two ranks have take those of the
/// level below; where none below was measured, of the one above. Throws InputError on one rank alone.
///
/// Collective; the same on all ranks. A level that came out faster than the one below it, which noise may do, is given
/// that one's figure. Ranks that share cores measure the scheduler too: give each rank a core of its own.
Cost calibrate(World& world, int rounds = 9);

}  // namespace atl
