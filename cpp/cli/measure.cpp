// SPDX-License-Identifier: Apache-2.0
#include "measure.hpp"

#include <sched.h>

#include <algorithm>
#include <atoll/base/parallel.hpp>
#include <atoll/base/timer.hpp>
#include <atomic>

namespace atl::cli {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Half a round trip between two threads. The other thread moves off this one's core, whatever core the launcher has
// bound the rank to.
double cache_line_ping_ns() {
  const int here = sched_getcpu();
  constexpr int kTrips = 20000;
  alignas(128) std::atomic<int> line{0};
  std::thread other([&] {
    cpu_set_t elsewhere;
    CPU_ZERO(&elsewhere);
    for (int c = 0; c < static_cast<int>(std::thread::hardware_concurrency()); ++c)
      if (c != here) CPU_SET(c, &elsewhere);
    sched_setaffinity(0, sizeof elsewhere, &elsewhere);
    for (int i = 0; i < kTrips; ++i) {
      for (Backoff b; line.load(std::memory_order_acquire) != 2 * i + 1;)
        if (!b.pause()) b.reset();
      line.store(2 * i + 2, std::memory_order_release);
    }
  });
  Timer timer;
  for (int i = 0; i < kTrips; ++i) {
    line.store(2 * i + 1, std::memory_order_release);
    for (Backoff b; line.load(std::memory_order_acquire) != 2 * i + 2;)
      if (!b.pause()) b.reset();
  }
  const double seconds = timer.seconds();
  other.join();
  return seconds / kTrips / 2 * 1e9;
}

}  // namespace atl::cli
