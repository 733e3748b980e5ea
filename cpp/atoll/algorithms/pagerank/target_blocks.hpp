// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <span>
#include <vector>

/// The entering edges of a rank's masters, grouped by blocks of targets and sorted by source in each block.
///
/// A sum over neighbours is bound by its gathers. Here the sums of a block stay in the cache, 16 bits address a target,
/// and the sources of a block are read in ascending order, once each for all their edges into the block: dense sources
/// are streamed, others are prefetched. This is the partition-centric order of [1], but pulled: no intermediate
/// messages are written.
/// [1] K. Lakhotia, R. Kannan, V. Prasanna. "Accelerating PageRank using Partition-Centric Processing." USENIX ATC
/// 2018.
namespace atl {

class TargetBlocks {
 public:
  static constexpr int kRowBits = 15;
  /// Maximum rows of a block: 256 KiB of doubles.
  static constexpr std::size_t kRows = std::size_t{1} << kRowBits;
  struct Block {
    std::size_t begin = 0, end = 0;        ///< rows
    std::size_t sources = 0, targets = 0;  ///< where the block's sources and targets begin
    std::size_t targets_end = 0;
  };

  /// Blocks of the first `rows` rows of `in`, whose entries are below `locals`; enough blocks to balance the threads of
  /// `team`.
  TargetBlocks(Team& team, const Csr& in, std::size_t rows, std::size_t locals);

  const std::vector<Block>& blocks() const { return blocks_; }
  /// sums[r - block.begin] += x[u] for each edge u -> r of the block.
  template <class Real>
  void add(const Block& block, const Real* x, Real* sums) const {
    const Local* source = sources_.data() + block.sources - 1;
    for (std::size_t e = block.targets; e < block.targets_end; ++e) {
      const std::uint16_t target = targets_[e];
      source += target >> kRowBits;
      __builtin_prefetch(x + source[kAhead]);
      sums[target & (kRows - 1)] += x[*source];
    }
  }
  std::size_t memory_bytes() const { return sources_.size() * sizeof(Local) + targets_.size() * sizeof(std::uint16_t); }

 private:
  // Prefetch distance in sources.
  static constexpr std::size_t kAhead = 32;

  std::vector<Block> blocks_;
  Array<Local> sources_;          // ascending in each block
  Array<std::uint16_t> targets_;  // row in the block; top bit: first edge of the next source
};

}  // namespace atl
