// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/aggregation/bucket.hpp>

namespace atl {

/// The loop of the vector kernels, which knows no instruction set. Step<Bytes> is one step: its constructor loads
/// kBucketStep destinations and records; append(bucket, to) writes the records for that bucket to `to` and returns
/// where they end. Step is a type of the including file only, so that no other file's instructions are ever taken for
/// it.
template <class Step>
std::size_t distribute_steps(const Rank* to, const void* records, std::size_t n, Rank buckets, std::byte** at_out,
                             std::byte* const* limit) {
  const auto* in = static_cast<const std::byte*>(records);
  std::byte* at[kMaxBuckets];
  for (Rank b = 0; b < buckets; ++b) at[b] = at_out[b];
  std::size_t i = 0;
  bool full = false;
  for (; i + kBucketStep <= n && !full; i += kBucketStep) {
    const Step step(to + i, in + i * Step::kBytes);
    for (Rank b = 0; b < buckets; ++b) {
      __builtin_prefetch(at[b] + 256);
      at[b] = step.append(b, at[b]);
      full |= at[b] >= limit[b];
    }
  }
  for (Rank b = 0; b < buckets; ++b) at_out[b] = at[b];
  return i;
}

template <template <std::size_t> class Step>
BucketKernel vector_bucket_kernel(std::size_t record_bytes) {
  switch (record_bytes) {
    case 4:
      return distribute_steps<Step<4>>;
    case 8:
      return distribute_steps<Step<8>>;
    case 16:
      return distribute_steps<Step<16>>;
    default:
      return nullptr;
  }
}

}  // namespace atl
