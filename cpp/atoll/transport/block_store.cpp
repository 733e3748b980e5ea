// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/transport/block_store.hpp>

namespace atl {

std::uint32_t BlockStore::fresh(int size_class) {
  const std::size_t need = capacity(size_class);
  if (used_ + need > kChunk) {
    chunks_.push_back(Mapping::anonymous(std::max(need, kChunk)));
    used_ = 0;
  }
  const auto block = static_cast<std::uint32_t>((chunks_.size() - 1) * kUnitsPerChunk + used_ / kSmallest);
  used_ += need;
  bytes_ += need;
  return block;
}

}  // namespace atl
