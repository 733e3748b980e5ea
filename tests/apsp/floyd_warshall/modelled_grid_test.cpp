// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/apsp/floyd_warshall/modelled_grid.hpp>
#include <atoll/apsp/grid/grid.hpp>
#include <atoll/runtime/job/virtual_ranks.hpp>
#include <functional>

namespace atl {
namespace {

struct Seen {
  double seconds = 0;
  std::uint64_t bytes = 0, chunks = 0;  // of all ranks
  double wait = 0;                      // of rank 0
};

Seen simulate(ProcessGrid grid, const Machine& platform, const std::function<GridRun(World&)>& f) {
  Seen seen;
  run_virtual(Hierarchy::flat(grid.size()), platform, {}, [&](World& world) {
    const GridRun run = f(world);
    const double seconds = world.max(run.seconds);
    const std::uint64_t bytes = world.sum(run.broadcasts.bytes_sent), chunks = world.sum(run.broadcasts.chunks_sent);
    if (world.rank() == 0) seen = {seconds, bytes, chunks, run.sum().wait};
  });
  return seen;
}

Seen modelled(ProcessGrid grid, std::int64_t n, GridOptions options, double bytes_per_second,
              ModelledKernels kernels = {.rate = 1e12}) {
  return simulate(grid, std::vector<LevelCost>{{1e-6, bytes_per_second, 0}}, [&](World& world) {
    return modelled_floyd_warshall(world, GridLayout(n, options.block, grid), options, kernels);
  });
}

TEST_CASE("one modelled rank takes the time of its operations") {
  GridOptions options;
  options.block = 500;
  CHECK(modelled({}, 10000, options, 1e9).seconds == doctest::Approx(2.0).epsilon(1e-6));
  const ModelledKernels slower = {.rate = 1e12, .half_depth = 500, .where = ModelledKernels::Where::tiles};
  CHECK(modelled({}, 10000, options, 1e9, slower).seconds == doctest::Approx(4.0).epsilon(1e-6));
}

TEST_CASE("a modelled run sends the same messages as a computed one") {
  GridOptions options;
  options.block = 5;
  options.chunk_bytes = 100;
  for (const ProcessGrid grid : {ProcessGrid{2, 2}, {3, 2}, {2, 4}})
    for (const auto shape : {BroadcastShape::tree, BroadcastShape::ring, BroadcastShape::ring2m}) {
      options.panels = shape;
      const GridLayout layout(43, options.block, grid);
      const Seen computed = simulate(grid, std::vector<LevelCost>{{1e-6, 1e9, 0}}, [&](World& world) {
        auto d = distances_from_entries<float>(world, Semiring::min_plus, layout, {});
        return floyd_warshall_grid(world, Gemm({Semiring::min_plus, Element::float32}), d, options);
      });
      const Seen stood_for = modelled(grid, 43, options, 1e9);
      CHECK(stood_for.bytes == computed.bytes);
      CHECK(stood_for.chunks == computed.chunks);
      // Each panel goes once to all others of its row or column: 4 n^2 (Px - 1 + Py - 1) bytes, plus diagonal blocks.
      CHECK(computed.bytes >= 4 * 43 * 43 * static_cast<std::uint64_t>(grid.rows + grid.cols - 2));
    }
}

TEST_CASE("look-ahead hides panels behind a long enough outer product") {
  GridOptions naive = GridOptions::ablation("naive"), coast = GridOptions::ablation("coast");
  naive.block = coast.block = 256;
  const ProcessGrid grid{4, 4};
  // A step: 2 * 4096^2 * 256 operations at 1e12 per second take 8.6 ms; its two panels of 4 MB each 0.34 ms per hop.
  const double ideal = 2.0 * 16384.0 * 16384 * 16384 / 16 / 1e12;
  const Seen without = modelled(grid, 16384, naive, 12.5e9), with = modelled(grid, 16384, coast, 12.5e9);
  MESSAGE("naive ", without.seconds, " s, coast ", with.seconds, " s, ideal ", ideal, " s");
  CHECK(with.seconds < 1.15 * ideal);
  CHECK(with.seconds < without.seconds);
  CHECK(with.wait < 0.3 * without.wait);
}

TEST_CASE("modelled kernels need virtual time") {
  run_ranks(2, {}, [](World& world) {
    CHECK_THROWS_WITH_AS(modelled_floyd_warshall(world, GridLayout(9, 2, {1, 2}), {}, {}),
                         "modelled kernels over transport inproc (they need virtual time). Take levels.", InputError);
  });
}

}  // namespace
}  // namespace atl
