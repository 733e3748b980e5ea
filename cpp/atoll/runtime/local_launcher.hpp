// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/types.hpp>
#include <csignal>
#include <functional>
#include <string>
#include <vector>

/// Starts the ranks of a job as processes of this machine, for transports that need no launcher of an MPI.
namespace atl {

/// A folder that exists as long as this value.
class TemporaryFolder {
 public:
  TemporaryFolder();  ///< throws IoError
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Process id of a launcher (a child of this process in a group of its own) that runs `program` once for each rank,
/// with `settings` ("NAME=value") and what find_bootstrap() reads in the environment. Like an mpiexec it passes
/// SIGTERM, SIGINT and SIGHUP on, ends all ranks when one ends badly, and leaves with the code of that one, 128 +
/// signal if a signal ended it. It calls `ended_badly` for the first such rank (signal 0: by its exit code) before it ends
/// the others; in its own process, so that only shared memory can take the news. Negative where there is no process to be
/// had.
int start_local_ranks(Rank ranks, const std::string& program, const std::vector<std::string>& command,
                      const std::vector<std::string>& settings, const std::string& folder, const sigset_t& mask,
                      const std::function<void(Rank rank, int signal)>& ended_badly);

}  // namespace atl
