// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <atoll/transport/plugin.hpp>

namespace atl::mpi {

/// The reference of `atoll bench exchange`: the time of a well-written MPI program that uses MPI_Alltoallv. Collective.
double alltoallv_seconds(MPI_Comm comm, const AlltoallvInput& input);

}  // namespace atl::mpi
