// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/base/random.hpp>
#include <vector>

using namespace atl;

TEST_CASE("a bit permutation is a bijection") {
  for (int bits = 1; bits <= 14; ++bits)
    for (const std::uint64_t seed : {0ull, 1ull, 2ull, 77ull, ~0ull}) {
      CAPTURE(bits);
      CAPTURE(seed);
      const BitPermutation permute(bits, seed);
      const std::uint64_t n = std::uint64_t{1} << bits;
      std::vector<bool> hit(n);
      std::uint64_t outside = 0, twice = 0;
      for (std::uint64_t x = 0; x < n; ++x) {
        const std::uint64_t y = permute(x);
        if (y >= n) {
          ++outside;
          continue;
        }
        twice += hit[y];
        hit[y] = true;
      }
      CHECK(outside == 0);
      CHECK(twice == 0);
    }
}

TEST_CASE("a wide bit permutation stays in its range and has no repeated value among those tried") {
  for (const int bits : {31, 32, 33, 48, 61, 62}) {
    CAPTURE(bits);
    const BitPermutation permute(bits, 5);
    const std::uint64_t n = std::uint64_t{1} << bits;
    std::vector<std::uint64_t> seen;
    for (std::uint64_t i = 0; i < 20000; ++i) {
      seen.push_back(permute(i));
      seen.push_back(permute(n - 1 - i));
    }
    CHECK(*std::max_element(seen.begin(), seen.end()) < n);
    std::sort(seen.begin(), seen.end());
    CHECK(std::adjacent_find(seen.begin(), seen.end()) == seen.end());
  }
}

TEST_CASE("a permutation moves most numbers, and another seed moves them elsewhere") {
  const BitPermutation one(16, 1), two(16, 2);
  int fixed = 0, equal = 0;
  for (std::uint64_t x = 0; x < 65536; ++x) {
    fixed += one(x) == x;
    equal += one(x) == two(x);
  }
  CHECK(fixed < 100);
  CHECK(equal < 100);
}

TEST_CASE("the generator produces the words of random_at in order") {
  Random random(42);
  for (std::uint64_t i = 0; i < 100; ++i) CHECK(random() == random_at(42, i));
  CHECK(random_at(42, 0) != random_at(43, 0));
}

TEST_CASE("below(n) stays below n and reaches every value; unit lies in [0, 1)") {
  Random random(7);
  std::vector<int> hits(10);
  for (int i = 0; i < 10000; ++i) ++hits[random.below(10)];
  for (const int h : hits) CHECK(std::abs(h - 1000) < 200);
  for (int i = 0; i < 100; ++i) CHECK(random.below(1) == 0);
  double sum = 0;
  for (int i = 0; i < 10000; ++i) {
    const double u = random.unit();
    CHECK_UNARY(u >= 0 && u < 1);
    sum += u;
  }
  CHECK(sum == doctest::Approx(5000).epsilon(0.05));
}
