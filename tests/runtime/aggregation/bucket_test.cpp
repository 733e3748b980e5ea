// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/random.hpp>
#include <atoll/runtime/aggregation/bucket.hpp>
#include <cstring>
#include <vector>

#include "shapes.hpp"

using namespace atl;

namespace {

using Bytes = std::vector<std::byte>;

// The reference for a kernel, one record at a time; a kernel may stop only where a bucket has reached its limit.
void check_kernel(std::size_t record, Rank buckets, std::size_t n, std::size_t capacity, std::uint64_t seed) {
  const BucketKernel kernel = bucket_kernel(record, buckets);
  if (!kernel) return;
  CAPTURE(record);
  CAPTURE(buckets);
  CAPTURE(n);
  CAPTURE(seed);
  Random random(seed);
  std::vector<Rank> to(n);
  Bytes records(n * record);
  for (auto& t : to) t = static_cast<Rank>(random.below(static_cast<std::uint64_t>(buckets)));
  for (auto& b : records) b = static_cast<std::byte>(random());

  const auto b = static_cast<std::size_t>(buckets);
  constexpr std::byte kGuard{0xa5};
  std::vector<Bytes> lanes(b, Bytes(capacity + kBucketSlack + 64, kGuard)), expected(b), got(b);
  for (std::size_t i = 0; i < n; ++i) {
    auto& e = expected[static_cast<std::size_t>(to[i])];
    e.insert(e.end(), records.begin() + static_cast<std::ptrdiff_t>(i * record),
             records.begin() + static_cast<std::ptrdiff_t>((i + 1) * record));
  }
  std::size_t done = 0;
  bool good = true;
  while (done < n) {
    std::vector<std::byte*> at(b), limit(b);
    for (std::size_t k = 0; k < b; ++k) {
      at[k] = lanes[k].data();
      limit[k] = lanes[k].data() + capacity;
    }
    const std::size_t took =
        kernel(to.data() + done, records.data() + done * record, n - done, buckets, at.data(), limit.data());
    good = good && took % kBucketStep == 0 && took <= n - done;
    bool reached = false;
    for (std::size_t k = 0; k < b; ++k) {
      reached = reached || at[k] >= limit[k];
      good = good && at[k] - lanes[k].data() <= static_cast<std::ptrdiff_t>(capacity + kBucketSlack);
      got[k].insert(got[k].end(), lanes[k].data(), at[k]);
      for (std::size_t g = capacity + kBucketSlack; g < lanes[k].size(); ++g) good = good && lanes[k][g] == kGuard;
    }
    good = good && (reached || n - done - took < kBucketStep);
    done += took;
    if (!reached) break;
  }
  // The remaining records are left to the caller.
  for (std::size_t i = done; i < n; ++i)
    got[static_cast<std::size_t>(to[i])].insert(got[static_cast<std::size_t>(to[i])].end(),
                                                records.begin() + static_cast<std::ptrdiff_t>(i * record),
                                                records.begin() + static_cast<std::ptrdiff_t>((i + 1) * record));
  CHECK(good);
  CHECK(n - done < kBucketStep);
  CHECK(got == expected);
}

}  // namespace

TEST_CASE("a kernel distributes records like a scalar loop, in order, and writes nothing beyond its slack") {
  for (const std::size_t record : {4u, 8u, 16u})
    for (Rank buckets = 1; buckets <= kMaxBuckets; buckets += shapes::kSanitized ? 5 : 1)
      for (const std::size_t n : {0u, 1u, 15u, 16u, 17u, 160u, 1003u})
        for (const std::size_t capacity : {64u, 512u, 1u << 16})
          check_kernel(record, buckets, n, capacity, record + n + static_cast<std::size_t>(buckets));
}

TEST_CASE("there is no kernel for other record sizes or more buckets") {
  for (const std::size_t record : {1u, 2u, 3u, 5u, 12u, 20u, 24u, 32u})
    CHECK_UNARY_FALSE(static_cast<bool>(bucket_kernel(record, 2)));
  for (const std::size_t record : {4u, 8u, 16u})
    CHECK_UNARY_FALSE(static_cast<bool>(bucket_kernel(record, kMaxBuckets + 1)));
}
