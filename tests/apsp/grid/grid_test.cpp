// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/apsp/grid/grid.hpp>
#include <atoll/base/random.hpp>
#include <nlohmann/json.hpp>
#include <vector>

#include "apsp/random_arcs.hpp"
#include "shapes.hpp"

namespace atl {
namespace {

const std::vector<ProcessGrid> kGrids = {{1, 1}, {1, 2}, {2, 1}, {1, 3}, {2, 2}, {5, 1},
                                         {2, 3}, {7, 1}, {2, 4}, {4, 2}, {8, 1}, {1, 8}};

template <class T>
std::vector<MatrixEntry<T>> random_entries(std::int64_t n, std::int64_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<MatrixEntry<T>> list;
  for (const auto& [tail, head, weight] :
       samples::random_arcs(random, static_cast<std::size_t>(n), static_cast<std::size_t>(n > 0 ? count : 0),
                            [&](Local, Local) { return static_cast<T>(random.below(90)); }))
    list.push_back({tail, head, weight});
  return list;
}

template <class T>
constexpr Element kElement = std::is_same_v<T, float>           ? Element::float32
                             : std::is_same_v<T, double>        ? Element::float64
                             : std::is_same_v<T, std::int32_t>  ? Element::int32
                             : std::is_same_v<T, std::uint16_t> ? Element::uint16
                                                                : Element::uint8;
template <class T>
Gemm gemm_of() {
  return Gemm({Semiring::min_plus, kElement<T>});
}

// The three loops of Floyd-Warshall in 64 bits; -1: no path.
template <class T>
std::vector<std::int64_t> scalar_distances(std::int64_t n, const std::vector<MatrixEntry<T>>& arcs) {
  std::vector<std::int64_t> d(static_cast<std::size_t>(n * n), -1);
  const auto at = [&](std::int64_t i, std::int64_t j) -> std::int64_t& {
    return d[static_cast<std::size_t>(i * n + j)];
  };
  for (std::int64_t i = 0; i < n; ++i) at(i, i) = 0;
  for (const MatrixEntry<T>& a : arcs)
    if (at(a.row, a.col) < 0 || static_cast<std::int64_t>(a.value) < at(a.row, a.col))
      at(a.row, a.col) = static_cast<std::int64_t>(a.value);
  for (std::int64_t k = 0; k < n; ++k)
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        if (at(i, k) >= 0 && at(k, j) >= 0 && (at(i, j) < 0 || at(i, k) + at(k, j) < at(i, j)))
          at(i, j) = at(i, k) + at(k, j);
  return d;
}

template <class T>
std::vector<MatrixEntry<T>> slice(const std::vector<MatrixEntry<T>>& arcs, const World& world) {
  std::vector<MatrixEntry<T>> mine;
  for (std::size_t i = 0; i < arcs.size(); ++i)
    if (static_cast<Rank>(i % static_cast<std::size_t>(world.size())) == world.rank()) mine.push_back(arcs[i]);
  return mine;
}

template <class T>
std::uint64_t wrong_entries(const Distances<T>& d, World& world, const std::vector<std::int64_t>& right) {
  const std::int64_t n = d.layout.rows.size;
  const int row = d.layout.grid.row_of(world.rank()), col = d.layout.grid.col_of(world.rank());
  std::uint64_t wrong = 0;
  for (std::int64_t i = 0; i < d.local.rows(); ++i)
    for (std::int64_t j = 0; j < d.local.cols(); ++j) {
      const std::int64_t r =
          right[static_cast<std::size_t>(d.layout.rows.index_of(row, i) * n + d.layout.cols.index_of(col, j))];
      wrong += d.local(i, j) != (r < 0 ? kNoPath<T> : static_cast<T>(r));
    }
  return wrong;
}

template <class T>
void compare(ProcessGrid grid, std::int64_t n, std::int64_t arcs, std::uint64_t seed,
             const std::vector<GridOptions>& all, const Plan& plan) {
  const auto list = random_entries<T>(n, arcs, seed);
  const auto right = scalar_distances(n, list);
  run_ranks(grid.size(), plan, [&](World& world) {
    for (const GridOptions& options : all) {
      auto d = distances_from_entries<T>(world, Semiring::min_plus, GridLayout(n, options.block, grid),
                                         std::span<const MatrixEntry<T>>(slice(list, world)));
      const GridRun run = floyd_warshall_grid(world, gemm_of<T>(), d, options);
      const std::uint64_t wrong = wrong_entries(d, world, right);
      CAPTURE(n);
      CAPTURE(grid.rows);
      CAPTURE(grid.cols);
      CAPTURE(options.to_json().dump());
      CHECK(wrong == 0);
      CHECK(run.steps.size() == static_cast<std::size_t>((n + options.block - 1) / options.block));
    }
  });
}

std::vector<GridOptions> every_plan(std::int64_t block) {
  std::vector<GridOptions> all;
  for (const std::string& name : GridOptions::ablations()) {
    GridOptions o = GridOptions::ablation(name);
    o.block = block;
    all.push_back(o);
    o.chunk_bytes = 100;
    all.push_back(o);
  }
  GridOptions tree;
  tree.block = block;
  tree.panels = BroadcastShape::tree;
  all.push_back(tree);
  tree.look_ahead = GridOptions::LookAhead::off;
  tree.panels = BroadcastShape::ring2m;
  all.push_back(tree);
  return all;
}

TEST_CASE("integer distances equal those of three loops for any grid, block and plan") {
  std::uint64_t seed = 0;
  for (const ProcessGrid grid : kGrids) {
    if (shapes::kSanitized && grid.size() > 4) continue;
    for (const std::int64_t n : {1, 2, 3, 7, 16, 33, 70}) {
      const auto& shapes = shapes::buffers();
      const Plan& plan = shapes[seed % shapes.size()].plan;
      const std::int64_t block = std::vector<std::int64_t>{1, 3, 4, 8, 16}[seed % 5];
      if (block == 1 && n > 33) continue;
      compare<std::int32_t>(grid, n, 4 * n, ++seed, every_plan(block), plan);
    }
  }
}

TEST_CASE("every remainder of the block") {
  GridOptions options;
  options.block = 8;
  options.chunk_bytes = 64;
  for (std::int64_t n = 1; n <= 70; n += shapes::kSanitized ? 9 : 1) {
    compare<std::int32_t>({2, 2}, n, 5 * n, static_cast<std::uint64_t>(n), {options}, shapes::buffers()[0].plan);
    compare<std::uint16_t>({1, 3}, n, 3 * n, static_cast<std::uint64_t>(n), {options}, shapes::buffers()[3].plan);
  }
}

TEST_CASE("all types give the same distances") {
  GridOptions options;
  options.block = 8;
  for (const ProcessGrid grid : {ProcessGrid{2, 2}, ProcessGrid{3, 1}}) {
    compare<std::uint16_t>(grid, 45, 200, 1, {options}, shapes::buffers()[1].plan);
    compare<float>(grid, 45, 200, 2, {options}, shapes::buffers()[1].plan);
    compare<double>(grid, 45, 200, 3, {options}, shapes::buffers()[1].plan);
    compare<std::int32_t>(grid, 45, 200, 4, {options}, shapes::buffers()[1].plan);
  }
}

TEST_CASE("several threads per rank, and a communication thread") {
  Plan plan = shapes::buffers()[0].plan;
  plan.threads = 2;
  compare<std::int32_t>({2, 2}, 100, 500, 1, every_plan(16), plan);
  plan.progress = "thread";
  compare<std::int32_t>({1, 3}, 100, 500, 2, every_plan(16), plan);
}

TEST_CASE("ranks of a node as an inner grid") {
  GridOptions options;
  options.block = 4;
  compare<std::int32_t>({4, 2, 2, 2}, 50, 250, 1, {options}, shapes::buffers()[0].plan);
  compare<std::int32_t>({2, 4, 2, 2}, 50, 250, 2, {options}, shapes::buffers()[0].plan);
  compare<std::int32_t>({2, 4, 2, 2, 4}, 50, 250, 3, {options}, shapes::buffers()[0].plan);
  compare<std::int32_t>({2, 4, 1, 4, 2}, 50, 250, 4, {options}, shapes::buffers()[0].plan);
}

TEST_CASE("the lightest of parallel arcs counts, and a loop changes nothing") {
  run_ranks(4, shapes::buffers()[0].plan, [](World& world) {
    std::vector<MatrixEntry<std::int32_t>> mine;
    if (world.rank() == 1) mine = {{0, 1, 7}, {0, 1, 5}, {2, 2, 9}};
    if (world.rank() == 3) mine = {{0, 1, 6}, {1, 2, 1}};
    auto d = distances_from_entries<std::int32_t>(world, Semiring::min_plus, GridLayout(3, 2, {2, 2}),
                                                  std::span<const MatrixEntry<std::int32_t>>(mine));
    GridOptions options;
    options.block = 2;
    floyd_warshall_grid(world, gemm_of<std::int32_t>(), d, options);
    const std::vector<std::int64_t> right = {0, 5, 6, -1, 0, 1, -1, -1, 0};
    CHECK(wrong_entries(d, world, right) == 0);
  });
}

TEST_CASE("widest paths and reachability are closures too") {
  run_ranks(6, shapes::buffers()[2].plan, [](World& world) {
    const ProcessGrid grid{2, 3};
    // A path 0 -> 1 -> ... -> 19 of widths 20, 19, ...: the smallest one determines the width.
    std::vector<MatrixEntry<float>> wide;
    std::vector<MatrixEntry<std::uint8_t>> there;
    if (world.rank() == 0)
      for (int v = 0; v + 1 < 20; ++v) {
        wide.push_back({v, v + 1, static_cast<float>(20 - v)});
        there.push_back({v, v + 1, 1});
      }
    GridOptions options;
    options.block = 3;
    const GridLayout layout(20, 3, grid);
    auto w = distances_from_entries<float>(world, Semiring::max_min, layout, std::span<const MatrixEntry<float>>(wide));
    floyd_warshall_grid(world, Gemm({Semiring::max_min, Element::float32}), w, options);
    auto r = distances_from_entries<std::uint8_t>(world, Semiring::or_and, layout,
                                                  std::span<const MatrixEntry<std::uint8_t>>(there));
    floyd_warshall_grid(world, Gemm({Semiring::or_and, Element::uint8}), r, options);
    const int row = grid.row_of(world.rank()), col = grid.col_of(world.rank());
    std::uint64_t wrong = 0;
    for (std::int64_t i = 0; i < w.local.rows(); ++i)
      for (std::int64_t j = 0; j < w.local.cols(); ++j) {
        const std::int64_t from = layout.rows.index_of(row, i), to = layout.cols.index_of(col, j);
        const float width = from == to ? kNoPath<float> : from < to ? static_cast<float>(21 - to) : -kNoPath<float>;
        wrong += w.local(i, j) != width;
        wrong += (r.local(i, j) & 1) != (from <= to);
      }
    CHECK(wrong == 0);
  });
}

TEST_CASE("a limited number of steps finds the paths whose inner vertices are in the first blocks") {
  run_ranks(2, shapes::buffers()[0].plan, [](World& world) {
    std::vector<MatrixEntry<std::int32_t>> mine;
    if (world.rank() == 0) mine = {{5, 0, 1}, {0, 4, 1}, {4, 3, 1}};
    GridOptions options;
    options.block = 2;
    options.steps = 1;
    auto d = distances_from_entries<std::int32_t>(world, Semiring::min_plus, GridLayout(6, 2, {1, 2}),
                                                  std::span<const MatrixEntry<std::int32_t>>(mine));
    const GridRun run = floyd_warshall_grid(world, gemm_of<std::int32_t>(), d, options);
    CHECK(run.steps.size() == 1);
    CHECK(run.operations == 2.0 * 6 * 6 * 2);
    std::vector<std::int64_t> right(36, -1);
    for (std::size_t v = 0; v < 6; ++v) right[v * 7] = 0;
    right[5 * 6 + 0] = 1;
    right[0 * 6 + 4] = 1;
    right[4 * 6 + 3] = 1;
    right[5 * 6 + 4] = 2;
    CHECK(wrong_entries(d, world, right) == 0);
  });
}

TEST_CASE("a run that pauses, ends and resumes elsewhere has the same distances") {
  const std::int64_t n = 41;
  const auto list = random_entries<std::int32_t>(n, 160, 8);
  const auto right = scalar_distances(n, list);
  run_ranks(4, shapes::buffers()[3].plan, [&](World& world) {
    GridOptions options;
    options.block = 4;
    auto d = distances_from_entries<std::int32_t>(world, Semiring::min_plus, GridLayout(n, 4, {2, 2}),
                                                  std::span<const MatrixEntry<std::int32_t>>(slice(list, world)));
    std::vector<std::int64_t> met;
    const GridRun begun =
        floyd_warshall_grid(world, gemm_of<std::int32_t>(), d, options, {.every = 3, .at = [&](std::int64_t next) {
                                                                           met.push_back(next);
                                                                           return world.sum(next) < 4 * 6;
                                                                         }});
    CHECK(met == std::vector<std::int64_t>{3, 6});
    CHECK(begun.next == 6);
    const GridRun ended = floyd_warshall_grid(world, gemm_of<std::int32_t>(), d, options, {.first = begun.next});
    CHECK(begun.steps.size() + ended.steps.size() == 11);
    CHECK(wrong_entries(d, world, right) == 0);
  });
}

TEST_CASE("a negative cycle ends the run on all ranks, with a vertex of it") {
  for (const ProcessGrid grid : {ProcessGrid{1, 1}, {2, 2}, {1, 3}, {3, 2}})
    run_ranks(grid.size(), shapes::buffers()[2].plan, [&](World& world) {
      for (GridOptions options : every_plan(4)) {
        std::vector<MatrixEntry<std::int32_t>> mine;
        if (world.rank() == 0) mine = {{0, 9, 3}, {9, 13, 2}, {13, 10, -4}, {10, 9, 1}, {20, 29, 1}};
        auto d = distances_from_entries<std::int32_t>(world, Semiring::min_plus, GridLayout(30, 4, grid),
                                                      std::span<const MatrixEntry<std::int32_t>>(mine));
        const GridRun run = floyd_warshall_grid(world, gemm_of<std::int32_t>(), d, options);
        CHECK((run.gain_vertex == 9 || run.gain_vertex == 10 || run.gain_vertex == 13));
        CHECK(run.next < 4);
        CHECK(world.min(run.gain_vertex) == world.max(run.gain_vertex));
      }
    });
}

TEST_CASE("mismatched layouts and options are rejected the same on all ranks") {
  run_ranks(2, shapes::buffers()[0].plan, [](World& world) {
    const std::vector<MatrixEntry<float>> outside = {{0, 9, 1}}, none;
    const auto build = [&](GridLayout layout, const std::vector<MatrixEntry<float>>& arcs) {
      return distances_from_entries<float>(world, Semiring::min_plus, layout,
                                           std::span<const MatrixEntry<float>>(arcs));
    };
    CHECK_THROWS_WITH_AS(build(GridLayout(9, 2, {1, 2}), world.rank() == 1 ? outside : none),
                         "an arc from 0 to 9 (there are 9 vertices). Number them from 0 on.", InputError);
    CHECK_THROWS_WITH_AS(build(GridLayout(9, 2, {2, 2}), none),
                         "a grid of 2 x 2 ranks (the job has 2). Choose another grid.", InputError);
    auto d = build(GridLayout(9, 2, {1, 2}), none);
    GridOptions options;
    options.block = 3;
    CHECK_THROWS_WITH_AS(floyd_warshall_grid(world, gemm_of<float>(), d, options),
                         "blocks of 3 (the matrix lies in blocks of 2). Lay it out with the same.", InputError);
  });
  CHECK_THROWS_WITH_AS(GridOptions::ablation("gmpi"),
                       "ablation 'gmpi' is unknown (there are naive, la, la+r, la+r+nt, coast). Choose one.",
                       InputError);
}

}  // namespace
}  // namespace atl
