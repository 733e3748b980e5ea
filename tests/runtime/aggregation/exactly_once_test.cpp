// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "records.hpp"

using namespace atl;
using namespace records;

TEST_CASE("each record arrives exactly once, whatever the ranks, threads, buffers and order of delivery") {
  everywhere<2>(Sending::scalar, {});
  everywhere<5>(Sending::scalar, {.handling = Handling::serial, .handler_sends = false});
}
