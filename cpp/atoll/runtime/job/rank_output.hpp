// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/job/job_monitor.hpp>
#include <atoll/runtime/job/job_table.hpp>
#include <atomic>
#include <string_view>
#include <thread>

namespace atl {

/// Passes on a launcher's stdout: what ranks print, and the launcher's own words. Words come when a rank has died
/// (MPICH's "BAD TERMINATION"), so what comes from then on goes to stderr, and the rest to the result's file.
///
///     RankOutput output(table, STDOUT_FILENO);
///     start_launcher(command, table.path(), mask, output.launchers_end());
///     output.begin();                                                      // a thread; after the fork
///     output.finish();                                                     // the launcher has ended
class RankOutput {
 public:
  RankOutput(const JobTable& table, int result);
  /// Passes on the rest of a job that was given up, as long as its reader takes it.
  ~RankOutput();
  int launchers_end() const { return write_.get(); }
  void begin();
  /// Passes on what is left. Throws IoError if something was lost, std::system_error (EPIPE) if nobody reads any more.
  void finish();

 private:
  void pass_on();
  int write_all(int file, std::string_view text) const;

  const JobTable& table_;
  const int result_;
  FileHandle read_, write_, stop_;
  std::atomic<bool> abandoned_{false};
  int error_ = 0;
  std::thread thread_;
};

}  // namespace atl
