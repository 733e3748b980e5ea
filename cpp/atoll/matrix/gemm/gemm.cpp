// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/error.hpp>
#include <atoll/base/isa/kernel_variants.hpp>
#include <atoll/base/timer.hpp>
#include <atoll/matrix/gemm/gemm.hpp>
#include <atoll/matrix/gemm/pack.hpp>
#include <atoll/matrix/gemm/tables.hpp>

namespace atl {
namespace {

constexpr std::int64_t round_up(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit * unit; }

std::span<const TileKernel> kernels_or_throw(Algebra algebra, Isa isa) {
  const auto kernels = tile_kernels(algebra, isa);
  check(!kernels.empty(),
        "{} over {} is not computed (docs/all-pairs.md lists the supported combinations). Choose another type.",
        name_of(algebra.semiring), name_of(algebra.element));
  return kernels;
}

/// Splits the last tasks of a product into pieces of a few rows, so that threads that finish early take some of them
/// and the load is balanced at the end.
template <class Task>
void cut_last_tasks(std::vector<Task>& tasks, int threads, const TileKernel& tile) {
  if (threads == 1) return;
  constexpr std::int64_t kPieces = 4;
  const std::size_t last = std::min(tasks.size(), 2 * static_cast<std::size_t>(threads));
  const auto first = tasks.end() - static_cast<std::ptrdiff_t>(last);
  const std::vector<Task> whole(first, tasks.end());
  tasks.erase(first, tasks.end());
  for (const Task& t : whole) {
    const std::int64_t rows = round_up((t.row_end - t.row + kPieces - 1) / kPieces, tile.rows);
    for (std::int64_t i = t.row; i < t.row_end; i += rows)
      tasks.push_back({t.window, i, t.col, std::min(t.row_end, i + rows), t.col_end});
  }
}

}  // namespace

std::span<const TileKernel> tile_kernels(Algebra algebra, Isa isa) {
  return ATOLL_KERNEL_VARIANTS(tile_kernels).at(isa)(algebra);
}

Gemm::Gemm(Algebra algebra, std::optional<GemmBlocking> blocking, Isa isa)
    : algebra_(algebra), isa_(isa), blocking_(blocking ? *blocking : usual_blocking(algebra, isa)) {
  const auto kernels = kernels_or_throw(algebra, isa);
  check(
      blocking_.tile >= 0 && blocking_.tile < static_cast<int>(kernels.size()) && blocking_.depth > 0 &&
          blocking_.rows > 0 && blocking_.cols > 0,
      "the blocking of a product is tile {}, depth {}, rows {}, cols {} (there are {} tiles, and sizes are positive). "
      "Measure one with `atoll tune gemm`.",
      blocking_.tile, blocking_.depth, blocking_.rows, blocking_.cols, kernels.size());
  tile_ = kernels[blocking_.tile];
  blocking_.rows = round_up(blocking_.rows, tile_.rows);
  blocking_.cols = round_up(blocking_.cols, tile_.cols);
}

template <class T>
void PackedPanel::resize(const Gemm& gemm, std::int64_t extent, std::int64_t depth) {
  const TileKernel& tile = gemm.tile();
  const bool left = side_ == Side::left;
  extent_ = extent;
  depth_ = depth;
  group_bytes_ = round_up(depth * (left ? tile.rows * tile.left_bytes : tile.cols * static_cast<int>(sizeof(T))), 64);
  const std::int64_t unit = left ? tile.rows : tile.cols, groups = (extent + unit - 1) / unit;
  const auto bytes = static_cast<std::size_t>(groups * group_bytes_);
  if (bytes > bytes_.size()) bytes_ = Array<std::byte>(bytes);
}

template <class T>
void PackedPanel::pack_at(const Gemm& gemm, Team& team, std::int64_t begin, Factor<T> factor) {
  const TileKernel& tile = gemm.tile();
  const bool left = side_ == Side::left;
  const std::int64_t unit = left ? tile.rows : tile.cols, size = left ? factor.rows() : factor.cols();
  ATOLL_ASSERT(begin % unit == 0 && begin + size <= extent_);
  const auto groups = static_cast<std::size_t>((size + unit - 1) / unit);
  team.for_range(groups, 4, [&](int, std::size_t a, std::size_t b) {
    for (auto g = static_cast<std::int64_t>(a); g < static_cast<std::int64_t>(b); ++g) {
      std::byte* const out = bytes_.data() + (begin / unit + g) * group_bytes_;
      const std::int64_t here = std::min(unit, size - g * unit);
      if (left) {
        pack_left(factor, g * unit, here, tile, out);
      } else {
        pack_right(factor, g * unit, here, tile, out);
      }
    }
  });
}

template <class T>
void PackedPanel::pack(const Gemm& gemm, Team& team, Factor<T> factor) {
  const bool left = side_ == Side::left;
  resize<T>(gemm, left ? factor.rows() : factor.cols(), left ? factor.cols() : factor.rows());
  pack_at(gemm, team, 0, factor);
}

/// A unit of work for one thread: part of a window.
struct Gemm::Task {
  Window window;  // the whole window, for `upper`
  std::int64_t row,
      col;  // first row and column of the task, multiples of the tile's; the window's edge may lie inside a tile
  std::int64_t row_end, col_end;
};

template <class T>
void Gemm::run(const Task& task, const PackedPanel& a, const PackedPanel& b, MatrixView<T> c) const {
  const Window& w = task.window;
  const std::int64_t tile_rows = tile_.rows, tile_cols = tile_.cols;
  const auto stride_bytes = c.stride * static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t j = task.col; j < task.col_end; j += tile_cols) {
    const std::byte* const right = b.group(j / tile_cols);
    const bool cols_inside = j >= w.col && j + tile_cols <= w.col_end;
    for (std::int64_t i = task.row; i < task.row_end; i += tile_rows) {
      if (w.upper && std::min(j + tile_cols, w.col_end) - w.col <= i - w.row)
        break;  // the rest lies below the diagonal
      const std::byte* const left = a.group(i / tile_rows);
      if (cols_inside && i >= w.row && i + tile_rows <= w.row_end) {
        tile_.multiply(a.depth(), left, right, reinterpret_cast<std::byte*>(&c(i, j)), stride_bytes);
        continue;
      }
      // A tile that crosses the window's edge is computed in a copy, of which only the part inside is written back.
      constexpr std::size_t kLargestTile = std::size_t{12} * 256;
      alignas(64) T copy[kLargestTile];
      ATOLL_ASSERT(static_cast<std::size_t>(tile_rows * tile_cols) <= kLargestTile);
      std::memset(copy, 0, static_cast<std::size_t>(tile_rows * tile_cols) * sizeof(T));
      const std::int64_t r0 = std::max(i, w.row), r1 = std::min(i + tile_rows, w.row_end);
      const std::int64_t c0 = std::max(j, w.col), c1 = std::min(j + tile_cols, w.col_end);
      const auto bytes = static_cast<std::size_t>(c1 - c0) * sizeof(T);
      for (std::int64_t r = r0; r < r1; ++r) std::memcpy(copy + (r - i) * tile_cols + (c0 - j), &c(r, c0), bytes);
      tile_.multiply(a.depth(), left, right, reinterpret_cast<std::byte*>(copy),
                     tile_cols * static_cast<std::int64_t>(sizeof(T)));
      for (std::int64_t r = r0; r < r1; ++r) std::memcpy(&c(r, c0), copy + (r - i) * tile_cols + (c0 - j), bytes);
    }
  }
}

template <class T>
void Gemm::multiply(Team& team, const PackedPanel& a, const PackedPanel& b, MatrixView<T> c,
                    std::span<const Window> windows, const std::function<void()>& between) const {
  ATOLL_ASSERT(a.depth() == b.depth());
  std::vector<Task> tasks;
  for (const Window& w : windows) {
    if (w.row >= w.row_end || w.col >= w.col_end) continue;
    const std::int64_t row0 = w.row / tile_.rows * tile_.rows, col0 = w.col / tile_.cols * tile_.cols;
    for (std::int64_t j = col0; j < w.col_end; j += blocking_.cols)
      for (std::int64_t i = row0; i < w.row_end; i += blocking_.rows) {
        const std::int64_t j_end = std::min(w.col_end, j + blocking_.cols);
        if (w.upper && j_end - w.col <= i - w.row) break;
        tasks.push_back({w, i, j, std::min(w.row_end, i + blocking_.rows), j_end});
      }
  }
  cut_last_tasks(tasks, team.size(), tile_);
  team.for_range(tasks.size(), 1, [&](int thread, std::size_t first, std::size_t end) {
    for (std::size_t t = first; t < end; ++t) run(tasks[t], a, b, c);
    if (between && thread == 0) between();
  });
}

template <class T>
void Gemm::operator()(Team& team, Factor<T> a, Factor<T> b, MatrixView<T> c) const {
  const std::int64_t depth = a.cols();
  ATOLL_ASSERT(b.rows() == depth && a.rows() == c.rows && b.cols() == c.cols);
  PackedPanel left(PackedPanel::Side::left), right(PackedPanel::Side::right);
  const Window all{0, c.rows, 0, c.cols};
  for (std::int64_t k = 0; k < depth; k += blocking_.depth) {
    const std::int64_t steps = std::min(blocking_.depth, depth - k);
    left.pack<T>(
        *this, team,
        a.transposed ? transposed(a.view.part(k, 0, steps, a.rows())) : plain(a.view.part(0, k, a.rows(), steps)));
    right.pack<T>(
        *this, team,
        b.transposed ? transposed(b.view.part(0, k, b.cols(), steps)) : plain(b.view.part(k, 0, steps, b.cols())));
    multiply(team, left, right, c, {&all, 1});
  }
}

double peak_operations_per_second(Team& team, Algebra algebra, Isa isa, double seconds) {
  const TileKernel& tile = kernels_or_throw(algebra, isa).front();
  constexpr std::int64_t kRounds = 1 << 16;  // some hundred microseconds
  std::vector<double> rates(static_cast<std::size_t>(team.size()));
  team.run([&](int thread) {
    double done = 0, spent = 0;
    for (const Timer timer; spent < seconds; spent = timer.seconds()) done += tile.run_in_registers(kRounds);
    rates[thread] = done / spent;
  });
  double sum = 0;
  for (const double rate : rates) sum += rate;
  return sum;
}

#define ATOLL_GEMM_OF(T)                                                                                              \
  template void PackedPanel::pack(const Gemm&, Team&, Factor<T>);                                                     \
  template void PackedPanel::pack_at(const Gemm&, Team&, std::int64_t, Factor<T>);                                    \
  template void PackedPanel::resize<T>(const Gemm&, std::int64_t, std::int64_t);                                      \
  template void Gemm::operator()(Team&, Factor<T>, Factor<T>, MatrixView<T>) const;                                   \
  template void Gemm::multiply(Team&, const PackedPanel&, const PackedPanel&, MatrixView<T>, std::span<const Window>, \
                               const std::function<void()>&) const;
ATOLL_GEMM_OF(float)
ATOLL_GEMM_OF(double)
ATOLL_GEMM_OF(std::int32_t)
ATOLL_GEMM_OF(std::uint16_t)
ATOLL_GEMM_OF(std::uint8_t)
#undef ATOLL_GEMM_OF

}  // namespace atl
