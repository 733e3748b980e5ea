// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <atoll/base/error.hpp>
#include <atoll/transport/plugin.hpp>
#include <cstdlib>
#include <string>
#include <string_view>

/// How a process finds out that its batch system has not made one job of its tasks. The command and Python's module
/// share it: both look before MPI begins, since Open MPI ends such a process in MPI_Init.
///
///     check_step_has_pmi();                                                   // before World or Job
///     if (const std::string text = note_of_one_rank("--ranks R"); !text.empty()) log(LogLevel::warn, "{}", text);
namespace atl::cli {

/// Whether the environment has any word of a PMI: variables of PMI-1, PMI-2, PMIx or Cray's PALS, or srun's --mpi.
inline bool environment_has_pmi() {
  for (char** variable = environ; variable && *variable; ++variable) {
    const std::string_view text = *variable;
    if (text.starts_with("PMI_") || text.starts_with("PMIX_") || text.starts_with("PALS_")) return true;
  }
  const char* mpi = std::getenv("SLURM_MPI_TYPE");  // srun leaves it away for --mpi=none
  return mpi && *mpi && std::string_view(mpi) != "none";
}

/// Throws TransportError in a step of several tasks whose srun has no PMI, by which they would find each other. The
/// same on all tasks.
inline void check_step_has_pmi() {
  const auto by = launcher();
  if (!by || by->ranks == 1 || !by->name.starts_with("srun of Slurm") || environment_has_pmi()) return;
  throw TransportError(
      fmt::format("{} tasks of one Slurm step, and no PMI (by which MPI joins them; srun has --mpi=none). Start with "
                  "srun --mpi=pmix for Open MPI, srun --mpi=pmi2 for MPICH: `srun --mpi=list` shows which there are.",
                  by->ranks));
}

/// Returns a warning where this process is the only rank although the environment names several tasks: a script of
/// sbatch, or a shell of salloc, that has left out srun. Empty otherwise. `other_way` tells how to have several ranks
/// here.
inline std::string note_of_one_rank(std::string_view other_way) {
  // In a step that srun has started it names the step's tasks, which is what was wanted.
  if (launcher() || std::getenv("SLURM_STEP_NUM_TASKS")) return "";
  const char* tasks = std::getenv("SLURM_NTASKS");
  if (!tasks || std::atol(tasks) <= 1) return "";
  return fmt::format(
      "one rank, and SLURM_NTASKS is {} (srun has not started this process). Start it with srun --mpi=pmix or pmi2, "
      "or take {} for ranks on this host.",
      tasks, other_way);
}

}  // namespace atl::cli
