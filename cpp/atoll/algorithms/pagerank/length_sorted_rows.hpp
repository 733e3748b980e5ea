// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <vector>

/// The entering edges of the only rank's masters, rows of one length behind each other.
///
/// Where the values of all vertices fit the caches near a core, a sum over neighbours is bound by loops that end where
/// the processor did not expect it. Within a window of rows, small enough that neighbours stay near each other, rows are
/// sorted by their length: loops over short ones have no end to foresee, and the processor works at several at once.
///
///     LengthSortedRows rows(team, graph);                      // rows.local_of: the order, from position to local number
///     team.for_range(rows.chunks().size(), 1, [&](int, std::size_t c, std::size_t) {
///       rows.add_up(rows.chunks()[c], x, sums);          // sums[row] = sum of x over the row's sources
///     });
///
/// Memory: 4 bytes an edge, 4 a row, 32 a run.
namespace atl {

class LengthSortedRows {
 public:
  /// Rows [begin, end), all of `length` entries; theirs begin at `ids`.
  struct Run {
    std::size_t begin = 0, end = 0, length = 0, ids = 0;
  };
  /// Rows [begin, end), which are runs [first, last).
  struct Chunk {
    std::size_t begin = 0, end = 0, first = 0, last = 0;
  };

  LengthSortedRows(Team& team, const Graph& graph);

  Array<Local> local_of;  ///< [position]; a form may take it
  /// Of about equal work; one, if more threads would cost more than they bring.
  const std::vector<Chunk>& chunks() const { return chunks_; }
  /// Sets sums[row] for the chunk's rows; x is by position.
  template <class Real>
  void add_up(const Chunk& chunk, const Real* x, Real* sums) const;
  std::size_t memory_bytes() const {
    return (local_of.size() + ids_.size()) * sizeof(Local) + runs_.size() * sizeof(Run);
  }

 private:
  void order(Team& team, const Csr& in);
  void cut(std::size_t threads);

  std::vector<Run> runs_;
  std::vector<Chunk> chunks_;
  Array<Local> ids_;  // positions
};

}  // namespace atl
