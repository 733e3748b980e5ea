// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/job/job_table.hpp>
#include <span>

namespace atl {

/// Removes what ranks that have ended left in /dev/shm under their numbers: our own segments, and those of libfabric's
/// shm provider, 16 MB each. Nothing of a rank that lives, or whose number another process has by now.
void remove_leftovers_of(std::span<const ProcessId> ranks);

}  // namespace atl
