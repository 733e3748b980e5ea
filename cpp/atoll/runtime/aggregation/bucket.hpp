// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/types.hpp>
#include <cstddef>

namespace atl {

/// The most buckets a vector kernel serves. Beyond that, one comparison per bucket costs more than one store per
/// record.
inline constexpr Rank kMaxBuckets = 16;
/// A kernel may write this many bytes beyond a bucket's limit: one step of 16-byte records and one vector.
inline constexpr std::size_t kBucketSlack = 320;
/// A kernel takes this many records at a time and leaves a smaller rest to the caller.
inline constexpr std::size_t kBucketStep = 16;

/// Distributes records: record i goes to bucket to[i]. at[b] is where bucket b continues, limit[b] where the caller
/// must empty it. Stops when a bucket reaches its limit or fewer than kBucketStep records are left; returns how many it
/// took.
using BucketKernel = std::size_t (*)(const Rank* to, const void* records, std::size_t n, Rank buckets, std::byte** at,
                                     std::byte* const* limit);

/// The kernel for records of 4, 8 or 16 bytes on this machine. nullptr if there is none: append one by one.
BucketKernel bucket_kernel(std::size_t record_bytes, Rank buckets);

}  // namespace atl
