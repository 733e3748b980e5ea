// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/job/job_table.hpp>
#include <atoll/runtime/job/mpi_launcher.hpp>

/// Why a job has ended, by what its ranks have noted and its launcher has seen.
namespace atl {

struct JobEnd {
  int status;                   ///< of the launcher, as by waitpid
  int signal;                   ///< that came for the job; 0: none
  const MpiLauncher& launcher;  ///< Atoll's own if it has no mpi
};
/// See Job::run_children: the exit code, or the error.
int end_of_job(const JobTable& table, const JobEnd& end);

enum class Certainty { seen, by_mpich };
/// "rank 2 (pid 71) was ended by SIGKILL in 'drain: records of other ranks'"
std::string describe_death(Rank rank, const JobTable::RankStatus& status, Certainty certainty = Certainty::seen);

}  // namespace atl
