// SPDX-License-Identifier: Apache-2.0
#include "phase_line.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <system_error>

#include "cli/result_file.hpp"

namespace atl::cli {
namespace {

using namespace std::chrono_literals;

std::string time_text(std::chrono::seconds passed) {
  const auto s = passed.count();
  return s < 60     ? fmt::format("{} s", s)
         : s < 3600 ? fmt::format("{} min {} s", s / 60, s % 60)
                    : fmt::format("{} h {} min", s / 3600, s / 60 % 60);
}

}  // namespace

PhaseLine::PhaseLine(bool quiet) : quiet_(quiet), moves_(isatty(STDERR_FILENO) == 1) {}

PhaseLine::~PhaseLine() { end(); }

void PhaseLine::begin(std::string what) {
  if (quiet_) return;
  const std::lock_guard lock(mutex_);
  wipe_locked();
  what_ = std::move(what);
  since_ = Clock::now();
  done_ = all_ = 0;
  changed_.notify_one();
  if (speaker_.joinable() || over_) return;
  // Signals are for the threads that were there before.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    speaker_ = std::thread([this] { speak(); });
  } catch (const std::system_error&) {
    over_ = true;  // a run is not ended for want of a line
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void PhaseLine::advance(std::int64_t done, std::int64_t all) {
  const std::lock_guard lock(mutex_);
  done_ = done;
  all_ = all;
}

// "bc: 12 % (1,200 of 10,000), 85/s, 1 min 44 s left", without a known end "reading web.el, 12 s so far".
std::string PhaseLine::line_locked() const {
  using seconds = std::chrono::duration<double>;
  const auto whole = [](seconds s) { return std::chrono::duration_cast<std::chrono::seconds>(s); };
  const seconds passed = Clock::now() - since_;
  if (done_ <= 0 || all_ <= 0) return fmt::format("{}, {}{}", what_, time_text(whole(passed)), moves_ ? "" : " so far");
  const double rate = static_cast<double>(done_) / passed.count();
  return fmt::format("{}: {} % ({} of {}), {:.3g}/s, {} left", what_, 100 * done_ / all_, done_, all_, rate,
                     time_text(whole(seconds(static_cast<double>(all_ - done_) / rate))));
}

void PhaseLine::end() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
    wipe_locked();
    changed_.notify_one();
  }
  if (speaker_.joinable()) speaker_.join();
}

void PhaseLine::wipe() {
  const std::lock_guard lock(mutex_);
  wipe_locked();
}

void PhaseLine::wipe_locked() {
  if (shown_) say("\r\x1b[K");
  shown_ = false;
}

void PhaseLine::speak() {
  std::unique_lock lock(mutex_);
  while (!over_) {
    const Clock::time_point begun = since_;
    const auto first = moves_ ? Clock::duration(1s) : Clock::duration(10s),
               again = moves_ ? Clock::duration(500ms) : Clock::duration(10s);
    Clock::time_point next = begun + first;
    while (!over_ && since_ == begun) {
      if (changed_.wait_until(lock, next, [&] { return over_ || since_ != begun; })) break;
      if (moves_) {
        say("\ratoll: {}\x1b[K", line_locked());
        shown_ = true;
      } else {
        say("atoll: info: {}\n", line_locked());
      }
      next += again;
    }
  }
}

}  // namespace atl::cli
