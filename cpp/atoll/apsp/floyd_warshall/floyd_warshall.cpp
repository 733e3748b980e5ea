// SPDX-License-Identifier: Apache-2.0
// Blocked Floyd-Warshall [1, section IV], the three steps of each block k:
//   in the paper                            here
//   DiagUpdate   A(k,k) <- FW(A(k,k))       close_block()
//   PanelUpdate  A(k,:), A(:,k)             update_panels()
//   OuterUpdate  A(i,j), i, j != k          gemm.multiply() over the four windows beside row and column k
// Undirected (not in the paper): A = A^T, so the column panel is the transposed row panel, and the outer product
// computes only the upper half, with half the operations. It is then A^T A of one panel with itself, "TN".
//
// [1] R. Kannan et al. "Exaflop/s biomedical knowledge graph analytics." SC 2022.
#include <atoll/apsp/floyd_warshall/floyd_warshall.hpp>
#include <atoll/base/timer.hpp>
#include <atoll/matrix/gemm/pack.hpp>
#include <atoll/matrix/scalar.hpp>

namespace atl {
namespace {

// Side of the innermost blocks. Their n * 48^2 operations on single values take under 1 % of the time from n = 1024 on.
constexpr std::int64_t kInnermost = 48;

// Upper limit of the default block. Beyond it the cost of panels grows faster than the outer product gains (int32, n =
// 4096: 81 % of the peak directed with both 256 and 480, but 68 and 65 % undirected).
constexpr std::int64_t kLargestUsual = 288;

// Diagonal blocks up to this side are closed by one thread: several threads would synchronize ten times for each
// innermost block. 288 values a side at n = 4096 took 4 to 9 ms on one thread, 8 to 15 on two, and 20 to 80 on a loaded
// machine.
constexpr std::int64_t kSerialRows = 288;

template <class S, class T>
std::optional<GainCycle> close_by_values(S semiring, MatrixView<T> d) {
  for (std::int64_t k = 0; k < d.rows; ++k) {
    // Walks so far pass only through vertices before k: an improving cycle shows first at its last vertex.
    if (semiring.is_gain(d(k, k))) return GainCycle{k};
    const T* const through = d.data + k * d.stride;
    for (std::int64_t i = 0; i < d.rows; ++i) {
      T* const row = d.data + i * d.stride;
      const T first = row[k];
      if (i == k || first == semiring.zero()) continue;
      for (std::int64_t j = 0; j < d.cols; ++j) row[j] = semiring.plus(row[j], semiring.times(first, through[j]));
    }
  }
  return std::nullopt;
}

/// Row and column panel of block [k0, k1), packed for the outer product.
class Panels {
 public:
  template <class T>
  void update(const Gemm& gemm, Team& team, MatrixView<T> d, std::int64_t k0, std::int64_t k1) {
    const std::int64_t n = d.rows, b = k1 - k0;
    const MatrixView<T> diagonal = d.part(k0, k0, b, b), row = d.part(k0, 0, b, n), column = d.part(0, k0, n, b);
    update_row(gemm, team, diagonal, row, k0);
    right_.pack(gemm, team, plain(diagonal));
    left_.pack(gemm, team, plain(column));
    gemm.multiply<T>(team, left_, right_, column, std::initializer_list<Window>{{0, k0, 0, b}, {k1, n, 0, b}});
    left_.pack(gemm, team, plain(column));
    right_.pack(gemm, team, plain(row));
  }
  template <class T>
  void outer(const Gemm& gemm, Team& team, MatrixView<T> d, std::int64_t k0, std::int64_t k1) const {
    const std::int64_t n = d.rows;
    gemm.multiply<T>(team, left_, right_, d,
                     std::initializer_list<Window>{{0, k0, 0, k0}, {0, k0, k1, n}, {k1, n, 0, k0}, {k1, n, k1, n}});
  }

 protected:
  template <class T>
  void update_row(const Gemm& gemm, Team& team, MatrixView<T> diagonal, MatrixView<T> row, std::int64_t k0) {
    const std::int64_t b = diagonal.rows;
    left_.pack(gemm, team, plain(diagonal));
    right_.pack(gemm, team, plain(row));
    gemm.multiply<T>(team, left_, right_, row, std::initializer_list<Window>{{0, b, 0, k0}, {0, b, k0 + b, row.cols}});
  }

  PackedPanel left_{PackedPanel::Side::left}, right_{PackedPanel::Side::right};
};

/// The same for a symmetric matrix of which only the upper half is kept up to date. The whole row panel is built in the
/// unused lower half, where its rows are in the order in which both factors are packed.
class SymmetricPanels : Panels {
 public:
  template <class T>
  void update(const Gemm& gemm, Team& team, MatrixView<T> d, std::int64_t k0, std::int64_t k1) {
    const std::int64_t n = d.rows, b = k1 - k0;
    const MatrixView<T> row = d.part(k0, 0, b, n), above = d.part(0, k0, k0, b), before = d.part(k0, 0, b, k0);
    transpose<T>(team, above, before);
    update_row(gemm, team, d.part(k0, k0, b, b), row, k0);
    transpose<T>(team, before, above);
    left_.pack(gemm, team, transposed(row));
    right_.pack(gemm, team, plain(row));
  }
  template <class T>
  void outer(const Gemm& gemm, Team& team, MatrixView<T> d, std::int64_t k0, std::int64_t k1) const {
    const std::int64_t n = d.rows;
    gemm.multiply<T>(team, left_, right_, d,
                     std::initializer_list<Window>{{0, k0, 0, k0, true}, {0, k0, k1, n}, {k1, n, k1, n, true}});
  }
};

/// Copies the upper half to the lower half.
template <class T>
void mirror(Team& team, MatrixView<T> d) {
  using Word = WordOf<T>;
  constexpr std::int64_t kSide = 64;
  const auto blocks = static_cast<std::size_t>((d.rows + kSide - 1) / kSide);
  team.for_range(blocks, 1, [&](int, std::size_t first, std::size_t last) {
    for (auto block = static_cast<std::int64_t>(first); block < static_cast<std::int64_t>(last); ++block) {
      const std::int64_t i0 = block * kSide, i1 = std::min(d.rows, i0 + kSide);
      for (std::int64_t j = 0; j < i0; j += kSide)
        transpose_block(&d(j, i0), d.stride, kSide, i1 - i0, reinterpret_cast<Word*>(&d(i0, j)), d.stride);
      for (std::int64_t i = i0; i < i1; ++i)
        for (std::int64_t j = i0; j < i; ++j) d(i, j) = d(j, i);
    }
  });
}

template <class T, class P>
std::optional<GainCycle> run(const Gemm& gemm, Team& team, MatrixView<T> d, std::int64_t block,
                             const FloydWarshallOptions& options, FloydWarshallReport& report, P&& panels) {
  const std::int64_t n = d.rows;
  std::optional<GainCycle> cycle;
  Timer timer;
  std::int64_t k0 = 0;
  for (; k0 < n && (options.steps == 0 || report.steps < options.steps); k0 += block) {
    const std::int64_t k1 = std::min(n, k0 + block);
    const MatrixView<T> diagonal = d.part(k0, k0, k1 - k0, k1 - k0);
    if (options.undirected) mirror(team, diagonal);
    cycle = close_block(gemm, team, diagonal);
    report.diagonal_seconds += timer.lap();
    if (cycle) {
      cycle->vertex += k0;
      break;
    }
    panels.update(gemm, team, d, k0, k1);
    report.panel_seconds += timer.lap();
    panels.outer(gemm, team, d, k0, k1);
    report.outer_seconds += timer.lap();
    ++report.steps;
    report.operations += (options.undirected ? 1.0 : 2.0) * static_cast<double>(n) * static_cast<double>(n) *
                         static_cast<double>(k1 - k0);
    if (options.after_block && !options.after_block(report.steps)) break;
  }
  if (options.undirected) mirror(team, d);
  report.panel_seconds += timer.lap();
  return cycle;
}

}  // namespace

void FloydWarshallReport::add(const FloydWarshallReport& run) {
  block = std::max(block, run.block);
  steps += run.steps;
  diagonal_seconds += run.diagonal_seconds;
  panel_seconds += run.panel_seconds;
  outer_seconds += run.outer_seconds;
  operations += run.operations;
}

std::int64_t usual_block(const Gemm& gemm, std::int64_t n) {
  const std::int64_t unit = kInnermost;
  return std::clamp((n / 8 + unit - 1) / unit * unit, unit,
                    std::clamp(gemm.blocking().depth / unit * unit, unit, kLargestUsual));
}

template <class T>
void transpose(Team& team, MatrixView<const T> from, MatrixView<T> to) {
  using Word = WordOf<T>;
  constexpr std::int64_t kSide = 64;
  const auto blocks = static_cast<std::size_t>((from.cols + kSide - 1) / kSide);
  team.for_range(blocks, 1, [&](int, std::size_t first, std::size_t last) {
    for (auto block = static_cast<std::int64_t>(first); block < static_cast<std::int64_t>(last); ++block) {
      const std::int64_t j = block * kSide, cols = std::min(kSide, from.cols - j);
      for (std::int64_t i = 0; i < from.rows; i += kSide)
        transpose_block(from.data + i * from.stride + j, from.stride, std::min(kSide, from.rows - i), cols,
                        reinterpret_cast<Word*>(to.data + j * to.stride + i), to.stride);
    }
  });
}

template <class T>
std::optional<GainCycle> close_block(const Gemm& gemm, Team& team, MatrixView<T> d) {
  std::optional<GainCycle> cycle;
  Panels panels;
  Team one_thread(1);
  Team& those = d.rows <= kSerialRows ? one_thread : team;
  for (std::int64_t k0 = 0; k0 < d.rows && !cycle; k0 += kInnermost) {
    const std::int64_t k1 = std::min(d.rows, k0 + kInnermost);
    with_semiring<T>(gemm.algebra().semiring,
                     [&](auto semiring) { cycle = close_by_values(semiring, d.part(k0, k0, k1 - k0, k1 - k0)); });
    if (cycle) {
      cycle->vertex += k0;
    } else if (d.rows > kInnermost) {
      panels.update(gemm, those, d, k0, k1);
      panels.outer(gemm, those, d, k0, k1);
    }
  }
  return cycle;
}

template <class T>
std::optional<GainCycle> floyd_warshall(const Gemm& gemm, Team& team, MatrixView<T> d,
                                        const FloydWarshallOptions& options, FloydWarshallReport* report) {
  ATOLL_ASSERT(d.rows == d.cols);
  FloydWarshallReport mine;
  const std::int64_t block = options.block ? options.block : usual_block(gemm, d.rows);
  mine.block = block;
  const auto cycle = options.undirected ? run(gemm, team, d, block, options, mine, SymmetricPanels())
                                        : run(gemm, team, d, block, options, mine, Panels());
  if (report) *report = mine;
  return cycle;
}

#define ATOLL_FLOYD_WARSHALL_OF(T)                                                                                 \
  template std::optional<GainCycle> floyd_warshall(const Gemm&, Team&, MatrixView<T>, const FloydWarshallOptions&, \
                                                   FloydWarshallReport*);                                          \
  template std::optional<GainCycle> close_block(const Gemm&, Team&, MatrixView<T>);                                \
  template void transpose(Team&, MatrixView<const T>, MatrixView<T>);
ATOLL_FLOYD_WARSHALL_OF(float)
ATOLL_FLOYD_WARSHALL_OF(double)
ATOLL_FLOYD_WARSHALL_OF(std::int32_t)
ATOLL_FLOYD_WARSHALL_OF(std::uint16_t)
ATOLL_FLOYD_WARSHALL_OF(std::uint8_t)
#undef ATOLL_FLOYD_WARSHALL_OF

}  // namespace atl
