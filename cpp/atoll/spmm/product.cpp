// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/spmm/product.hpp>
#include <cmath>

namespace atl::spmm {

template <class T>
void check_rows(World& world, const MatrixRows<T>& a) {
  world.collective_try([&] {
    const Rank p = world.size(), me = world.rank();
    check(
        a.blocks.ranks() == p && a.column_blocks.ranks() == p,
        "SpMM: rows are distributed over {} ranks and columns over {} (the job has {}). Distribute both over the job's "
        "ranks.",
        a.blocks.ranks(), a.column_blocks.ranks(), p);
    const Vertex own = a.blocks.size(me), columns = a.column_blocks.count();
    check(a.rows() == own && a.offsets[own] == static_cast<Edge>(a.columns.size()),
          "SpMM: rank {} has {} row offsets and {} columns ({} rows are its own). Pass CSR arrays of the rank's rows.",
          me, a.offsets.size(), a.columns.size(), own);
    const auto* const wrong = std::find_if(a.columns.begin(), a.columns.end(),
                                           [&](Vertex column) { return column < 0 || column >= columns; });
    check(wrong == a.columns.end(),
          "SpMM: a nonzero of rank {} is in column {} (the matrix has {} columns). Correct the column numbers.", me,
          wrong == a.columns.end() ? 0 : *wrong, columns);
  });
}

template <class T>
Edge remote_nonzeros(const MatrixRows<T>& rows, Rank rank) {
  const Vertex first = rows.column_blocks.begin(rank), end = rows.column_blocks.end(rank);
  return std::ranges::count_if(rows.columns, [&](Vertex column) { return column < first || column >= end; });
}

template <class T>
std::int64_t check_shapes(World& world, MatrixView<const T> b, MatrixView<T> c, std::int64_t b_rows,
                          std::int64_t c_rows) {
  struct Shape {
    bool fits;
    std::int64_t most, least;  // columns
  };
  const bool fits = b.rows == b_rows && c.rows == c_rows && c.cols == b.cols && b.stride >= b.cols &&
                    c.stride >= b.cols && b.cols > 0;
  const Shape all = world.fold(Shape{fits, b.cols, b.cols}, [](const Shape& x, const Shape& y) {
    return Shape{x.fits && y.fits, std::max(x.most, y.most), std::min(x.least, y.least)};
  });
  const std::int64_t columns = all.most;
  if (all.fits && all.least == columns) return columns;  // one reduction: a short product is mostly latencies
  world.agree(
      fits && b.cols == columns,
      fmt::format(
          "SpMM: on rank {} B is {} x {} and C {} x {} ({} x {} and {} x {} are needed there, with as many columns "
          "as on the other ranks, at least one). Pass matrices of that shape.",
          world.rank(), b.rows, b.cols, c.rows, c.cols, b_rows, columns, c_rows, columns));
  return columns;
}

template <class T>
void charge_product(World& world, Edge nonzeros, std::int64_t columns, const SpmmProgram& program) {
  if (!world.machine().device) return;
  const double entries = static_cast<double>(nonzeros), k = static_cast<double>(columns);
  world.compute(program.product *
                world.machine().device->seconds(2 * entries * k, entries * (sizeof(Local) + (k + 1) * sizeof(T))));
}

template <class T>
void charge_stage(World& world, std::int64_t rows, std::int64_t copies, std::int64_t columns,
                  const SpmmProgram& program) {
  if (!world.machine().device) return;
  const double passes = 2 * program.stage * static_cast<double>(rows) + program.copy * static_cast<double>(copies);
  if (passes > 0) world.compute(world.machine().device->seconds(0, passes * static_cast<double>(columns) * sizeof(T)));
}

Rank largest_divisor_to_root(Rank ranks) {
  auto d = static_cast<Rank>(std::sqrt(static_cast<double>(ranks)));
  while (ranks % d != 0) --d;
  return d;
}

#define ATOLL_PRODUCTS_OF(T)                                                                                  \
  template void check_rows(World&, const MatrixRows<T>&);                                                     \
  template Edge remote_nonzeros(const MatrixRows<T>&, Rank);                                                  \
  template std::int64_t check_shapes(World&, MatrixView<const T>, MatrixView<T>, std::int64_t, std::int64_t); \
  template void charge_product<T>(World&, Edge, std::int64_t, const SpmmProgram&);                            \
  template void charge_stage<T>(World&, std::int64_t, std::int64_t, std::int64_t, const SpmmProgram&);
ATOLL_PRODUCTS_OF(float)
ATOLL_PRODUCTS_OF(double)
#undef ATOLL_PRODUCTS_OF

}  // namespace atl::spmm
