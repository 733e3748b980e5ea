// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/all_pairs_report.hpp>
#include <atoll/apsp/distances.hpp>
#include <atoll/apsp/floyd_warshall/grid_options.hpp>
#include <atoll/apsp/floyd_warshall/grid_plan.hpp>
#include <atoll/apsp/pendant_trees/pendant_trees.hpp>
#include <atoll/apsp/replicated_csr.hpp>
#include <atoll/apsp/searches/choose_method.hpp>
#include <atoll/matrix/gemm/gemm.hpp>

/// All pairs' shortest paths of a graph: COAST (SC 2022) on any number of ranks, less of it where the graph allows.
///
///     const ReplicatedCsr<double> arcs = gather_arcs(world, read_edges(world, "roads.gr"));
///     const AllPairs<double> all = all_pairs(world, arcs, {});          // collective
///     all.distances.local(i, j);                                       // this rank's part of the matrix
///
/// On one rank components are computed one by one and trees that hang from them are taken off first (pendant_trees/pendant_trees.hpp), an
/// undirected graph costs half, and searches from every source take over where they are cheaper. On several ranks the
/// matrix is computed as it is (floyd_warshall_grid.hpp). Over other semirings (closure.hpp) it is computed as it is, too.
namespace atl {

struct AllPairsOptions {
  Semiring semiring = Semiring::min_plus;  ///< the arcs were gathered for; others than min_plus by Floyd-Warshall
  std::optional<PairsMethod> method = {};  ///< none: what is estimated to be fastest; on a grid Floyd-Warshall
  double delta = 0;                        ///< of delta-stepping; 0: tuned on the first sources
  PendantTreeRemoval pendant_trees = PendantTreeRemoval::yes;
  GridConstraints grid = {};                  ///< what is not said is chosen by the model; its block does not count
  std::int64_t block = 0;                     ///< b; 0: on one rank by n and the kernel, on a grid by the model
  std::optional<GemmBlocking> blocking = {};  ///< of products; none: the usual one
  std::optional<ApspMachine> machine = {};    ///< rates for the model (stored_machine); none: the usual ones
  GridOptions on_grid = {};                   ///< look-ahead, kernel, steps; all else of it is the plan's
  StepHook pauses = {};                       ///< on a grid; with a checkpoint they are its own
  /// With a folder: saved there now and then and gone on with from there (saved_run.hpp). Its `run` does not count. One
  /// rank then computes as a grid of 1 x 1 does.
  CheckpointOptions checkpoint = {.folder = {}, .every_steps = 0, .every_seconds = 1800, .run = {}};
};

template <class T>
struct AllPairs {
  Distances<T> distances;
  AllPairsReport report;
};

/// Collective. Throws InputError, alike on all ranks: a negative cycle (named), a matrix that does not fit in memory
/// (before anything is computed, with what would fit), a path whose length T does not hold (named: it is never told as no
/// path, nor one of whole weights rounded by float64). UsageError: options that do not go together. RunStopped: SIGTERM, saved.
template <class T>
AllPairs<T> all_pairs(World& world, const ReplicatedCsr<T>& arcs, const AllPairsOptions& options = {});

}  // namespace atl
