// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/files/checksum.hpp>
#include <atoll/base/random.hpp>
#include <string>
#include <vector>

using namespace atl;

TEST_CASE("the checksum is XXH3") {
  CHECK(checksum("", 0) == 0x2d06800538d394c2);
  CHECK(checksum("a", 1) == 0xe6c632b61e964e1f);
}

TEST_CASE("every flipped bit and every cut changes a checksum, in each of XXH3's ranges of lengths") {
  for (const std::size_t n : {3u, 8u, 16u, 100u, 240u, 241u, 1500u}) {
    std::vector<char> bytes(n);
    for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<char>(random_at(1, i));
    const std::uint64_t sum = checksum(bytes.data(), n);
    std::size_t missed = checksum(bytes.data(), n - 1) == sum;
    for (std::size_t bit = 0; bit < 8 * n; ++bit) {
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
      missed += checksum(bytes.data(), n) == sum;
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    }
    CHECK(missed == 0);
    CHECK(checksum(bytes.data(), n) == sum);
  }
}
