// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/all_pairs_report.hpp>
#include <atoll/apsp/arcs/distances.hpp>
#include <atoll/apsp/arcs/replicated_csr.hpp>
#include <atoll/apsp/floyd_warshall/grid_options.hpp>
#include <atoll/apsp/floyd_warshall/grid_plan.hpp>
#include <atoll/apsp/pendant_trees/pendant_trees.hpp>
#include <atoll/apsp/searches/choose_method.hpp>
#include <atoll/base/progress.hpp>
#include <atoll/device/device_kernels.hpp>
#include <atoll/matrix/gemm/gemm.hpp>

/// All-pairs shortest paths of a graph, after COAST (SC 2022), on any number of ranks, with less work if the graph
/// allows it.
///
///     const ReplicatedCsr<double> arcs = gather_arcs(world, read_edges(world, "roads.gr"));
///     const AllPairs<double> all = all_pairs(world, arcs, {});          // collective
///     all.distances.local(i, j);                                       // this rank's part of the matrix
///
/// One rank computes the connected components one by one and first removes their pendant trees
/// (pendant_trees/pendant_trees.hpp). Undirected graphs cost half. Searches from every source replace Floyd-Warshall
/// where they are cheaper; of several ranks each searches from the sources of its own rows. Else they compute the whole
/// matrix by Floyd-Warshall on a grid (grid/grid.hpp), and so do other semirings (floyd_warshall/closure.hpp). With a device Floyd-Warshall runs there, on
/// each rank's own (device/on_device.hpp).
namespace atl {

struct AllPairsOptions {
  Semiring semiring = Semiring::min_plus;  ///< the one the arcs were gathered for; all but min_plus use Floyd-Warshall
  std::optional<PairsMethod> method = {};  ///< none: the fastest by estimate
  double delta = 0;                        ///< bucket width of delta-stepping; 0: tuned on the first sources
  PendantTreeRemoval pendant_trees = PendantTreeRemoval::yes;
  GridConstraints grid = {};  ///< the model chooses what is not given; grid.block is ignored
  std::int64_t block = 0;     ///< block size b; 0: chosen by n and the kernel (one rank) or by the model (grid)
  std::optional<GemmBlocking> blocking = {};   ///< of products; none: the default
  std::optional<ApspMachine> machine = {};     ///< rates for the model (stored_machine); none: the defaults
  GridOptions on_grid = {};                    ///< only look-ahead, kernel and steps count; the plan sets the rest
  StepHook pauses = {};                        ///< called on a grid; a checkpoint replaces it by its own
  Progress progress = {};                      ///< blocks of Floyd-Warshall
  Device* device = nullptr;                    ///< of this rank, for products over min_plus; null: the processor
  std::optional<DeviceTile> device_tile = {};  ///< of products there; none: the default
  /// If it has a folder, the run saves its state there from time to time and resumes from it (grid/saved_run.hpp). Its
  /// `run` is ignored. A single rank then computes like a 1 x 1 grid.
  CheckpointOptions checkpoint = {.folder = {}, .every_steps = 0, .every_seconds = 1800, .run = {}};
};

template <class T>
struct AllPairs {
  Distances<T> distances;
  AllPairsReport report;
};

/// Collective. Throws InputError, the same on all ranks: for a negative cycle (named), for a matrix that does not fit
/// in memory (before any computation, with what would fit), and for a path whose length T cannot hold (named; it is
/// never reported as "no path", nor rounded by float64 if weights are whole). Throws UsageError for options that
/// contradict each other, and RunStopped after SIGTERM, when the state is saved; DeviceError where a device refuses.
template <class T>
AllPairs<T> all_pairs(World& world, const ReplicatedCsr<T>& arcs, const AllPairsOptions& options = {});

}  // namespace atl
