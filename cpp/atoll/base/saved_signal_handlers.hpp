// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <csignal>
#include <cstddef>

namespace atl {

/// Libraries that a fabric loads install handlers for the signals that end a process, when they load or at their first
/// call. libinfinipath's handler calls exit(), which hangs if the signal arrived inside the library. While a
/// SavedSignalHandlers lives, termination signals stay pending. Its destructor restores the previous handlers, and then
/// they are delivered.
class SavedSignalHandlers {
 public:
  SavedSignalHandlers() {
    sigset_t asked;
    sigemptyset(&asked);
    for (const int s : {SIGTERM, SIGINT, SIGHUP, SIGQUIT}) sigaddset(&asked, s);
    pthread_sigmask(SIG_BLOCK, &asked, &mask_);
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], nullptr, &before_[i]);
  }
  ~SavedSignalHandlers() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
    pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
  }
  SavedSignalHandlers(const SavedSignalHandlers&) = delete;
  SavedSignalHandlers& operator=(const SavedSignalHandlers&) = delete;

 private:
  static constexpr std::array kSignals{SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  std::array<struct sigaction, kSignals.size()> before_;
  sigset_t mask_;
};

}  // namespace atl
