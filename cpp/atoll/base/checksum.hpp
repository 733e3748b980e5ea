// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/random.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>

/// A checksum of blocks in files: finds damage, not forgery.
///
///     const std::uint64_t sum = checksum(block.data(), bytes);   // about the speed of memory
namespace atl {

/// Four lanes, so that the multiplications overlap. A step is a bijection of the lane for a given word and of the word
/// for a given lane, so damage inside one word cannot cancel out.
inline std::uint64_t checksum(const void* data, std::size_t n) {
  const auto* p = static_cast<const char*>(data);
  std::uint64_t lanes[4] = {0x9e3779b97f4a7c15u, 0xbf58476d1ce4e5b9u, 0x94d049bb133111ebu, 0x2545f4914f6cdd1du};
  const auto step = [&](const char* words) {
    for (int i = 0; i < 4; ++i) {
      std::uint64_t word;
      std::memcpy(&word, words + 8 * i, sizeof word);
      const std::uint64_t h = (lanes[i] ^ word) * 0xd6e8feb86659fd93u;
      lanes[i] = h ^ (h >> 32);
    }
  };
  std::size_t left = n;
  for (; left >= 32; left -= 32, p += 32) step(p);
  if (left > 0) {
    char rest[32] = {};
    std::memcpy(rest, p, left);
    step(rest);
  }
  return mix64(mix64(mix64(mix64(lanes[0]) + lanes[1]) + lanes[2]) + lanes[3]) + left;
}

}  // namespace atl
