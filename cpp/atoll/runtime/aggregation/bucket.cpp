// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/isa.hpp>
#include <atoll/runtime/aggregation/bucket.hpp>

namespace atl {

#if defined(__x86_64__)
BucketKernel bucket_kernel_avx512(std::size_t record_bytes);  // bucket_avx512.cpp
#endif

BucketKernel bucket_kernel(std::size_t record_bytes, Rank buckets) {
#if defined(__x86_64__)
  static const bool has_avx512 = chosen_isa() >= Isa::avx512;
  if (has_avx512 && buckets <= kMaxBuckets) return bucket_kernel_avx512(record_bytes);
#endif
  static_cast<void>(record_bytes);
  static_cast<void>(buckets);
  return nullptr;
}

}  // namespace atl
