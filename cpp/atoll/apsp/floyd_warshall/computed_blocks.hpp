// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/apsp/arcs/distances.hpp>
#include <atoll/apsp/floyd_warshall/floyd_warshall.hpp>
#include <atoll/apsp/floyd_warshall/grid_steps.hpp>
#include <atoll/matrix/scalar.hpp>
#include <cstring>

namespace atl {

/// The Blocks of GridSteps that really compute: what each step of Floyd-Warshall does to the matrix of one rank.
///
/// A panel message contains the panel's values row by row, then the vertex of an improving cycle, or -1. So every rank
/// that receives a diagonal block or a panel learns of the cycle, all of them in the same step.
template <class T>
class ComputedBlocks {
 public:
  using Broadcasts = PanelBroadcast;
  static PanelBroadcast broadcasts(World& world, std::vector<std::vector<Rank>> groups, BroadcastOptions options) {
    return PanelBroadcast(world, std::move(groups), options);
  }

  ComputedBlocks(World& world, const Gemm& gemm, Distances<T>& d, GridOptions::Kernel kernel)
      : team_(world.team()),
        gemm_(gemm),
        d_(d),
        rows_(d.layout.rows),
        cols_(d.layout.cols),
        kernel_(kernel),
        row_(d.layout.grid.row_of(world.rank())),
        col_(d.layout.grid.col_of(world.rank())) {
    const std::int64_t b = rows_.block;
    for (std::size_t i = 0; i < 2; ++i) {
      diagonal_[i] = buffer(b * b);
      // A rank that stores a whole panel sends none of it.
      row_panel_[i] = buffer(d.layout.grid.rows > 1 ? b * d.local.cols() : 0);
      col_panel_[i] = buffer(d.layout.grid.cols > 1 ? d.local.rows() * b : 0);
    }
  }

  PanelMemory diagonal(std::int64_t k) { return memory(diagonal_, k, rows_.length_of(k) * rows_.length_of(k)); }
  PanelMemory row_panel(std::int64_t k) {
    return memory(row_panel_, k, d_.layout.grid.rows > 1 ? rows_.length_of(k) * d_.local.cols() : 0);
  }
  PanelMemory col_panel(std::int64_t k) {
    return memory(col_panel_, k, d_.layout.grid.cols > 1 ? d_.local.rows() * cols_.length_of(k) : 0);
  }
  /// The rows of a strip of an outer product: small enough that a diagonal block does not wait long for the panel
  /// updates that follow it.
  std::int64_t strip_rows() const { return std::max<std::int64_t>(64, (d_.local.rows() + 7) / 8); }
  /// The vertex of an improving cycle that the arrived panels report, or -1.
  std::int64_t gain_vertex(std::int64_t k) { return std::max(gain_of(row_panel(k)), gain_of(col_panel(k))); }

  void close_diagonal(std::int64_t k) {
    const MatrixView<T> block = diagonal_block(k);
    std::optional<GainCycle> cycle;
    if (kernel_ == GridOptions::Kernel::tuned) {
      cycle = close_block(gemm_, team_, block);
    } else {
      with_semiring<T>(gemm_.algebra().semiring, [&](auto semiring) { cycle = close_simply(semiring, block); });
    }
    copy(block, view(diagonal(k), block.rows, block.cols));
    set_gain(diagonal(k), cycle ? rows_.begin_of(k) + cycle->vertex : -1);
  }

  void update_row(std::int64_t k, bool has_diagonal) {
    const MatrixView<T> row = here_row(k), diagonal = diagonal_view(k);
    if (gain_of(this->diagonal(k)) < 0)
      multiply(diagonal, row, row, {0, row.rows}, rest_of_panel(row.cols, has_diagonal, cols_, k));
    if (row_panel(k).bytes > sizeof(std::int64_t)) copy(row, view(row_panel(k), row.rows, row.cols));
    set_gain(row_panel(k), gain_of(this->diagonal(k)));
  }
  void update_col(std::int64_t k, bool has_diagonal) {
    const MatrixView<T> col = here_col(k), diagonal = diagonal_view(k);
    if (gain_of(this->diagonal(k)) < 0)
      for (const IndexRange& rows : rest_of_panel(col.rows, has_diagonal, rows_, k))
        multiply(col, diagonal, col, rows, {{0, col.cols}});
    if (col_panel(k).bytes > sizeof(std::int64_t)) copy(col, view(col_panel(k), col.rows, col.cols));
    set_gain(col_panel(k), gain_of(this->diagonal(k)));
  }

  /// Both panels of step k have arrived: from now on outer products use them.
  void take_panels(std::int64_t k) {
    left_view_ = cols_.part_of(k) == col_ ? here_col(k) : view(col_panel(k), d_.local.rows(), cols_.length_of(k));
    right_view_ = rows_.part_of(k) == row_ ? here_row(k) : view(row_panel(k), rows_.length_of(k), d_.local.cols());
    if (kernel_ == GridOptions::Kernel::simple) return;
    left_.pack(gemm_, team_, plain(left_view_));
    right_.pack(gemm_, team_, plain(right_view_));
  }
  /// This thread calls `on_progress` from time to time.
  template <class OnProgress>
  void outer(std::int64_t, IndexRange rows, const std::vector<IndexRange>& cols, OnProgress&& on_progress) {
    if (kernel_ == GridOptions::Kernel::simple) {
      multiply(left_view_, right_view_, d_.local.view(), rows, cols);
      on_progress();
    } else {
      gemm_.multiply<T>(team_, left_, right_, d_.local.view(), windows(rows, cols), [&] { on_progress(); });
    }
  }

 private:
  static Array<std::byte> buffer(std::int64_t values) {
    return Array<std::byte>(static_cast<std::size_t>(values) * sizeof(T) + sizeof(std::int64_t));
  }
  static PanelMemory memory(Array<std::byte> (&buffers)[2], std::int64_t k, std::int64_t values) {
    return {buffers[k % 2].data(), static_cast<std::size_t>(values) * sizeof(T) + sizeof(std::int64_t)};
  }
  static MatrixView<T> view(PanelMemory memory, std::int64_t rows, std::int64_t cols) {
    return {reinterpret_cast<T*>(memory.data), rows, cols, cols};
  }
  static void set_gain(PanelMemory memory, std::int64_t vertex) {
    std::memcpy(memory.data + memory.bytes - sizeof vertex, &vertex, sizeof vertex);
  }
  static std::int64_t gain_of(PanelMemory memory) {
    std::int64_t vertex = 0;
    std::memcpy(&vertex, memory.data + memory.bytes - sizeof vertex, sizeof vertex);
    return vertex;
  }

  MatrixView<T> here_row(std::int64_t k) {
    return d_.local.view().part(rows_.local_begin(k), 0, rows_.length_of(k), d_.local.cols());
  }
  MatrixView<T> here_col(std::int64_t k) {
    return d_.local.view().part(0, cols_.local_begin(k), d_.local.rows(), cols_.length_of(k));
  }
  MatrixView<T> diagonal_block(std::int64_t k) {
    return here_row(k).part(0, cols_.local_begin(k), rows_.length_of(k), cols_.length_of(k));
  }
  MatrixView<T> diagonal_view(std::int64_t k) { return view(diagonal(k), rows_.length_of(k), cols_.length_of(k)); }
  /// The parts of a panel on both sides of its diagonal block, which is final.
  static std::vector<IndexRange> rest_of_panel(std::int64_t size, bool has_diagonal, const BlockCyclic& blocks,
                                               std::int64_t k) {
    if (!has_diagonal) return {{0, size}};
    const std::int64_t begin = blocks.local_begin(k);
    return {{0, begin}, {begin + blocks.length_of(k), size}};
  }
  static std::vector<Window> windows(IndexRange rows, const std::vector<IndexRange>& cols) {
    std::vector<Window> list;
    for (const IndexRange& c : cols) list.push_back({rows.begin, rows.end, c.begin, c.end});
    return list;
  }
  void copy(MatrixView<const T> from, MatrixView<T> to) {
    team_.for_range(static_cast<std::size_t>(from.rows), 64, [&](int, std::size_t i, std::size_t end) {
      for (; i < end; ++i)
        std::ranges::copy(from.row(static_cast<std::int64_t>(i)), to.row(static_cast<std::int64_t>(i)).begin());
    });
  }

  // C <- C (+) A (x) B in these rows and columns; C may be one of the factors.
  void multiply(MatrixView<T> a, MatrixView<T> b, MatrixView<T> c, IndexRange rows,
                const std::vector<IndexRange>& cols) {
    if (kernel_ == GridOptions::Kernel::tuned) {
      update_left_.pack(gemm_, team_, plain(a));
      update_right_.pack(gemm_, team_, plain(b));
      gemm_.multiply<T>(team_, update_left_, update_right_, c, windows(rows, cols));
      return;
    }
    with_semiring<T>(gemm_.algebra().semiring, [&](auto semiring) {
      for (const IndexRange& s : cols) multiply_simply(semiring, a, b, c, rows, s);
    });
  }

  // The naive algorithm's kernel: three loops. In place, the factor that is C improves during the loop, which does not
  // change the result because the other factor is closed.
  template <class S>
  void multiply_simply(S semiring, MatrixView<T> a, MatrixView<T> b, MatrixView<T> c, IndexRange rows,
                       IndexRange cols) {
    if (rows.empty() || cols.empty()) return;
    const auto height = static_cast<std::size_t>(rows.end - rows.begin);
    const auto part = [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t i = from; i < to; ++i)
        for (std::int64_t k = 0; k < a.cols; ++k) {
          const T first = a(i, k);
          if (first == semiring.zero()) continue;
          const T* const through = &b(k, 0);
          T* const row = &c(i, 0);
          for (std::int64_t j = cols.begin; j < cols.end; ++j)
            row[j] = semiring.plus(row[j], semiring.times(first, through[j]));
        }
    };
    if (c.data == b.data) return part(rows.begin, rows.end);  // threads would read rows that others write
    team_.for_range(height, 32, [&](int, std::size_t from, std::size_t to) {
      part(rows.begin + static_cast<std::int64_t>(from), rows.begin + static_cast<std::int64_t>(to));
    });
  }
  template <class S>
  static std::optional<GainCycle> close_simply(S semiring, MatrixView<T> d) {
    for (std::int64_t k = 0; k < d.rows; ++k) {
      if (semiring.is_gain(d(k, k))) return GainCycle{k};
      for (std::int64_t i = 0; i < d.rows; ++i) {
        const T first = d(i, k);
        if (i == k || first == semiring.zero()) continue;
        for (std::int64_t j = 0; j < d.cols; ++j) d(i, j) = semiring.plus(d(i, j), semiring.times(first, d(k, j)));
      }
    }
    return std::nullopt;
  }

  Team& team_;
  const Gemm& gemm_;
  Distances<T>& d_;
  const BlockCyclic rows_, cols_;
  const GridOptions::Kernel kernel_;
  const int row_, col_;
  Array<std::byte> diagonal_[2], row_panel_[2], col_panel_[2];  // [step % 2]
  MatrixView<T> left_view_, right_view_;                        // the panels of the outer product
  PackedPanel left_{PackedPanel::Side::left}, right_{PackedPanel::Side::right};
  PackedPanel update_left_{PackedPanel::Side::left}, update_right_{PackedPanel::Side::right};
};

}  // namespace atl
