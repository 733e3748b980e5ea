// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <vector>

/// The entering edges of the masters on one rank, with rows sorted by length within windows: the sigma sorting of
/// SELL-C-sigma (M. Kreutzer et al., SIAM J. Sci. Comput. 36(5), 2014), without padding.
///
/// If the values of all vertices fit the caches of a core, a sum over neighbours is bound by mispredicted loop exits.
/// Within a window of rows, small enough to keep locality, rows are sorted by length. Then loops over short rows of one
/// length are unrolled without exit branches, and the processor overlaps several rows.
///
///     LengthSortedRows rows(team, graph);                // rows.local_of[position]: local number
///     team.for_range(rows.chunks().size(), 1, [&](int, std::size_t c, std::size_t) {
///       rows.sum_rows(rows.chunks()[c], x, sums);        // sums[row] = sum of x over the row's sources
///     });
///
/// Memory: 4 bytes an edge, 4 a row, 32 a run.
namespace atl {

class LengthSortedRows {
 public:
  /// Rows [begin, end), each of `length` entries; the entries begin at ids_[ids].
  struct Run {
    std::size_t begin = 0, end = 0, length = 0, ids = 0;
  };
  /// Rows [begin, end), which consist of runs [first, last).
  struct Chunk {
    std::size_t begin = 0, end = 0, first = 0, last = 0;
  };

  LengthSortedRows(Team& team, const Graph& graph);

  Array<Local> local_of;  ///< [position] local number; its user may move it out
  /// Chunks of about equal work; only one if waking more threads would not pay.
  const std::vector<Chunk>& chunks() const { return chunks_; }
  /// Sets sums[row] for the chunk's rows; x is by position.
  template <class Real>
  void sum_rows(const Chunk& chunk, const Real* x, Real* sums) const;
  std::size_t memory_bytes() const {
    return (local_of.size() + ids_.size()) * sizeof(Local) + runs_.size() * sizeof(Run);
  }

 private:
  void order(Team& team, const Csr& in);
  void make_chunks(std::size_t threads);

  std::vector<Run> runs_;
  std::vector<Chunk> chunks_;
  Array<Local> ids_;  // positions
};

}  // namespace atl
