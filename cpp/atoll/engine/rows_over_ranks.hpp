// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/edge_weighting.hpp>
#include <atoll/engine/mirror_exchange.hpp>

namespace atl {

/// Numbers the vertices that have an edge over all ranks, those of a rank one after another. Collective.
///
///     RowsOverRanks rows(graph);
///     rows.of()[local]; rows.begin();             // of any local vertex; of this rank's first
///     rows.gather(graph.out(), weights);          // collective: the lists of all ranks, on rank 0
///     rows.replicate(graph.out());                // collective: the same on each rank, without weights
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
  /// The lists of all rows, whose targets are rows, ascending if they do in `lists`, which are of this rank's masters.
  /// On rank 0; on the others lists of no vertex. Collective.
  Csr gather(const Csr& lists, EdgeWeighting weights) const;
  Csr replicate(const Csr& lists) const;
  std::size_t memory_bytes() const { return exchange_.memory_bytes() + of_.size() * sizeof(Local); }

 private:
  template <class T, class F>
  Array<T> in_row_order(const Csr& lists, F&& value) const;
  std::vector<Edge> lengths(const Csr& lists) const;

  World& world_;
  Rank rank_;
  Local first_mirror_, first_above_;  // local numbers of the mirrors of all ranks, of those of ranks above this one
  Blocks blocks_;
  MirrorExchange<Local, MinOf> exchange_;
  Array<Local> of_;
};

}  // namespace atl
