// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/floyd_warshall/grid_options.hpp>
#include <atoll/matrix/block_cyclic.hpp>

/// Floyd-Warshall over a grid whose kernels only let time pass, for machines that are not here: no matrix is allocated, and
/// panels are bytes that travel but are not there. What the ranks say to each other, and when, is the algorithm's own
/// (grid_steps.hpp): only in virtual time (runtime/virtual_ranks.hpp).
///
///     run_virtual(Hierarchy::parse("128x8"), read_platform("frontier.json", 2), plan, [&](World& world) {
///       const GridRun run = modelled_floyd_warshall(world, GridLayout(n, 768, {32, 32}), options, {.rate = 15.56e12});
///     });
namespace atl {

struct ModelledKernels {
  /// Operations of a second of one rank in a product of depth b: rate * b / (b + half_depth). The paper's GCD: 15.56e12, 70.
  double rate = 15.56e12;
  double half_depth = 0;
  /// The same for closing a diagonal block; 0: as products.
  double diagonal_rate = 0;
  double value_bytes = 4;
  /// device: computed beside the rank's processor, which makes progress all the while. tiles: by the processor itself,
  /// which makes progress 16 times in an outer product's strip.
  enum class Where : std::uint8_t { device, tiles } where = Where::device;
};

/// Collective. Throws InputError, the same on all ranks, where time is not virtual.
GridRun modelled_floyd_warshall(World& world, const GridLayout& layout, const GridOptions& options,
                                const ModelledKernels& kernels);

}  // namespace atl
