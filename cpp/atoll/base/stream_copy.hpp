// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace atl {

/// Copies to memory that another core reads next, with stores that bypass this core's caches. So no line has to be
/// fetched from the other core and taken back by it. The writes are visible to a thread that acquires what is released
/// afterwards.
inline void stream_copy(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes == 0) return;  // an empty array's address may be null, and memcpy must not see it
#if defined(__x86_64__)
  constexpr std::size_t kLine = 64;
  const std::size_t head = (kLine - reinterpret_cast<std::uintptr_t>(to) % kLine) % kLine;
  if (bytes < head + 4 * kLine) {
    std::memcpy(to, from, bytes);
    return;
  }
  std::memcpy(to, from, head);
  std::size_t at = head;
  for (; at + kLine <= bytes; at += kLine) {
    const auto* source = reinterpret_cast<const __m128i*>(from + at);
    auto* target = reinterpret_cast<__m128i*>(to + at);
    const __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1);
    const __m128i c = _mm_loadu_si128(source + 2), d = _mm_loadu_si128(source + 3);
    _mm_stream_si128(target, a);
    _mm_stream_si128(target + 1, b);
    _mm_stream_si128(target + 2, c);
    _mm_stream_si128(target + 3, d);
  }
  std::memcpy(to + at, from + at, bytes - at);
  _mm_sfence();
#else
  std::memcpy(to, from, bytes);
#endif
}

}  // namespace atl
