// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// Numbers in as few bytes as they need: seven bits a byte, the lowest first, and a bit that says whether more follow.
///
///     put_varint(bytes, 300);
///     std::span<const std::byte> rest(bytes);
///     take_varint(rest);                       // 300; none where the bytes end before the number does
namespace atl {

inline void put_varint(std::vector<std::byte>& bytes, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) bytes.push_back(static_cast<std::byte>(number | 0x80));
  bytes.push_back(static_cast<std::byte>(number));
}

inline std::optional<std::uint64_t> take_varint(std::span<const std::byte>& bytes) {
  constexpr int kBits = 7, kMostBytes = 10;
  std::uint64_t number = 0;
  for (int k = 0; k < kMostBytes && static_cast<std::size_t>(k) < bytes.size(); ++k) {
    const auto byte = static_cast<std::uint64_t>(bytes[static_cast<std::size_t>(k)]);
    number |= (byte & 0x7f) << (kBits * k);
    if (byte < 0x80) {
      bytes = bytes.subspan(static_cast<std::size_t>(k) + 1);
      return number;
    }
  }
  return std::nullopt;
}

}  // namespace atl
