// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/base/array.hpp>
#include <atoll/base/index_range.hpp>
#include <atoll/base/parallel.hpp>
#include <atoll/base/types.hpp>
#include <bit>
#include <span>
#include <vector>

namespace atl {

enum class Repeats { dropped, kept };

/// Numbers of rows in ascending order, and the position of each.
///
///     const RowIndex index(team, count, needed, {begin, end}, budget);    // those outside [begin, end), each once
///     index.rows()[index.position(row)] == row
///
/// By a bit for each of the `count` rows that there are, where these take at most `budget` bytes and less than the
/// list: then a position is one look-up. Else, and where repeated numbers are kept, by sorting and binary search.
class RowIndex {
 public:
  RowIndex() = default;
  /// `needed` are in [0, count), in any order, any number of times.
  RowIndex(Team& team, Vertex count, std::span<const Vertex> needed, IndexRange without, std::size_t budget,
           Repeats repeats = Repeats::dropped);

  std::span<const Vertex> rows() const { return rows_; }
  /// The first of a number that is repeated.
  std::size_t position(Vertex row) const {
    if (bits_.empty())
      return static_cast<std::size_t>(std::lower_bound(rows_.begin(), rows_.end(), row) - rows_.begin());
    const auto at = static_cast<std::size_t>(row);
    const std::uint64_t below = bits_[at / 64] & ((std::uint64_t{1} << (at % 64)) - 1);
    return before_[at / 64] + static_cast<std::size_t>(std::popcount(below));
  }
  std::size_t memory_bytes() const {
    return rows_.size() * sizeof(Vertex) + bits_.size() * sizeof(std::uint64_t) +
           before_.size() * sizeof(std::uint32_t);
  }

 private:
  std::vector<Vertex> rows_;
  Array<std::uint64_t> bits_;    // [row / 64]
  Array<std::uint32_t> before_;  // [row / 64] rows before that word
};

}  // namespace atl
