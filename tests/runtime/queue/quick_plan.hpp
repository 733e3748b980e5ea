// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/plan.hpp>

// A plan with small buffers, so that every path of a queue is taken by few messages.
inline atl::Plan quick(const char* progress = "inline") {
  atl::Plan plan;
  plan.threads = 1;
  plan.slot_bytes = 4096;
  plan.ring_bytes = 4096;
  plan.eager_bytes = 512;
  plan.packets = 64;
  plan.progress = progress;
  plan.timeout_seconds = 60;
  return plan;
}
