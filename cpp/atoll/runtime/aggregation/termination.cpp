// SPDX-License-Identifier: Apache-2.0
#include <atoll/runtime/aggregation/termination.hpp>
#include <atoll/runtime/world.hpp>
#include <atomic>
#include <csignal>
#include <mutex>

namespace atl {
namespace {

// A signal handler can reach only globals. The process has one handler for all its ranks, which may be threads.
std::atomic<bool> came{false};
std::mutex lock;
int listeners = 0;
struct sigaction before {};

}  // namespace

void stop_run(World& world, const std::string& text) {
  try {
    world.collective_try([&] { throw RunStopped(text); });
  } catch (const Error&) {  // of a class that agreement does not know
  }
  throw RunStopped(text);
}

TerminationNotice::TerminationNotice() {
  const std::lock_guard hold(lock);
  if (listeners++ > 0) return;
  came = false;
  struct sigaction action {};
  action.sa_handler = [](int) { came.store(true, std::memory_order_relaxed); };
  action.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &action, &before);
}

TerminationNotice::~TerminationNotice() {
  const std::lock_guard hold(lock);
  if (--listeners == 0) sigaction(SIGTERM, &before, nullptr);
}

bool TerminationNotice::given() const { return came.load(std::memory_order_relaxed); }

}  // namespace atl
