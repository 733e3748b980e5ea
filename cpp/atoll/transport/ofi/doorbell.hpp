// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace atl::ofi {

/// How a rank sleeps until something arrives, or another of its threads rings: on the file of its completion queue where
/// the provider has one, else in naps.
class Doorbell {
 public:
  /// `queue_file`: -1 if there is none.
  explicit Doorbell(int queue_file);
  ~Doorbell();
  Doorbell(const Doorbell&) = delete;
  Doorbell& operator=(const Doorbell&) = delete;

  void ring();

  /// What a look at the queue has found out.
  enum class Look {
    found,
    nothing,         ///< look again after a nap
    armed,           ///< the file will tell of what comes
    armed_and_owed,  ///< it will, but something else is left to do
  };
  /// True if a look has found something or somebody has rung. `look(may_arm)` is asked each time, before sleeping.
  bool wait(double timeout_s, const std::function<Look(bool may_arm)>& look);

 private:
  bool wait_by_file(double timeout_s, const std::function<Look(bool)>& look);
  bool wait_by_naps(double timeout_s, const std::function<Look(bool)>& look, std::uint32_t seen);

  const int queue_file_, wake_file_;
  std::atomic<std::uint32_t> wakes_{0};
};

}  // namespace atl::ofi
