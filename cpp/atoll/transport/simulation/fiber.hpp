// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

/// A stack of its own on which a function runs until it suspends itself: thousands of ranks in one thread.
///
///     Fiber fiber([&] { step(1); fiber.suspend(); step(2); });
///     fiber.resume();   // step(1)
///     fiber.resume();   // step(2); now fiber.ended()
///
/// A switch costs some ten nanoseconds, a stack the pages that it touches. Overrunning one ends the process at its
/// guard page.
namespace atl {

class Fiber {
 public:
  /// `f` must not throw. It begins at the first resume().
  explicit Fiber(std::function<void()> f);
  ~Fiber();  // of one that has not begun, or has ended
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs it until it suspends itself or ends. Not from inside any fiber.
  void resume();
  /// From inside: back to where resume() was called.
  void suspend();
  bool ended() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace atl
