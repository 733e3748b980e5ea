// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <atoll/base/error.hpp>
#include <atoll/base/parallel.hpp>
#include <atoll/transport/plugin.hpp>

/// Basics for every file of this plug-in: MPI calls that throw on errors, waits that yield, and the process's one MPI
/// session count.
namespace atl::mpi {

/// Throws TransportError if an MPI call failed.
///
///     call(MPI_Comm_size(comm, &size), "MPI_Comm_size");
inline void call(int code, const char* name) {
  if (code == MPI_SUCCESS) [[likely]]
    return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw TransportError(fmt::format("{}: {} (the MPI library refused). Look at the job's other messages.", name,
                                   std::string_view(text, static_cast<std::size_t>(length))));
}

/// Waits and yields the core to other ranks: MPI's own blocking calls spin.
inline void finish(MPI_Request& request, const char* name) {
  for (Backoff backoff;;) {
    int done = 0;
    call(MPI_Test(&request, &done, MPI_STATUS_IGNORE), name);
    if (done) return;
    backoff.pause_or_sleep();
  }
}

inline int count_of(std::size_t n) { return static_cast<int>(n); }

/// Duplicates the communicator that the options name, set to return errors. Initialises MPI if nobody has; throws
/// TransportError for a thread level below `level` or a launcher of another MPI. Collective.
MPI_Comm open_session(const MpiOptions& options, int level, const std::optional<Launcher>& launcher);
/// Frees it; finalizes MPI if it was initialised here, this was the last session, and `finalize`. Collective.
void close_session(MPI_Comm comm, bool finalize);
/// For a session whose fabric was never closed: its receives are cancelled when MPI is finalized. Not collective.
void abandon_session(std::vector<MPI_Request> receives);
/// Finalizes MPI if it was initialised here and no session is open.
void finish_session();

/// "Open MPI 4.1.4"
std::string library();
const char* name_of_level(int thread_level);

// The layers, each in a file of its own.
std::unique_ptr<MpiFabric> make_two_sided(const MpiOptions& options, const std::optional<Launcher>& launcher);
std::unique_ptr<MpiFabric> make_probe(const MpiOptions& options, const std::optional<Launcher>& launcher);
std::unique_ptr<MpiFabric> make_rma(const MpiOptions& options, const std::optional<Launcher>& launcher);

}  // namespace atl::mpi
