// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/apsp/floyd_warshall/floyd_warshall.hpp>
#include <atoll/apsp/grid/grid.hpp>
#include <atoll/base/random.hpp>
#include <atoll/device/rank_device.hpp>
#include <atoll/runtime/job/launch.hpp>

#include "test_device.hpp"

using namespace atl;

namespace {

template <class T>
std::vector<MatrixEntry<T>> entries_of(std::int64_t n) {
  std::vector<MatrixEntry<T>> out;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      if (const std::uint64_t word = random_at(5, static_cast<std::uint64_t>(i * n + j)); i != j && word % 30 == 0)
        out.push_back({i, j, static_cast<T>(word / 64 % 100)});
  return out;
}

template <class T>
Matrix<T> closure_on_host(std::int64_t n) {
  Matrix<T> d(n, n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) d(i, j) = i == j ? T{0} : kNoPath<T>;
  for (const auto& e : entries_of<T>(n)) d(e.row, e.col) = std::min(d(e.row, e.col), e.value);
  Team team(1);
  floyd_warshall<T>(Gemm({Semiring::min_plus, kElementOf<T>}), team, d.view());
  return d;
}

}  // namespace

TEST_CASE_TEMPLATE("closures over a grid of ranks with a device each", T, float, std::int32_t, std::uint16_t) {
  const TestDevice tested;
  constexpr std::int64_t n = 500;
  const Matrix<T> wanted = closure_on_host<T>(n);
  for (const auto& [rows, cols] : {std::pair{1, 1}, {1, 2}, {2, 2}, {3, 1}}) {
    for (const auto& [ahead, panels] : {std::pair{GridOptions::LookAhead::on, GridOptions::DevicePanels::staged},
                                        {GridOptions::LookAhead::off, GridOptions::DevicePanels::staged},
                                        {GridOptions::LookAhead::on, GridOptions::DevicePanels::direct},
                                        {GridOptions::LookAhead::off, GridOptions::DevicePanels::direct}}) {
      if (TestDevice::is_real() && panels == GridOptions::DevicePanels::direct) continue;  // NCCL wants a device each
      run_ranks(rows * cols, Plan{}, [&](World& world) {
        const auto device = device_of_rank(world, "cuda");
        GridOptions options;
        options.block = 128;
        options.look_ahead = ahead;
        options.device_panels = panels;
        options.device = device.get();
        const ProcessGrid grid{.rows = rows, .cols = cols};
        const GridLayout layout(n, options.block, grid);
        const auto all = entries_of<T>(n);
        std::vector<MatrixEntry<T>> mine;
        for (std::size_t i = static_cast<std::size_t>(world.rank()); i < all.size();
             i += static_cast<std::size_t>(world.size()))
          mine.push_back(all[i]);
        auto d = distances_from_entries<T>(world, Semiring::min_plus, layout, mine);
        const Gemm gemm({Semiring::min_plus, kElementOf<T>});
        const GridRun begun = floyd_warshall_grid(world, gemm, d, options,
                                                  {.every = 2, .at = [](std::int64_t next) { return next < 4; }});
        const GridRun run = floyd_warshall_grid(world, gemm, d, options, {.first = begun.next});
        std::int64_t wrong = 0;
        const int row = grid.row_of(world.rank()), col = grid.col_of(world.rank());
        for (std::int64_t i = 0; i < d.local.rows(); ++i)
          for (std::int64_t j = 0; j < d.local.cols(); ++j)
            wrong += d.local(i, j) != wanted(layout.rows.index_of(row, i), layout.cols.index_of(col, j));
        world.agree(begun.next == 4, fmt::format("it paused at {}", begun.next));
        world.agree(wrong == 0, fmt::format("{} x {}: {} values are wrong", rows, cols, wrong));
        static_cast<void>(run);
      });
    }
  }
}
