// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/engine/halo/row_index.hpp>
#include <atomic>

namespace atl {

RowIndex::RowIndex(Team& team, Vertex count, std::span<const Vertex> needed, IndexRange without, std::size_t budget,
                   Repeats repeats) {
  constexpr std::size_t kGrain = std::size_t{1} << 16;
  const auto is_wanted = [&](Vertex row) { return row < without.begin || row >= without.end; };
  const auto words = static_cast<std::size_t>(count) / 64 + 1;
  const std::size_t bytes = words * (sizeof(std::uint64_t) + sizeof(std::uint32_t));
  if (repeats == Repeats::kept || bytes > budget || bytes > needed.size_bytes()) {
    for (const Vertex row : needed)
      if (is_wanted(row)) rows_.push_back(row);
    std::sort(rows_.begin(), rows_.end());
    if (repeats == Repeats::dropped) rows_.erase(std::unique(rows_.begin(), rows_.end()), rows_.end());
    rows_.shrink_to_fit();
    return;
  }
  bits_ = Array<std::uint64_t>(words, 0);
  team.for_range(needed.size(), kGrain, [&](int, std::size_t begin, std::size_t end) {
    for (const Vertex row : needed.subspan(begin, end - begin)) {
      if (!is_wanted(row)) continue;
      const std::atomic_ref word(bits_[static_cast<std::size_t>(row) / 64]);
      const std::uint64_t bit = std::uint64_t{1} << (row % 64);
      if (!(word.load(std::memory_order_relaxed) & bit)) word.fetch_or(bit, std::memory_order_relaxed);
    }
  });
  before_ = Array<std::uint32_t>(words);
  std::uint32_t total = 0;
  for (std::size_t w = 0; w < words; ++w) {
    before_[w] = total;
    total += static_cast<std::uint32_t>(std::popcount(bits_[w]));
  }
  rows_.reserve(total);
  for (std::size_t w = 0; w < words; ++w)
    for (std::uint64_t word = bits_[w]; word; word &= word - 1)
      rows_.push_back(static_cast<Vertex>(w * 64) + std::countr_zero(word));
}

}  // namespace atl
