// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

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

struct LocalRanks {
  Rank ranks;
  std::string program;
  std::vector<std::string> command;
  std::vector<std::string> settings;  ///< "NAME=value", beside what find_bootstrap() reads in the environment
  std::string folder;                 ///< where they meet; removed if its maker is gone at the end
  sigset_t mask;
  int output = STDOUT_FILENO;  ///< the file that is their stdout; negative: they have none
  /// Called for the first rank that ends badly (signal 0: by its exit code), before the others are ended.
  std::function<void(Rank rank, int signal)> ended_badly;
  /// How long ranks may live on after that signal has been passed on.
  std::function<double(int signal)> patience_s;
};

/// Process id of a launcher (a child of this process in a group of its own) that runs the program once for each rank.
/// Like an mpiexec it passes SIGTERM, SIGINT and SIGHUP on, kills ranks that live on after that, ends all ranks when one
/// ends badly, and leaves with the code of that one, 128 + signal if a signal ended it. It calls the functions in its own
/// process, so that only shared memory can take the news. Negative where there is no process to be had.
int start_local_ranks(const LocalRanks& job);

}  // namespace atl
