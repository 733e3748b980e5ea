// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/types.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// How the ranks of a job find each other before there is a fabric: each rank gives a text and receives the texts of
/// all.
///
///     std::unique_ptr<Bootstrap> job = find_bootstrap();       // by the launcher's environment variables
///     std::vector<std::string> addresses = job->gather(my_address);
///
/// Slow (files, sockets, the launcher's own protocol); used once or twice per job.
namespace atl {

class Bootstrap {
 public:
  virtual ~Bootstrap() = default;
  virtual std::string_view name() const = 0;  ///< "mpi" "pmi" "file" "hosts"
  virtual Rank rank() const = 0;
  virtual Rank size() const = 0;
  /// Gathers one text of each rank, by rank; no text is longer than kTextBytes. Collective. Throws TransportError if a
  /// rank does not arrive within the time-out.
  virtual std::vector<std::string> gather(const std::string& mine) = 0;
  /// A name that all ranks of this job share and no other job on these machines has.
  virtual std::string job() const = 0;

  static constexpr std::size_t kTextBytes = 255;
};

/// How long a rank waits for the others.
inline constexpr double kBootstrapSeconds = 60;

/// Through a folder that all ranks see and that is used for this job only. Throws TransportError if it contains files
/// of another job.
std::unique_ptr<Bootstrap> bootstrap_by_files(const std::string& folder, Rank rank, Rank ranks,
                                              double timeout_s = kBootstrapSeconds);

/// By PMI-1 over the socket that the launcher has opened (mpiexec of MPICH: PMI_FD). The destructor finalizes PMI, so
/// make at most one per process.
std::unique_ptr<Bootstrap> bootstrap_by_pmi(int file, Rank rank, Rank ranks, double timeout_s = kBootstrapSeconds);

/// Through rank 0, which listens at the address in the first line of `file`. Each line is host[:port] of one rank; #
/// begins a comment. Throws UsageError for a malformed file.
std::unique_ptr<Bootstrap> bootstrap_by_hosts(const std::string& file, Rank rank, double timeout_s = kBootstrapSeconds);
Rank ranks_of_hosts(const std::string& file);

/// The same job with its ranks renumbered: rank r is the process of rank order[r] in `job`. Throws UsageError unless
/// `order` is a permutation of all its ranks.
std::shared_ptr<Bootstrap> in_order(std::shared_ptr<Bootstrap> job, std::vector<Rank> order);

/// By the launcher's environment variables; null: this process was started without a launcher, or by one that uses none
/// of these (Open MPI's: bootstrap_by_mpi). In this order: ATOLL_BOOTSTRAP=file:FOLDER with ATOLL_RANK and
/// ATOLL_BOOTSTRAP_RANKS; ATOLL_HOSTS=FILE with ATOLL_RANK; PMI_FD with PMI_RANK and PMI_SIZE. Throws UsageError if
/// they are inconsistent.
std::unique_ptr<Bootstrap> find_bootstrap(double timeout_s = kBootstrapSeconds);

}  // namespace atl
