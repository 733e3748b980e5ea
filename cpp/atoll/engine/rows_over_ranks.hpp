// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/mirror_exchange.hpp>

namespace atl {

/// Numbers the vertices that have an edge over all ranks, those of a rank one after another. Collective.
///
///     RowsOverRanks rows(graph);
///     rows.of()[local]; rows.begin();             // of any local vertex; of this rank's first
///     rows.replicate(graph.out());                // collective: the lists of all ranks, on each of them
///
/// At most 2^31 - 1 vertices: else InputError, the same on all ranks. Memory: 4 bytes a local vertex.
class RowsOverRanks {
 public:
  explicit RowsOverRanks(const Graph& graph);

  const Blocks& blocks() const { return blocks_; }
  /// [local]; -1 for numbers that no local vertex has.
  const Array<Local>& of() const { return of_; }
  Local begin() const { return static_cast<Local>(blocks_.begin(rank_)); }
  bool is_own(Local row) const { return row >= begin() && row < static_cast<Local>(blocks_.end(rank_)); }
  MirrorExchange<Local, MinOf>& exchange() { return exchange_; }
  /// The lists of all rows, whose targets are rows, without weights. `lists` are those of this rank's masters. Collective.
  Csr replicate(const Csr& lists) const;
  std::size_t memory_bytes() const { return exchange_.memory_bytes() + of_.size() * sizeof(Local); }

 private:
  World& world_;
  Rank rank_;
  Blocks blocks_;
  MirrorExchange<Local, MinOf> exchange_;
  Array<Local> of_;
};

}  // namespace atl
