// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/order/locality.hpp>
#include <atoll/order/rows.hpp>
#include <cmath>
#include <vector>

namespace atl {
namespace {

constexpr std::size_t kChunkRows = 1024;  // a chunk; its sums are added in the order of chunks

struct Sums {
  std::int64_t bandwidth = 0;
  double distance = 0, log2_gaps = 0;
  Edge gaps = 0, inside = 0;
};

}  // namespace

Locality locality_of(Team& team, const SparsePattern& a, std::int64_t parts, std::span<const Local> numbers) {
  check(parts >= 1, "locality is asked for {} parts (at least one). Give a larger number.", parts);
  check(
      numbers.empty() || (a.rows == a.columns && a.rows == static_cast<std::int64_t>(numbers.size())),
      "{} new numbers are given for {} rows and {} columns (there must be as many of each). Pass those of this matrix.",
      numbers.size(), a.rows, a.columns);
  const auto rows = static_cast<std::size_t>(a.rows);
  std::vector<Sums> chunks(rows / kChunkRows + 1);
  std::vector<std::vector<Local>> scratch(static_cast<std::size_t>(team.size()));
  team.for_range(rows, kChunkRows, [&](int thread, std::size_t begin, std::size_t end) {
    Sums& sums = chunks[begin / kChunkRows];
    auto& columns = scratch[thread];
    for (std::size_t k = begin; k < end; ++k) {
      const auto old = order::row(a, static_cast<Local>(k));
      columns.assign(old.begin(), old.end());
      if (!numbers.empty())
        for (Local& column : columns) column = numbers[column];
      if (!std::ranges::is_sorted(columns)) std::ranges::sort(columns);
      const std::int64_t i = numbers.empty() ? static_cast<std::int64_t>(k) : numbers[k];
      // Part p has rows [rows * p / parts, rows * (p + 1) / parts), and columns alike.
      const auto part = static_cast<std::int64_t>((static_cast<__int128>(i + 1) * parts - 1) / a.rows);
      const auto first = static_cast<std::int64_t>(static_cast<__int128>(a.columns) * part / parts),
                 last = static_cast<std::int64_t>(static_cast<__int128>(a.columns) * (part + 1) / parts);
      for (std::size_t e = 0; e < columns.size(); ++e) {
        const std::int64_t j = columns[e], distance = std::abs(i - j);
        sums.bandwidth = std::max(sums.bandwidth, distance);
        sums.distance += static_cast<double>(distance);
        sums.inside += j >= first && j < last;
        if (e == 0) continue;
        sums.log2_gaps += std::log2(1 + static_cast<double>(j - columns[e - 1]));
        ++sums.gaps;
      }
    }
  });
  Sums all;
  for (const Sums& s : chunks) {
    all.bandwidth = std::max(all.bandwidth, s.bandwidth);
    all.distance += s.distance;
    all.log2_gaps += s.log2_gaps;
    all.gaps += s.gaps;
    all.inside += s.inside;
  }
  Locality out{.nonzeros = a.nonzeros(), .bandwidth = all.bandwidth};
  if (out.nonzeros > 0) {
    out.mean_distance = all.distance / static_cast<double>(out.nonzeros);
    out.inside_blocks = static_cast<double>(all.inside) / static_cast<double>(out.nonzeros);
  }
  if (all.gaps > 0) out.mean_log2_gap = all.log2_gaps / static_cast<double>(all.gaps);
  return out;
}

}  // namespace atl
