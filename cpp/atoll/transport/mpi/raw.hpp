// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <atoll/transport/plugin.hpp>

namespace atl::mpi {

/// Bare MPI between ranks 0 and 1, for `atoll bench queue`; see MpiFabric. All ranks get rank 0's result. Collective.
double raw_latency_seconds(MPI_Comm comm, RawMode mode, std::size_t bytes, long iterations, int threads);
double raw_messages_per_second(MPI_Comm comm, RawMode mode, std::size_t bytes, long messages, int window, int threads);

}  // namespace atl::mpi
