// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/distances.hpp>
#include <atoll/apsp/floyd_warshall/grid_options.hpp>
#include <atoll/matrix/gemm/gemm.hpp>
#include <span>

/// All pairs over a grid of ranks: blocked Floyd-Warshall, COAST (grid_steps.hpp has its steps).
///
///     const GridLayout layout(n, options.block, {.rows = 2, .cols = 3});
///     auto d = distances_from_entries<float>(world, Semiring::min_plus, layout, my_arcs);    // the adjacency matrix
///     const GridRun run = floyd_warshall_grid(world, Gemm({Semiring::min_plus, Element::float32}), d, options);
///
/// Integers come out the same, bit for bit, whatever the grid, the block and the options. So do floating-point sums that
/// are exact; others may differ in the last digits with the block.
///
/// T is float, double, int32, uint16 or uint8, with the semirings that Gemm has over it.
namespace atl {

/// One arc of a graph, in dense ids.
template <class T>
struct MatrixEntry {
  std::int64_t row, col;
  T value;
};

/// The matrix of a graph: each rank gives some of the entries, each goes to the rank that has it. Of parallel arcs the
/// better one counts (the lighter one, over min_plus); a vertex has One to itself, or its loop where that is better.
/// Collective. Throws InputError, the same on all ranks, for an end outside [0, n) or a layout that is not the World's.
template <class T>
Distances<T> distances_from_entries(World& world, Semiring semiring, const GridLayout& layout,
                                    std::span<const MatrixEntry<T>> mine);

/// The closure of `d`, in place, or as much of it as GridOptions::steps and the pauses let be done. options.block must be the layout's.
/// Memory beside the matrix: two copies of a block, and of a local block row and block column each two as they travel and one
/// packed. A cycle that gains ends the run, GridRun::gain_vertex. Collective.
template <class T>
GridRun floyd_warshall_grid(World& world, const Gemm& gemm, Distances<T>& d, const GridOptions& options,
                            const StepHook& pauses = {});

}  // namespace atl
