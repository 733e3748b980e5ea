// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/isa/kernel_variants.hpp>
#include <atoll/runtime/aggregation/bucket.hpp>

namespace atl {

BucketKernel bucket_kernel_avx2(std::size_t record_bytes);    // bucket_avx2.cpp
BucketKernel bucket_kernel_avx512(std::size_t record_bytes);  // bucket_avx512.cpp

static BucketKernel bucket_kernel_portable(std::size_t) { return nullptr; }

BucketKernel bucket_kernel(std::size_t record_bytes, Rank buckets) {
  static const auto of_records = ATOLL_KERNEL_VARIANTS(bucket_kernel).at(chosen_isa());
  return buckets <= kMaxBuckets ? of_records(record_bytes) : nullptr;
}

}  // namespace atl
