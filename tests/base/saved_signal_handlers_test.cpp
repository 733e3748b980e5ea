// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/saved_signal_handlers.hpp>
#include <csignal>

using namespace atl;

namespace {
volatile std::sig_atomic_t ours = 0, theirs = 0;
}

TEST_CASE(
    "signal handlers replaced by a library are restored, and signals that arrived meanwhile are delivered to ours") {
  void (*const terminate)(int) = std::signal(SIGTERM, [](int) { ours = ours + 1; });
  void (*const abort)(int) = std::signal(SIGABRT, SIG_DFL);
  {
    const SavedSignalHandlers kept;
    std::signal(SIGTERM, [](int) { theirs = theirs + 1; });
    std::signal(SIGABRT, [](int) { theirs = theirs + 1; });
    std::raise(SIGTERM);
    CHECK(ours + theirs == 0);
  }
  CHECK(ours == 1);
  CHECK(theirs == 0);
  std::raise(SIGTERM);
  CHECK(ours == 2);
  CHECK((std::signal(SIGABRT, abort) == SIG_DFL));
  std::signal(SIGTERM, terminate);
}
