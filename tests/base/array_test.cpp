// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atoll/base/array.hpp>
#include <cerrno>
#include <cstdint>
#include <new>
#include <numeric>
#include <vector>

using namespace atl;

namespace {

// Around the allocator's threshold, one page, one huge page, and odd sizes between them.
const std::vector<std::size_t> kSizes = {0,     1,     2,      63,     64,     1000,   65535,
                                         65536, 65537, 131072, 524287, 524288, 524289, 1000003};

bool is_mapped(const void* address) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  unsigned char resident = 0;
  void* start = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(address) / page * page);
  return mincore(start, 1, &resident) == 0 || errno != ENOMEM;
}

Array<std::uint32_t> counting(std::size_t n) {
  Array<std::uint32_t> a(n);
  std::iota(a.begin(), a.end(), 0u);
  return a;
}

bool counts_up(const Array<std::uint32_t>& a) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != i) return false;
  return true;
}

}  // namespace

TEST_CASE("an array starts on a cache line and holds what is written") {
  for (const std::size_t n : kSizes) {
    CAPTURE(n);
    const Array<std::uint32_t> a = counting(n);
    CHECK(a.size() == n);
    CHECK(a.empty() == (n == 0));
    CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % 64 == 0);
    CHECK(counts_up(a));
  }
}

TEST_CASE("an array of 2 MiB and more starts on a huge page and is initially zero") {
  const Array<std::uint64_t> a((std::size_t{2} << 20) / 8 + 1);
  CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % (std::size_t{2} << 20) == 0);
  CHECK(std::accumulate(a.begin(), a.end(), std::uint64_t{0}) == 0);
}

TEST_CASE("a filled array has the value everywhere") {
  const Array<std::int64_t> a(70000, -7);
  CHECK(std::accumulate(a.begin(), a.end(), std::int64_t{0}) == -7 * 70000);
}

TEST_CASE("truncate keeps the front, at every size, also step by step down to 0") {
  for (const std::size_t n : kSizes)
    for (const std::size_t m : kSizes) {
      Array<std::uint32_t> a = counting(n);
      a.truncate(m);
      CHECK(a.size() == std::min(n, m));
      CHECK(counts_up(a));
    }
  Array<std::uint32_t> a = counting(1000003);
  for (std::size_t n = a.size(); n > 0; n /= 3) {
    a.truncate(n);
    CHECK(a.size() == n);
    CHECK(counts_up(a));
  }
  a.truncate(0);
  CHECK(a.empty());
}

TEST_CASE("truncate gives pages back to the kernel") {
  Array<std::uint32_t> a = counting(std::size_t{4} << 20);
  const std::uint32_t* behind = a.data() + (std::size_t{3} << 20);
  CHECK(is_mapped(behind));
  a.truncate(std::size_t{1} << 20);
  CHECK_FALSE(is_mapped(behind));
  CHECK(counts_up(a));
}

TEST_CASE("narrow keeps the bytes in front and can be repeated") {
  for (const std::size_t n : kSizes) {
    CAPTURE(n);
    Array<std::uint64_t> wide(n);
    auto* bytes = reinterpret_cast<std::byte*>(wide.data());
    for (std::size_t i = 0; i < n; ++i) {
      const auto x = static_cast<std::uint32_t>(i);
      std::memcpy(bytes + i * sizeof x, &x, sizeof x);
    }
    Array<std::uint32_t> dense = std::move(wide).narrow<std::uint32_t>(n);
    CHECK(wide.empty());
    CHECK(dense.size() == n);
    CHECK(counts_up(dense));
    const Array<std::uint16_t> half = std::move(dense).narrow<std::uint16_t>(n);
    CHECK(half.size() == n);
    if (n > 2) CHECK(half[2] == 1);  // the low half of the second number
  }
}

TEST_CASE("a moved-from array is empty, and assignment frees the old memory") {
  Array<std::uint32_t> a = counting(300000), b = counting(10);
  b = std::move(a);
  CHECK(a.size() == 0);
  CHECK(b.size() == 300000);
  CHECK(counts_up(b));
  Array<std::uint32_t> c(std::move(b));
  CHECK(b.empty());
  b = {};
  CHECK(b.empty());
  c.swap(b);
  CHECK(counts_up(b));
}

TEST_CASE("an impossible size is bad_alloc, not a small array") {
  CHECK_THROWS_AS(Array<std::int64_t>((std::size_t{1} << 61) + 1), std::bad_alloc);
  CHECK_THROWS_AS(Array<std::byte>(SIZE_MAX), std::bad_alloc);
  CHECK_THROWS_AS(Array<std::byte>(std::size_t{1} << 60), std::bad_alloc);
}
