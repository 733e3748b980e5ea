// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atoll/base/array.hpp>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

/// A pool of memory blocks with a free list per size class. A block is a head and a power of two of bytes.
/// Single-threaded.
///
///     const int size_class = SizeClassPool::class_of(bytes);
///     std::uint32_t block = pool.take(size_class);    // pool.at(block) has kHead + capacity(size_class) bytes
///     pool.give_back(block, size_class);
namespace atl {

class SizeClassPool {
 public:
  static constexpr std::size_t kHead = 64, kSmallest = 64;

  static int class_of(std::size_t bytes) {
    return bytes <= kSmallest ? 0 : static_cast<int>(std::bit_width((bytes - 1) / kSmallest));
  }
  static std::size_t capacity(int size_class) { return kSmallest << size_class; }

  /// Throws std::bad_alloc.
  std::uint32_t take(int size_class) {
    std::uint32_t& first = free_[size_class];
    if (first == kNone) return fresh(size_class);
    const std::uint32_t block = first;
    first = *reinterpret_cast<std::uint32_t*>(at(block));
    return block;
  }
  void give_back(std::uint32_t block, int size_class) {
    std::uint32_t& first = free_[size_class];
    *reinterpret_cast<std::uint32_t*>(at(block)) = first;
    first = block;
  }
  std::byte* at(std::uint32_t block) { return chunks_[block / kUnitsPerChunk].data() + block % kUnitsPerChunk * kUnit; }
  /// The bytes ever taken from the system.
  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constexpr std::size_t kUnit = 64;
  static constexpr std::uint32_t kUnitsPerChunk = 1 << 17;
  static constexpr std::size_t kChunk = kUnit * kUnitsPerChunk;

  std::uint32_t fresh(int size_class);

  std::vector<Array<std::byte>> chunks_;  // each of kChunk bytes, or one larger block
  std::size_t used_ = kChunk;             // bytes used of the last one
  std::size_t bytes_ = 0;
  std::array<std::uint32_t, 32> free_ = [] {
    std::array<std::uint32_t, 32> none;
    none.fill(kNone);
    return none;
  }();
};

}  // namespace atl
