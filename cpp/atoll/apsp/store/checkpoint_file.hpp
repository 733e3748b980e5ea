// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/core.h>

#include <atoll/matrix/block_cyclic.hpp>
#include <cstdint>
#include <string>

namespace atl {

/// Layout of a rank's checkpoint file: its blocks in row-major order, then the checksums of all of them.
struct RankFile {
  GridLayout layout;
  int row, col;
  std::uint64_t value_bytes;

  RankFile(const GridLayout& at, Rank rank, std::size_t bytes)
      : layout(at), row(at.grid.row_of(rank)), col(at.grid.col_of(rank)), value_bytes(bytes) {}
  std::int64_t wide() const { return layout.cols.blocks_on(col); }
  std::int64_t blocks() const { return layout.rows.blocks_on(row) * wide(); }
  std::int64_t block_row(std::int64_t k) const { return k / wide() * layout.rows.parts + row; }
  std::int64_t block_col(std::int64_t k) const { return k % wide() * layout.cols.parts + col; }
  std::uint64_t bytes_of(std::int64_t k) const {
    return values(layout.rows.length_of(block_row(k)), layout.cols.length_of(block_col(k)));
  }
  std::uint64_t begin_of(std::int64_t k) const {
    const std::int64_t i = block_row(k), j = block_col(k);
    return values(layout.rows.local_begin(i), layout.cols.size_on(col)) +
           values(layout.rows.length_of(i), layout.cols.local_begin(j));
  }
  std::uint64_t table_begin() const { return values(layout.rows.size_on(row), layout.cols.size_on(col)); }
  std::uint64_t bytes() const { return table_begin() + static_cast<std::uint64_t>(blocks()) * 8; }

 private:
  std::uint64_t values(std::int64_t rows, std::int64_t cols) const {
    return static_cast<std::uint64_t>(rows * cols) * value_bytes;
  }
};

inline std::string name_of_rank(Rank rank) { return fmt::format("rank-{}.blocks", rank); }

}  // namespace atl
