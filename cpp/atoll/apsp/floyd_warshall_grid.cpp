// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atoll/apsp/floyd_warshall_grid.hpp>
#include <atoll/apsp/grid_steps.hpp>
#include <atoll/apsp/simple_product.hpp>
#include <atoll/runtime/mailbox.hpp>

namespace atl {
namespace {

// Throws the same on all ranks.
void check_layout(World& world, const GridLayout& layout) {
  const ProcessGrid& g = layout.grid;
  world.agree(g.rows >= 1 && g.cols >= 1 && g.size() == world.size(),
              fmt::format("a grid of {} x {} ranks (the job has {}). Choose another grid.", g.rows, g.cols, world.size()));
  world.agree(g.node_rows >= 1 && g.node_cols >= 1 && g.rows % g.node_rows == 0 && g.cols % g.node_cols == 0,
              fmt::format("ranks of a node as {} x {} in a grid of {} x {} (they must divide it). Choose others.",
                          g.node_rows, g.node_cols, g.rows, g.cols));
  world.agree(layout.rows.size >= 0 && layout.rows.block >= 1 && layout.rows.size == layout.cols.size &&
                  layout.rows.block == layout.cols.block && layout.rows.parts == g.rows && layout.cols.parts == g.cols,
              fmt::format("a layout of {} x {} entries in blocks of {} x {} (square ones are needed). Make it with "
                          "GridLayout(n, block, grid).",
                          layout.rows.size, layout.cols.size, layout.rows.block, layout.cols.block));
}

template <class T>
void copy(MatrixView<const T> from, MatrixView<T> to) {
  for (std::int64_t i = 0; i < from.rows; ++i) std::copy_n(&from(i, 0), from.cols, &to(i, 0));
}

// The matrix of one rank, and the panels of two steps, for GridSteps.
template <Semiring S, class T>
class ComputedBlocks {
 public:
  ComputedBlocks(World& world, Distances<T>& d, const GridOptions& options)
      : team_(world.team()), d_(d), rows_(d.layout.rows), cols_(d.layout.cols), kernel_(options.kernel) {
    const std::int64_t b = rows_.block;
    for (std::size_t i = 0; i < 2; ++i) {
      diagonal_[i] = Array<T>(static_cast<std::size_t>(b * b));
      row_[i] = Array<T>(static_cast<std::size_t>(b * d.local.cols()));
      col_[i] = Array<T>(static_cast<std::size_t>(d.local.rows() * b));
    }
  }

  Panel diagonal(std::int64_t k) { return panel(diagonal_view(k)); }
  Panel row_panel(std::int64_t k) { return panel(row_view(k)); }
  Panel col_panel(std::int64_t k) { return panel(col_view(k)); }
  /// Outer products come in strips of so many rows: about 16 in all, so that chunks do not wait long to be passed on, and
  /// high enough that the kernel packs little.
  std::int64_t strip_rows() const { return std::max<std::int64_t>(64, (d_.local.rows() + 15) / 16); }

  void close_diagonal(std::int64_t k) {
    const std::int64_t length = rows_.length_of(k);
    const MatrixView<T> block = d_.local.view().part(rows_.local_begin(k), cols_.local_begin(k), length, length);
    simple_closure<S>(block);
    copy<T>(block, diagonal_view(k));
  }
  void update_row(std::int64_t k, bool has_diagonal) {
    const MatrixView<T> here = d_.local.view().part(rows_.local_begin(k), 0, rows_.length_of(k), d_.local.cols());
    const MatrixView<T> sent = row_view(k);
    copy<T>(here, sent);
    for (const auto& [begin, end] : around(d_.local.cols(), has_diagonal, cols_, k))
      product(diagonal_view(k), sent.part(0, begin, sent.rows, end - begin), here.part(0, begin, here.rows, end - begin));
    copy<T>(here, sent);
  }
  void update_col(std::int64_t k, bool has_diagonal) {
    const MatrixView<T> here = d_.local.view().part(0, cols_.local_begin(k), d_.local.rows(), cols_.length_of(k));
    const MatrixView<T> sent = col_view(k);
    copy<T>(here, sent);
    for (const auto& [begin, end] : around(d_.local.rows(), has_diagonal, rows_, k))
      product(sent.part(begin, 0, end - begin, sent.cols), diagonal_view(k), here.part(begin, 0, end - begin, here.cols));
    copy<T>(here, sent);
  }
  template <class Progress>
  void outer(std::int64_t k, Strip rows, Strip cols, Progress&&) {
    const MatrixView<T> a = col_view(k), b = row_view(k);
    const std::int64_t height = rows.end - rows.begin, width = cols.end - cols.begin;
    product(a.part(rows.begin, 0, height, a.cols), b.part(0, cols.begin, b.rows, width),
            d_.local.view().part(rows.begin, cols.begin, height, width));
  }

 private:
  MatrixView<T> diagonal_view(std::int64_t k) {
    const std::int64_t length = rows_.length_of(k);
    return {diagonal_[static_cast<std::size_t>(k % 2)].data(), length, length, length};
  }
  MatrixView<T> row_view(std::int64_t k) {
    return {row_[static_cast<std::size_t>(k % 2)].data(), rows_.length_of(k), d_.local.cols(), d_.local.cols()};
  }
  MatrixView<T> col_view(std::int64_t k) {
    const std::int64_t length = cols_.length_of(k);
    return {col_[static_cast<std::size_t>(k % 2)].data(), d_.local.rows(), length, length};
  }
  static Panel panel(MatrixView<T> m) {
    return {reinterpret_cast<std::byte*>(m.data), static_cast<std::size_t>(m.rows * m.cols) * sizeof(T)};
  }
  // What a panel has on both sides of its diagonal block, which is final.
  static std::array<Strip, 2> around(std::int64_t size, bool has_diagonal, const BlockCyclic& blocks, std::int64_t k) {
    if (!has_diagonal) return {Strip{0, size}, Strip{}};
    const std::int64_t begin = blocks.local_begin(k);
    return {Strip{0, begin}, Strip{begin + blocks.length_of(k), size}};
  }
  // C <- C (+) A (x) B
  void product(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c) {
    if (c.rows > 0 && c.cols > 0) simple_product<S>(team_, a, b, c);
  }

  Team& team_;
  Distances<T>& d_;
  const BlockCyclic rows_, cols_;
  const GridOptions::Kernel kernel_;
  Array<T> diagonal_[2], row_[2], col_[2];  // [step % 2]
};

}  // namespace

template <Semiring S, class T>
Distances<T> distances_from_entries(World& world, const GridLayout& layout, std::span<const MatrixEntry<T>> mine) {
  check_layout(world, layout);
  const std::int64_t n = layout.rows.size;
  const auto inside = [n](std::int64_t v) { return v >= 0 && v < n; };
  const auto bad =
      std::find_if(mine.begin(), mine.end(), [&](const MatrixEntry<T>& a) { return !inside(a.row) || !inside(a.col); });
  world.agree(bad == mine.end(), bad == mine.end() ? std::string()
                                                   : fmt::format("an arc from {} to {} (there are {} vertices). Number "
                                                                 "them from 0 on.",
                                                                 bad->row, bad->col, n));
  const int row = layout.grid.row_of(world.rank()), col = layout.grid.col_of(world.rank());
  Distances<T> d{layout, Matrix<T>(layout.rows.size_on(row), layout.cols.size_on(col))};
  for (std::int64_t i = 0; i < d.local.rows(); ++i) std::ranges::fill(d.local.view().row(i), Zero<S, T>);
  for (std::int64_t i = 0; i < d.local.rows(); ++i)
    if (const std::int64_t v = layout.rows.index_of(row, i); layout.cols.part_of(layout.cols.block_of(v)) == col)
      d.local(i, layout.cols.local_of(v)) = One<S, T>;

  struct Entry {
    std::uint32_t row, col;  // of the owner's part
    T value;
  };
  Mailbox box(world, of_records<Entry>([&](const Entry& e) {
                T& entry = d.local(e.row, e.col);
                entry = combined<S>(entry, e.value);
              }),
              {.handling = Handling::serial, .handler_sends = false});
  for (const MatrixEntry<T>& a : mine)
    box.send(layout.owner(a.row, a.col), {static_cast<std::uint32_t>(layout.rows.local_of(a.row)),
                                          static_cast<std::uint32_t>(layout.cols.local_of(a.col)), a.value});
  box.drain();
  return d;
}

template <Semiring S, class T>
GridRun floyd_warshall_grid(World& world, Distances<T>& d, const GridOptions& options, const GridPauses& pauses) {
  check_layout(world, d.layout);
  world.agree(options.block == d.layout.rows.block,
              fmt::format("blocks of {} (the matrix lies in blocks of {}). Lay it out with the same.", options.block,
                          d.layout.rows.block));
  auto blocks = world.together([&] { return std::make_unique<ComputedBlocks<S, T>>(world, d, options); });
  return GridSteps(world, d.layout, options, *blocks).run(pauses);
}

#define ATOLL_GRID(S, T)                                                                                           \
  template Distances<T> distances_from_entries<Semiring::S, T>(World&, const GridLayout&, std::span<const MatrixEntry<T>>); \
  template GridRun floyd_warshall_grid<Semiring::S, T>(World&, Distances<T>&, const GridOptions&, const GridPauses&);
ATOLL_GRID(min_plus, float)
ATOLL_GRID(min_plus, double)
ATOLL_GRID(min_plus, std::int32_t)
ATOLL_GRID(min_plus, std::uint16_t)
ATOLL_GRID(min_plus, std::uint8_t)
ATOLL_GRID(max_plus, float)
ATOLL_GRID(max_min, float)
ATOLL_GRID(or_and, std::uint8_t)
#undef ATOLL_GRID

}  // namespace atl
