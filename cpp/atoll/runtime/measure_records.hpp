// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/world.hpp>

namespace atl {

/// Measures what records cost this machine's processors, by the code that ships: records of 8 bytes go through a mailbox
/// to their own rank, where a handler updates a random place of 4 MiB; a full send buffer merges, half of its records into
/// others; blocks of 64 KiB are copied within 16 MiB. All ranks measure at once, each with one thread, so they share
/// caches and memory as in a run. Each cost is the median of `rounds` rounds, on the rank where it is greatest.
///
/// Collective; the same on all ranks. In virtual time it finds the costs of the simulated machine.
RecordCosts measure_record_costs(World& world, int rounds);

}  // namespace atl
