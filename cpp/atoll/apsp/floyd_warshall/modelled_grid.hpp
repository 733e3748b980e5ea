// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/floyd_warshall/grid_options.hpp>
#include <atoll/matrix/block_cyclic.hpp>

/// Floyd-Warshall over a grid with modelled kernels, to predict other machines. No matrix is allocated:
/// kernels only advance virtual time, and panels are sizes without bytes. The messages and their order are those of the
/// algorithm (grid_steps.hpp). Only in virtual time (runtime/job/virtual_ranks.hpp).
///
///     run_virtual(Hierarchy::parse("128x8"), read_machine("frontier.json", 2), plan, [&](World& world) {
///       const GridRun run = modelled_floyd_warshall(world, GridLayout(n, 768, {32, 32}), options, {.rate = 15.56e12});
///     });
namespace atl {

struct ModelledKernels {
  /// Operations per second of one rank in a product of depth b: rate * b / (b + half_depth). The paper's GCD: 15.56e12,
  /// 70.
  double rate = 15.56e12;
  double half_depth = 0;
  /// The same for closing a diagonal block; 0: the rate of products.
  double diagonal_rate = 0;
  double value_bytes = 4;
  /// device: an accelerator computes, and the rank's processor makes progress all the while. tiles: the processor
  /// computes and makes progress 16 times in each strip of an outer product.
  enum class Where : std::uint8_t { device, tiles } where = Where::device;
};

/// Collective. Throws InputError, the same on all ranks, if time is not virtual.
GridRun modelled_floyd_warshall(World& world, const GridLayout& layout, const GridOptions& options,
                                const ModelledKernels& kernels);

}  // namespace atl
