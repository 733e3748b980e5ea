// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <atoll/transport/plugin.hpp>

namespace atl::mpi {

/// The bound that `atoll bench exchange` quotes: what a careful MPI program does with MPI_Alltoallv.
/// Collective.
double alltoallv_seconds(MPI_Comm comm, const AlltoallvInput& input);

}  // namespace atl::mpi
