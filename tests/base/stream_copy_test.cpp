// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/stream_copy.hpp>
#include <vector>

namespace {

std::vector<std::byte> pattern(std::size_t bytes) {
  std::vector<std::byte> v(bytes);
  for (std::size_t i = 0; i < bytes; ++i) v[i] = static_cast<std::byte>(i * 131 + i / 251);
  return v;
}

void check_copy(std::size_t bytes, std::size_t to_offset, std::size_t from_offset) {
  const std::vector<std::byte> source = pattern(bytes + from_offset);
  std::vector<std::byte> target(bytes + to_offset + 64, std::byte{0xee});
  atl::stream_copy(target.data() + to_offset, source.data() + from_offset, bytes);
  for (std::size_t i = 0; i < target.size(); ++i) {
    const bool inside = i >= to_offset && i < to_offset + bytes;
    if (target[i] != (inside ? source[i - to_offset + from_offset] : std::byte{0xee})) {
      FAIL("byte " << i << " of " << bytes << " at " << to_offset);
    }
  }
}

}  // namespace

TEST_CASE("a streaming copy copies every byte and changes no other, for any offsets") {
  for (const std::size_t bytes : {0, 1, 63, 64, 65, 255, 256, 319, 320, 1000, 4096, 65543})
    for (const std::size_t to : {0, 1, 16, 63})
      for (const std::size_t from : {0, 7}) check_copy(bytes, to, from);
  atl::stream_copy(nullptr, nullptr, 0);
}
