// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/arcs/distances.hpp>
#include <atoll/apsp/floyd_warshall/grid_options.hpp>
#include <atoll/matrix/gemm/gemm.hpp>
#include <span>

/// All pairs over a grid of ranks by blocked Floyd-Warshall, after COAST; grid_steps.hpp has the steps.
///
///     const GridLayout layout(n, options.block, {.rows = 2, .cols = 3});
///     auto d = distances_from_entries<float>(world, Semiring::min_plus, layout, my_arcs);    // the adjacency matrix
///     const GridRun run = floyd_warshall_grid(world, Gemm({Semiring::min_plus, Element::float32}), d, options);
///
/// Integer results are the same bit for bit, whatever the grid, the block and the options. So are floating-point sums
/// that are exact; others may differ in the last digits with the block.
///
/// T is float, double, int32, uint16 or uint8, with the semirings that Gemm supports for it.
namespace atl {

/// One arc of a graph, in dense ids.
template <class T>
struct MatrixEntry {
  std::int64_t row, col;
  T value;
};

/// The adjacency matrix of a graph: each rank passes some of the entries, each is sent to the rank that stores it. The
/// best of parallel arcs counts (the lightest over min_plus). The diagonal is One, or a self-loop's weight if that is
/// better. Collective. Throws InputError, the same on all ranks, for an end outside [0, n) or a layout that does not
/// fit the World.
template <class T>
Distances<T> distances_from_entries(World& world, Semiring semiring, const GridLayout& layout,
                                    std::span<const MatrixEntry<T>> mine);

/// Computes the closure of `d` in place, or as much of it as GridOptions::steps and the StepHook allow. options.block
/// must be the layout's. Memory beside the matrix: two copies of a block; two of a local block row and block column in
/// flight, and one packed. An improving cycle ends the run (GridRun::gain_vertex). Collective.
template <class T>
GridRun floyd_warshall_grid(World& world, const Gemm& gemm, Distances<T>& d, const GridOptions& options,
                            const StepHook& pauses = {});

}  // namespace atl
