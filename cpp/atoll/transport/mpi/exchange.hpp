// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <atoll/base/parallel.hpp>
#include <atoll/transport/plugin.hpp>

namespace atl::mpi {

/// See RmaExchange. MPI is called under `mpi`. Collective.
std::unique_ptr<RmaExchange> make_exchange(MPI_Comm comm, SpinLock& mpi, std::span<const std::size_t> bound_from);

}  // namespace atl::mpi
