// SPDX-License-Identifier: Apache-2.0
#include <linux/futex.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atoll/base/timer.hpp>
#include <atoll/transport/ofi/doorbell.hpp>
#include <climits>

namespace atl::ofi {
namespace {

constexpr double kNap_s = 100e-6;  // if work is left to do

}  // namespace

Doorbell::Doorbell(int queue_file)
    : queue_file_(queue_file), wake_file_(queue_file >= 0 ? eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC) : -1) {}

void Doorbell::ring() {
  wakes_.fetch_add(1, std::memory_order_release);
  if (wake_file_) {
    const std::uint64_t one = 1;
    // A full counter wakes the reader as well.
    [[maybe_unused]] const auto written = write(wake_file_.get(), &one, sizeof one);
  } else {
    syscall(SYS_futex, &wakes_, FUTEX_WAKE_PRIVATE, INT32_MAX, nullptr, nullptr, 0);
  }
}

bool Doorbell::wait(double timeout_s, const std::function<PollResult(bool)>& look) {
  const std::uint32_t seen = wakes_.load(std::memory_order_acquire);
  return queue_file_ >= 0 ? wait_by_file(timeout_s, look) : wait_by_naps(timeout_s, look, seen);
}

bool Doorbell::wait_by_file(double timeout_s, const std::function<PollResult(bool)>& look) {
  const Timer timer;
  for (bool rung = false;;) {
    // After a wake-up without a packet (a control word; `net` wakes at any time) it naps before it arms the file again.
    const PollResult seen = look(!rung);
    if (seen == PollResult::found) return true;
    const double left_s = timeout_s - timer.seconds();
    if (left_s <= 0) return false;
    const double limit_s = std::min(seen == PollResult::armed ? 3600 : std::max(kNap_s, timeout_s / 4), left_s);
    std::array<pollfd, 2> files{{{wake_file_.get(), POLLIN, 0}, {queue_file_, POLLIN, 0}}};
    const auto whole_s = static_cast<time_t>(limit_s);
    const timespec limit{whole_s, static_cast<long>((limit_s - static_cast<double>(whole_s)) * 1e9)};
    rung = ppoll(files.data(), seen == PollResult::nothing ? 1 : 2, &limit, nullptr) > 0;
    if (files[0].revents == 0) continue;
    std::uint64_t wakes = 0;
    // Another thread may have read them already.
    [[maybe_unused]] const auto got = read(wake_file_.get(), &wakes, sizeof wakes);
    return true;
  }
}

bool Doorbell::wait_by_naps(double timeout_s, const std::function<PollResult(bool)>& look, std::uint32_t seen) {
  const Timer timer;
  // Naps grow: a short wait adds little delay, a long one leaves the core to other ranks.
  const double longest_s = std::max(250e-6, timeout_s / 4);
  for (double nap_s = 10e-6;; nap_s = std::min(2 * nap_s, longest_s)) {
    if (look(false) == PollResult::found) return true;
    const double left_s = timeout_s - timer.seconds();
    if (left_s <= 0) return false;
    const timespec limit{0, static_cast<long>(std::min(nap_s, left_s) * 1e9)};
    syscall(SYS_futex, &wakes_, FUTEX_WAIT_PRIVATE, seen, &limit, nullptr, 0);
    if (wakes_.load(std::memory_order_acquire) != seen) return true;
  }
}

}  // namespace atl::ofi
