// SPDX-License-Identifier: Apache-2.0
#include <atoll/engine/halo/halo_rows.hpp>

namespace atl {

HaloRows HaloRows::range(std::size_t begin, std::size_t count) {
  HaloRows rows;
  rows.begin_ = begin;
  rows.size_ = count;
  rows.is_range_ = true;
  return rows;
}

HaloRows HaloRows::listed(std::vector<Local> list) {
  std::size_t k = 0;
  while (k < list.size() && list[k] == list[0] + static_cast<Local>(k)) ++k;
  if (!list.empty() && k == list.size()) return range(static_cast<std::size_t>(list[0]), k);
  HaloRows rows;
  rows.size_ = list.size();
  rows.list_ = std::move(list);
  return rows;
}

HaloRows HaloRows::masked(const std::vector<const Array<std::uint64_t>*>& masks, bool by_words) {
  std::vector<Local> list;
  for (const auto* mask : masks) for_bits(*mask, [&](std::size_t row) { list.push_back(static_cast<Local>(row)); });
  HaloRows rows = listed(std::move(list));
  if (!by_words) return rows;
  for (const auto* mask : masks) {
    Group& group = rows.groups_.emplace_back(Group{mask, {}});
    std::uint32_t count = 0;
    for (const std::uint64_t word : *mask)
      group.before.push_back(std::exchange(count, count + static_cast<std::uint32_t>(std::popcount(word))));
  }
  return rows;
}

std::size_t HaloRows::memory_bytes() const {
  std::size_t bytes = list_.size() * sizeof(Local);
  for (const Group& group : groups_) bytes += group.before.size() * sizeof(std::uint32_t);
  return bytes;
}

}  // namespace atl
