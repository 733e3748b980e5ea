// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/transport/shared_memory/size_class_pool.hpp>

namespace atl {

std::uint32_t SizeClassPool::fresh(int size_class) {
  const std::size_t need = kHead + capacity(size_class);
  if (used_ + need > kChunk) {
    chunks_.emplace_back(std::max(need, kChunk));  // large pages, because blocks are accessed in any order
    used_ = 0;
  }
  const auto block = static_cast<std::uint32_t>((chunks_.size() - 1) * kUnitsPerChunk + used_ / kUnit);
  used_ += need;
  bytes_ += need;
  return block;
}

}  // namespace atl
