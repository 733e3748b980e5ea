// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/types.hpp>
#include <cstddef>

namespace atl {

/// Most buckets that a vector kernel serves; beyond, one compare per bucket costs more than a store per record.
inline constexpr Rank kMaxBuckets = 16;
/// Bytes behind a bucket's limit that a kernel may write: one step of 16-byte records and one vector.
inline constexpr std::size_t kBucketSlack = 320;
/// Records that a kernel takes at a time; fewer are left to the caller.
inline constexpr std::size_t kBucketStep = 16;

/// Deals records out: record i goes to bucket to[i]. at[b] is where bucket b goes on, limit[b] where it must be turned.
/// Stops when a bucket reaches its limit or fewer than kBucketStep records are left; returns how many it took.
using BucketKernel = std::size_t (*)(const Rank* to, const void* records, std::size_t n, Rank buckets, std::byte** at,
                                     std::byte* const* limit);

/// The kernel for records of 4, 8 or 16 bytes on this machine, or nullptr: then append one by one.
BucketKernel bucket_kernel(std::size_t record_bytes, Rank buckets);

}  // namespace atl
