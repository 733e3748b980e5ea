// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/types.hpp>
#include <csignal>
#include <string>
#include <vector>

/// Starts the ranks of a job by the launcher of an MPI.
namespace atl {

struct MpiLauncher {
  std::string mpi;   ///< openmpi, mpich; empty: the job needs none
  std::string path;  ///< of its mpiexec; empty: it is not in PATH
};
MpiLauncher find_launcher(const std::string& mpi);

/// Returns the path of this program.
std::string own_program();

/// Returns the command line that runs `command` (argv, whose first word is left away) of this program once for each
/// rank. `threads`: of a rank; 0: as many as there are cores for.
std::vector<std::string> launcher_command(const MpiLauncher& launcher, Rank ranks, int threads,
                                          const std::vector<std::string>& command);
/// Process id of the launcher, a child of this process in a group of its own; negative where there is no process to be
/// had. `table`: the path of the job's. `output`: the file that is its stdout.
int start_launcher(const std::vector<std::string>& command, const std::string& table, const sigset_t& mask, int output);

}  // namespace atl
