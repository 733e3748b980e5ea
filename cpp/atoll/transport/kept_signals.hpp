// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <csignal>
#include <cstddef>

namespace atl {

/// Libraries that a fabric loads take the signals that end a process, when they are loaded or at their first call:
/// libinfinipath's handler calls exit(), which hangs where the signal came inside the library. While one of these lives,
/// the signals by which somebody asks for the end wait; then all handlers are those from before, and they are delivered.
class KeptSignals {
 public:
  KeptSignals() {
    sigset_t asked;
    sigemptyset(&asked);
    for (const int s : {SIGTERM, SIGINT, SIGHUP, SIGQUIT}) sigaddset(&asked, s);
    pthread_sigmask(SIG_BLOCK, &asked, &mask_);
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], nullptr, &before_[i]);
  }
  ~KeptSignals() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
    pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
  }
  KeptSignals(const KeptSignals&) = delete;
  KeptSignals& operator=(const KeptSignals&) = delete;

 private:
  static constexpr std::array kSignals{SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  std::array<struct sigaction, kSignals.size()> before_;
  sigset_t mask_;
};

}  // namespace atl
