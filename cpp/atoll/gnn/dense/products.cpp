// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/isa/kernel_variants.hpp>
#include <atoll/gnn/dense/kernels.hpp>
#include <atoll/gnn/dense/products.hpp>
#include <vector>

namespace atl {
namespace {

// Rows of a task of X W: a quarter of the second-level cache at 128 columns.
constexpr std::size_t kRows = 256;
// Steps of X^T G at a time: X's lines, of which a tile reads four values each, stay in the first-level cache until the
// next tiles have read the rest.
constexpr std::ptrdiff_t kSteps = 128;

template <class T>
struct Panel {
  DenseKernel<T> kernel;
  std::ptrdiff_t first, columns;
};

// Columns in pairs of the widest vectors, and what is left in the widest lanes that fit it.
template <class T>
std::vector<Panel<T>> panels_of(std::ptrdiff_t columns, Isa isa) {
  const auto lanes = dense_kernels<T>(isa);
  const std::ptrdiff_t two = 2 * lanes[0].lanes;
  std::vector<Panel<T>> out;
  std::ptrdiff_t first = 0;
  for (; columns - first >= two; first += two) out.push_back({lanes[0].two, first, two});
  if (const std::ptrdiff_t left = columns - first; left > 0) {
    const auto& fit = *std::ranges::find_if(lanes, [&](const DenseLanes<T>& l) { return l.lanes <= left; });
    out.push_back({left == fit.lanes ? fit.one : fit.two, first, left});
  }
  return out;
}

template <class T>
void run(const std::vector<Panel<T>>& panels, DenseTile<T> tile) {
  const T* const b = tile.b;
  T* const c = tile.c;
  for (const Panel<T>& panel : panels) {
    tile.b = b + panel.first;
    tile.c = c + panel.first;
    panel.kernel(tile, panel.columns);
  }
}

}  // namespace

RowChunks::RowChunks(std::int64_t n) : rows(static_cast<std::size_t>(n)) {
  constexpr std::size_t kLeast = 512, kMost = 64;
  each = std::max(kLeast, (rows + kMost - 1) / kMost);
}

template <class T>
void multiply(Team& team, MatrixView<const T> x, MatrixView<const T> w, MatrixView<T> y, Isa isa) {
  ATOLL_ASSERT(x.cols == w.rows && y.rows == x.rows && y.cols == w.cols);
  const auto panels = panels_of<T>(w.cols, isa);
  team.for_range(static_cast<std::size_t>(x.rows), kRows, [&](int, std::size_t begin, std::size_t end) {
    const auto first = static_cast<std::int64_t>(begin);
    run<T>(panels, {.rows = static_cast<std::ptrdiff_t>(end - begin),
                    .depth = x.cols,
                    .a = x.data + first * x.stride,
                    .a_row = x.stride,
                    .a_step = 1,
                    .b = w.data,
                    .b_stride = w.stride,
                    .c = y.data + first * y.stride,
                    .c_stride = y.stride,
                    .accumulate = false});
  });
}

template <class T>
void multiply_transposed(Team& team, MatrixView<const T> x, MatrixView<const T> g, MatrixView<T> d, Isa isa) {
  ATOLL_ASSERT(x.rows == g.rows && d.rows == x.cols && d.cols == g.cols);
  const auto panels = panels_of<T>(g.cols, isa);
  const RowChunks chunks(x.rows);
  const auto size = static_cast<std::size_t>(d.rows * d.cols);
  Array<T> parts(chunks.count() * size);
  team.for_range(chunks.count(), 1, [&](int, std::size_t k, std::size_t) {
    T* const part = parts.data() + k * size;
    for (std::int64_t i = chunks.begin(k); i < chunks.end(k); i += kSteps)
      run<T>(panels, {.rows = d.rows,
                      .depth = std::min<std::ptrdiff_t>(kSteps, chunks.end(k) - i),
                      .a = x.data + i * x.stride,
                      .a_row = 1,
                      .a_step = x.stride,
                      .b = g.data + i * g.stride,
                      .b_stride = g.stride,
                      .c = part,
                      .c_stride = d.cols,
                      .accumulate = i > chunks.begin(k)});
  });
  team.for_range(static_cast<std::size_t>(d.rows), 16, [&](int, std::size_t begin, std::size_t end) {
    for (auto i = static_cast<std::int64_t>(begin); i < static_cast<std::int64_t>(end); ++i) {
      T* const to = d.data + i * d.stride;
      std::fill_n(to, d.cols, T{0});
      for (std::size_t k = 0; k < chunks.count(); ++k) {
        const T* const part = parts.data() + k * size + static_cast<std::size_t>(i * d.cols);
        for (std::int64_t j = 0; j < d.cols; ++j) to[j] += part[j];
      }
    }
  });
}

template <class T>
void column_sums(Team& team, MatrixView<const T> g, T* sums) {
  const RowChunks chunks(g.rows);
  const auto columns = static_cast<std::size_t>(g.cols);
  std::vector<T> parts(chunks.count() * columns, T{0});
  team.for_range(chunks.count(), 1, [&](int, std::size_t k, std::size_t) {
    T* const part = parts.data() + k * columns;
    for (std::int64_t i = chunks.begin(k); i < chunks.end(k); ++i)
      for (std::size_t j = 0; j < columns; ++j) part[j] += g.data[i * g.stride + static_cast<std::int64_t>(j)];
  });
  std::fill_n(sums, columns, T{0});
  for (std::size_t k = 0; k < chunks.count(); ++k)
    for (std::size_t j = 0; j < columns; ++j) sums[j] += parts[k * columns + j];
}

template <class T>
void transpose_of(MatrixView<const T> w, MatrixView<T> t) {
  ATOLL_ASSERT(t.rows == w.cols && t.cols == w.rows);
  for (std::int64_t i = 0; i < w.rows; ++i)
    for (std::int64_t j = 0; j < w.cols; ++j) t(j, i) = w(i, j);
}

template <class T>
std::span<const DenseLanes<T>> dense_kernels(Isa isa) {
  return ATOLL_KERNEL_VARIANTS(dense_kernels, <T>).at(isa)();
}

#define ATOLL_DENSE_OF(T)                                                                                 \
  template void multiply(Team&, MatrixView<const T>, MatrixView<const T>, MatrixView<T>, Isa);            \
  template void multiply_transposed(Team&, MatrixView<const T>, MatrixView<const T>, MatrixView<T>, Isa); \
  template void column_sums(Team&, MatrixView<const T>, T*);                                              \
  template void transpose_of(MatrixView<const T>, MatrixView<T>);                                         \
  template std::span<const DenseLanes<T>> dense_kernels<T>(Isa);
ATOLL_DENSE_OF(float)
ATOLL_DENSE_OF(double)
#undef ATOLL_DENSE_OF

}  // namespace atl
