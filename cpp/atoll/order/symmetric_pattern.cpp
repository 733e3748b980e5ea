// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/order/rows.hpp>
#include <atoll/order/symmetric_pattern.hpp>
#include <vector>

namespace atl::order {
namespace {

constexpr std::size_t kPatternRows = 1024;  // a chunk

bool same(Team& team, const SparsePattern& a, const SparsePattern& ascending) {
  std::atomic<bool> all{true};
  std::vector<std::vector<Local>> sorted(static_cast<std::size_t>(team.size()));
  team.for_range(static_cast<std::size_t>(a.rows), kPatternRows, [&](int thread, std::size_t begin, std::size_t end) {
    if (!all.load(std::memory_order_relaxed)) return;
    for (std::size_t i = begin; i < end; ++i) {
      const auto mine = row(a, static_cast<Local>(i)), other = row(ascending, static_cast<Local>(i));
      bool equal = std::ranges::equal(mine, other);
      if (!equal && mine.size() == other.size() && !std::ranges::is_sorted(mine)) {
        auto& copy = sorted[thread];
        copy.assign(mine.begin(), mine.end());
        std::ranges::sort(copy);
        equal = std::ranges::equal(copy, other);
      }
      if (!equal) return all.store(false, std::memory_order_relaxed);
    }
  });
  return all.load();
}

}  // namespace

SymmetricPattern::SymmetricPattern(Team& team, const SparsePattern& a) : pattern_(a) {
  const SparseMatrix<float> transposed = transpose(team, SparseView<float>{a});
  if (same(team, a, transposed.pattern())) return;
  const auto rows = static_cast<std::size_t>(a.rows);
  offsets_ = Array<Edge>(rows + 1);
  places_ = Array<Local>(2 * a.column_indices.size());
  for (std::size_t i = 0; i <= rows; ++i) offsets_[i] = a.offsets[i] + transposed.offsets[i];
  team.for_range(rows, kPatternRows, [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Local* to = places_.data() + offsets_[i];
      for (const SparsePattern& part : {a, transposed.pattern()})
        to = std::ranges::copy(row(part, static_cast<Local>(i)), to).out;
    }
  });
  pattern_ = {a.rows, a.columns, {offsets_.data(), offsets_.size()}, {places_.data(), places_.size()}};
}

}  // namespace atl::order
