// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <atoll/runtime/job/job_table.hpp>
#include <atoll/runtime/job/mpi_launcher.hpp>
#include <atoll/runtime/job/virtual_ranks.hpp>
#include <atoll/runtime/world.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// How a command gets its ranks.
///
///     Job job(ranks, plan, command);                      // --ranks; 0: what the launcher says, else one
///     if (job.part() == Job::Part::parent) return job.run_children();
///     try {
///       job.run([](World& world) { ... });
///     } catch (const std::exception& e) {
///       if (job.reports_errors()) print(e.what());
///       return job.finish(code_of(e), e.what());
///     }
///     return job.finish(0);
///
/// Under mpiexec or srun the process is a rank of that job. Outside, several ranks are started by the
/// launcher of the MPI of a plug-in, or with transport shm by this process, which stays as their parent; without
/// any MPI, or with transport inproc, they are threads of this process; with levels or flows they are simulated in it.
/// A program that is not the command (Python) calls join_world().
namespace atl {

/// One that another library has made (see MpiOptions).
struct Communicator {
  const void* address = nullptr;
  std::string library_version;
};
/// This process as one rank of an MPI job, by the plan: fabric, hierarchy, World. Collective. With a
/// communicator over that one, and then MPI is not ended by World::close.
std::unique_ptr<World> join_world(const Plan& plan, World::Options options = {},
                                  const std::optional<Communicator>& communicator = std::nullopt);

class Job {
 public:
  enum class Part {
    alone,    ///< one rank, no MPI
    threads,  ///< all ranks are threads of this process
    fibers,   ///< all ranks are fibers of this process, in virtual time
    rank,     ///< one rank of a job of processes
    parent,   ///< not a rank: started the launcher, watches
  };

  /// `command`: argv, to be run again by each rank. Throws UsageError when --ranks, --domains and the
  /// launcher disagree or --transport cannot be had; TransportError when transport mpi is asked for and there
  /// is none.
  Job(Rank ranks, Plan plan, std::vector<std::string> command);
  ~Job();

  Part part() const { return part_; }
  Rank ranks() const { return ranks_; }
  Rank rank() const { return rank_; }  ///< 0 unless part() is rank: who prints
  const Plan& plan() const { return plan_; }
  /// Why the ranks are what they are, for the log: "2 ranks by mpirun.openmpi".
  const std::string& how() const { return how_; }

  /// Calls f on each rank that this process has, and closes the World. Throws what f throws.
  void run(const std::function<void(World&)>& f, World::Options options = {});

  /// Seconds of run() by the simulated clock, where part() is fibers.
  const std::optional<VirtualRun>& virtual_run() const { return virtual_run_; }

  /// Starts the ranks, forwards SIGINT, SIGTERM and SIGHUP to them, and waits for their end. Returns their
  /// exit code: 0, or that of the first rank that ended with another and has reported why. A rank that died
  /// is a TransportError that names it, its signal and its last operation, and so is one that does not come to the
  /// others, for a minute longer than Plan::timeout_seconds; an error of one rank alone is
  /// thrown again, with its class by the exit code. Nothing of the job runs any more then. What the ranks print goes to
  /// the file `result`; IoError if something of it was lost.
  int run_children(int result = STDOUT_FILENO);

  /// Whether this process is to print the error that run() threw: of an error that all ranks share it is rank
  /// 0; of one that is this rank's alone it is the parent if there is one, so that no message of the launcher
  /// buries it. That a rank is silent is said by the parent too, else by the lowest rank that can: the others wait
  /// here for seconds, in which the launcher ends them. To be asked once.
  bool reports_errors() const;

  /// Notes how this process ends, for the parent. Returns what to exit with: under a parent that has the
  /// codes of all ranks it is 0, so that the launcher keeps quiet.
  int finish(int exit_code, std::string_view message = {});

 private:
  Part part_ = Part::alone;
  Rank ranks_ = 1, rank_ = 0;
  std::vector<Rank> order_;  // of processes as launched, see rank_order.hpp
  Plan plan_;
  std::vector<std::string> command_;
  std::string how_;
  MpiLauncher launcher_;  // of a parent
  std::optional<JobTable> table_;
  std::optional<VirtualRun> virtual_run_;
  bool joined_ = false;
  bool agreed_ = false;         // run() threw what every rank threw
  std::optional<Rank> silent_;  // for whose silence run() threw
};

}  // namespace atl
