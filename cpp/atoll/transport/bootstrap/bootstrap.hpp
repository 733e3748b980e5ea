// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/types.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// How the ranks of a job find each other before there is a fabric: each gives a text, each gets all texts.
///
///     std::unique_ptr<Bootstrap> job = find_bootstrap();       // by what the launcher left in the environment
///     std::vector<std::string> addresses = job->gather(my_address);
///
/// Slow (files, sockets, the launcher's own protocol); used once or twice a job.
namespace atl {

class Bootstrap {
 public:
  virtual ~Bootstrap() = default;
  virtual std::string_view name() const = 0;  ///< "mpi" "pmi" "file" "hosts"
  virtual Rank rank() const = 0;
  virtual Rank size() const = 0;
  /// One text of each rank, by rank; no text is longer than kTextBytes. Collective. Throws TransportError when a
  /// rank does not come within the time-out.
  virtual std::vector<std::string> gather(const std::string& mine) = 0;
  /// A name that all ranks of this job share and no other job on these machines has.
  virtual std::string job() const = 0;

  static constexpr std::size_t kTextBytes = 255;
};

/// For how long a rank waits for the others to come.
inline constexpr double kBootstrapSeconds = 60;

/// Through a folder that all ranks see, made for this job alone. Throws TransportError when files of another job lie
/// in it.
std::unique_ptr<Bootstrap> bootstrap_by_files(const std::string& folder, Rank rank, Rank ranks,
                                              double timeout_s = kBootstrapSeconds);

/// By PMI-1 over the socket that the launcher has left open (mpiexec of MPICH: PMI_FD). Ends PMI in its destructor, so
/// once for each process.
std::unique_ptr<Bootstrap> bootstrap_by_pmi(int file, Rank rank, Rank ranks, double timeout_s = kBootstrapSeconds);

/// Through rank 0, which listens where the first line of `file` says. Line by line, host[:port] of each rank; # begins a
/// comment. Throws UsageError for a file that is none.
std::unique_ptr<Bootstrap> bootstrap_by_hosts(const std::string& file, Rank rank, double timeout_s = kBootstrapSeconds);
Rank ranks_of_hosts(const std::string& file);

/// By what the launcher left in the environment; null: this process was started alone, or by a launcher that speaks none
/// of these (Open MPI's: bootstrap_by_mpi). In this order: ATOLL_BOOTSTRAP=file:FOLDER with ATOLL_RANK and
/// ATOLL_BOOTSTRAP_RANKS; ATOLL_HOSTS=FILE with ATOLL_RANK; PMI_FD with PMI_RANK and PMI_SIZE. Throws UsageError when
/// these do not fit together.
std::unique_ptr<Bootstrap> find_bootstrap(double timeout_s = kBootstrapSeconds);

}  // namespace atl
