// SPDX-License-Identifier: Apache-2.0
#include <atoll/apsp/floyd_warshall/block_steps.hpp>
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

/// The products that the steps need, on the host.
template <class T>
class HostProducts {
 public:
  using View = MatrixView<T>;
  using Panel = PackedPanel;

  HostProducts(const Gemm& gemm, Team& team) : gemm_(gemm), team_(team) {}
  void pack(PackedPanel& panel, View view, bool transposed) const {
    panel.pack(gemm_, team_, Factor<T>{view, transposed});
  }
  void multiply(const PackedPanel& a, const PackedPanel& b, View c, std::span<const Window> windows) const {
    gemm_.multiply<T>(team_, a, b, c, windows);
  }
  void transpose(View from, View to) const { atl::transpose<T>(team_, from, to); }
  void mirror(View d) const {
    using Word = WordOf<T>;
    constexpr std::int64_t kSide = 64;
    const auto blocks = static_cast<std::size_t>((d.rows + kSide - 1) / kSide);
    team_.for_range(blocks, 1, [&](int, std::size_t first, std::size_t last) {
      for (auto block = static_cast<std::int64_t>(first); block < static_cast<std::int64_t>(last); ++block) {
        const std::int64_t i0 = block * kSide, i1 = std::min(d.rows, i0 + kSide);
        for (std::int64_t j = 0; j < i0; j += kSide)
          transpose_block(&d(j, i0), d.stride, kSide, i1 - i0, reinterpret_cast<Word*>(&d(i0, j)), d.stride);
        for (std::int64_t i = i0; i < i1; ++i)
          for (std::int64_t j = i0; j < i; ++j) d(i, j) = d(j, i);
      }
    });
  }
  void close(View diagonal, std::int64_t first) {
    cycle_ = close_block(gemm_, team_, diagonal);
    if (cycle_) cycle_->vertex += first;
  }
  std::optional<GainCycle> cycle() const { return cycle_; }
  void finish_step() const {}
  std::optional<GainCycle> finish() const { return cycle_; }
  void begin_laps() { timer_.lap(); }
  void lap(double FloydWarshallReport::*part, FloydWarshallReport& report) { report.*part += timer_.lap(); }

 private:
  const Gemm& gemm_;
  Team& team_;
  Timer timer_;
  std::optional<GainCycle> cycle_;
};

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
  Team one_thread(1);
  const HostProducts<T> products(gemm, d.rows <= kSerialRows ? one_thread : team);
  BlockPanels<HostProducts<T>> panels(products);
  for (std::int64_t k0 = 0; k0 < d.rows && !cycle; k0 += kInnermost) {
    const std::int64_t k1 = std::min(d.rows, k0 + kInnermost);
    with_semiring<T>(gemm.algebra().semiring,
                     [&](auto semiring) { cycle = close_by_values(semiring, d.part(k0, k0, k1 - k0, k1 - k0)); });
    if (cycle) {
      cycle->vertex += k0;
    } else if (d.rows > kInnermost) {
      panels.update(d, k0, k1);
      panels.outer(d, k0, k1);
    }
  }
  return cycle;
}

template <class T>
std::optional<GainCycle> floyd_warshall(const Gemm& gemm, Team& team, MatrixView<T> d,
                                        const FloydWarshallOptions& options, FloydWarshallReport* report) {
  ATOLL_ASSERT(d.rows == d.cols);
  FloydWarshallReport own;
  FloydWarshallReport& mine = report ? *report : own;
  mine = {};
  HostProducts<T> products(gemm, team);
  const auto cycle = run_blocks(products, d, options.block ? options.block : usual_block(gemm, d.rows), options, mine);
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
