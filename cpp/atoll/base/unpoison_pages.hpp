// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace atl {

/// Pages that the kernel has just mapped. The address sanitizer may still take their place for the stack of a thread that
/// has ended there, redzones included, and report whoever writes to it.
inline void unpoison_pages([[maybe_unused]] void* address, [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  ASAN_UNPOISON_MEMORY_REGION(address, bytes);
#endif
}

}  // namespace atl
