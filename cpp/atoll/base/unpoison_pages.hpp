// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace atl {

/// Clears the address sanitizer's marks on newly mapped pages. It may still treat them as the stack of an ended thread,
/// redzones included, and would report writes to them.
inline void unpoison_pages([[maybe_unused]] void* address, [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  ASAN_UNPOISON_MEMORY_REGION(address, bytes);
#endif
}

}  // namespace atl
