// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <atoll/base/files/file_handle.hpp>
#include <atoll/runtime/job/job_table.hpp>
#include <csignal>
#include <deque>
#include <optional>
#include <utility>

namespace atl {

/// The operation of a rank that waits until it knows its peers.
inline constexpr const char* kJoining = "joining the job";

/// Every rank runs and knows its peers: one that lives on after SIGTERM is saving what it has.
bool all_joined(const JobTable& table);

/// The processes that a parent watches: the launcher, and through the table the ranks.
class JobMonitor {
 public:
  /// `signals`: a file of those that have come for the job.
  JobMonitor(JobTable& table, int launcher, int signals);

  enum class Patience { none, a_moment };
  /// Until something happens, or a moment. Returns a signal that has come for the job, or 0.
  int look(Patience patience = Patience::a_moment);

  /// The launcher's status once it has ended.
  std::optional<int> ended();
  /// Somebody ended otherwise than with 0, so that the others will wait in vain.
  bool broken() const;
  bool anyone_left() const;
  void kill_ranks(int signal = SIGKILL) const;
  /// A launcher removes its ranks' segments, but not if it was killed itself; ranks their own, but not if they were.
  void remove_leftovers() const;

 private:
  static constexpr std::uint64_t kSignals = UINT64_MAX, kLauncher = UINT64_MAX - 1;

  void watch(int file, std::uint64_t what);
  void note_if_dead(Rank r);

  JobTable& table_;
  const int launcher_;
  const int signals_;
  const FileHandle events_;
  const FileHandle launcher_file_;
  std::vector<FileHandle> ranks_;
  std::deque<bool> segments_known_;  // [rank]
  std::vector<std::string> leftovers_;
};

}  // namespace atl
