// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/runtime/aggregation/termination.hpp>
#include <csignal>
#include <optional>

using atl::TerminationNotice;

TEST_CASE("SIGTERM is recorded while there is a listener, and the previous handler is restored") {
  static volatile std::sig_atomic_t ended = 0;
  void (*const old)(int) = std::signal(SIGTERM, [](int) { ended = 1; });
  {
    std::optional<TerminationNotice> first(std::in_place), second(std::in_place);
    CHECK_FALSE(first->given());
    first.reset();
    std::raise(SIGTERM);
    std::raise(SIGTERM);
    CHECK(second->given());
    CHECK(TerminationNotice().given());
  }
  CHECK(ended == 0);
  CHECK_FALSE(TerminationNotice().given());  // a new listener starts anew
  std::raise(SIGTERM);
  CHECK(ended == 1);
  std::signal(SIGTERM, old);
}
