// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/files/file_handle.hpp>
#include <atomic>
#include <cstdint>
#include <functional>

namespace atl::ofi {

/// Lets a rank sleep until something arrives, or another of its threads rings: on the file descriptor of its completion
/// queue if the provider has one, else in naps.
class Doorbell {
 public:
  /// `queue_file`: -1 if there is none.
  explicit Doorbell(int queue_file);
  Doorbell(const Doorbell&) = delete;
  Doorbell& operator=(const Doorbell&) = delete;

  void ring();

  /// The result of polling the queue before sleeping.
  enum class PollResult {
    found,
    nothing,              ///< look again after a nap
    armed,                ///< the file descriptor will signal new completions
    armed_with_deferred,  ///< it will, but other work is pending
  };
  /// True if a poll has found something or a thread has rung. Calls look(may_arm) each time before sleeping.
  bool wait(double timeout_s, const std::function<PollResult(bool may_arm)>& look);

 private:
  bool wait_by_file(double timeout_s, const std::function<PollResult(bool)>& look);
  bool wait_by_naps(double timeout_s, const std::function<PollResult(bool)>& look, std::uint32_t seen);

  const int queue_file_;
  const FileHandle wake_file_;
  std::atomic<std::uint32_t> wakes_{0};
};

}  // namespace atl::ofi
