// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cxxabi.h>

#include <array>
#include <cstddef>
#include <cstring>

namespace atl {

/// The C++ runtime's per-thread state of active exceptions. Each stack has its own copy, so a handler may wait while
/// other stacks run in the same thread.
///
///     ExceptionsUnderWay mine;
///     mine.swap();  suspend();  mine.swap();
class ExceptionsUnderWay {
 public:
  void swap() {
    std::array<std::byte, kBytes> here;
    auto* globals = reinterpret_cast<std::byte*>(abi::__cxa_get_globals());
    std::memcpy(here.data(), globals, kBytes);
    std::memcpy(globals, kept_.data(), kBytes);
    kept_ = here;
  }

 private:
  static constexpr std::size_t kBytes = 2 * sizeof(void*);  // caughtExceptions and uncaughtExceptions (Itanium ABI)
  std::array<std::byte, kBytes> kept_{};
};

}  // namespace atl
