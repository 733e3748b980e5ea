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

/// By what the launcher left in the environment; null: this process was started alone. ATOLL_BOOTSTRAP=file:FOLDER
/// with ATOLL_RANK and ATOLL_RANKS: by files. Throws UsageError when these do not fit together.
std::unique_ptr<Bootstrap> find_bootstrap(double timeout_s = kBootstrapSeconds);

}  // namespace atl
