// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

/// A function with its own stack that runs until it suspends itself: thousands of ranks in one thread.
///
///     Fiber fiber([&] { step(1); fiber.suspend(); step(2); });
///     fiber.resume();   // step(1)
///     fiber.resume();   // step(2); now fiber.ended()
///
/// A switch takes some ten nanoseconds. A stack uses the memory of the pages that it touches. An overflow ends the
/// process at the guard page.
namespace atl {

class Fiber {
 public:
  /// `f` must not throw. It starts at the first resume().
  explicit Fiber(std::function<void()> f);
  ~Fiber();  // only if it has not started, or has ended
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs the fiber until it suspends itself or ends. Not from inside any fiber.
  void resume();
  /// Called inside the fiber: returns to the caller of resume().
  void suspend();
  bool ended() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace atl
