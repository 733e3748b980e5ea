// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/graph/partition/blocks.hpp>
#include <atoll/matrix/sparse/sparse_matrix.hpp>
#include <span>
#include <vector>

/// The part of one processing element (PE, a GPU) in a product C <- A B by CoLa [1]: which rows of B come when and from
/// where, and which nonzeros of A they meet.
///
///     const ColaGroups groups{.pes = 16, .size = 8};
///     needed[pe] = needed_columns(rows, blocks, pe);            // and those of the other PEs, exchanged by the caller
///     const ColaPlan plan(groups, pe, blocks, rows, needed);
///
/// There are as many phases as workgroups. In phase j the PEs of workgroup w multiply with rows of B that belong to
/// workgroup g = (w + j) mod W, which lie in their buffers: in phase 0 a PE's own rows of B, later those rows of its
/// counterparts in g that any PE of w needs, in ascending order. What lies in the PE's own buffer is multiplied row by
/// row, and what lies in those of its peers (the other PEs of w) column by column, so that each row is fetched once.
///
/// P, G and n are any numbers: blocks may be unequal or empty, and the last workgroup may be smaller. A PE then has
/// several counterparts in a larger workgroup, whose rows follow each other in its buffer, or none.
///
/// [1] L. Zhang, Y. Shao, S. Li. "CoLa: Towards communication-efficient distributed sparse matrix-matrix multiplication
/// on GPUs." ICS 2025. Sections 3.2, 4.2 and 4.3.
namespace atl {

/// PEs in workgroups of `size`; the last one has what is left.
struct ColaGroups {
  Rank pes = 1, size = 1;  ///< P, G

  Rank count() const { return (pes + size - 1) / size; }  ///< W
  Rank of(Rank pe) const { return pe / size; }
  Rank begin(Rank group) const { return group * size; }
  Rank end(Rank group) const { return std::min(pes, (group + 1) * size); }
  /// The PE of `group` that buffers rows of `source`: the one with the same place in its workgroup, or with that place
  /// modulo the workgroup's size where it is smaller.
  Rank buffering(Rank source, Rank group) const { return begin(group) + source % size % (end(group) - begin(group)); }
};

/// This PE's rows of A, with global columns: those of row i are columns[offsets[i]] .. columns[offsets[i + 1] - 1].
struct ColaRows {
  std::span<const Edge> offsets;    ///< rows + 1
  std::span<const Vertex> columns;  ///< of each nonzero, in any order
  std::span<const float> values;    ///< of each nonzero; empty: all are 1
  Vertex rows() const { return static_cast<Vertex>(offsets.size()) - 1; }
};

/// Columns of other PEs that the rows have nonzeros in, ascending, each once: O(nonzeros x log). `blocks` says whose a
/// column is.
std::vector<Vertex> needed_columns(const ColaRows& rows, const Blocks& blocks, Rank pe);

/// Nonzeros in columns that lie in peers' buffers, column after column, ordered by peer and position.
struct ColaColumns {
  std::vector<Rank> peers;       ///< of each column: whose buffer, counted from the workgroup's first PE
  std::vector<Local> positions;  ///< of each column: which row of that buffer
  std::vector<Edge> offsets{0};  ///< columns + 1
  std::vector<Local> rows;       ///< of each nonzero
  std::vector<float> values;     ///< of each nonzero

  std::size_t count() const { return peers.size(); }
};

/// Rows of the PE's own buffer that a peer fetches in a phase, ascending: the peer's columns, seen from here. For links
/// on which a PE cannot read what another one has.
struct ColaRequest {
  Rank by = 0;
  std::vector<Local> positions;
};

/// Rows that another workgroup's PE puts into the PE's own buffer before a phase: that one's ColaPut, seen from here.
/// For links on which a PE must say what it receives.
struct ColaReceipt {
  Rank from = 0;
  Local first = 0, count = 0;
};

struct ColaPhase {
  Local buffer_rows = 0;      ///< of the PE's own buffer
  SparseMatrix<float> local;  ///< columns: rows of the PE's own buffer
  ColaColumns remote;
  std::vector<ColaRequest> requests;  ///< by those peers that fetch any
  std::vector<ColaReceipt> receipts;  ///< of those PEs that put any; none in phase 0
};

/// Rows of B that the PE puts into another one's buffer before a phase.
struct ColaPut {
  Rank to = 0;
  Local first = 0;  ///< the row of that buffer where they begin
  Local count = 0;
  bool all = false;         ///< all of the PE's rows, which lie together already
  std::vector<Local> rows;  ///< ascending; empty if all
};

struct ColaPlan {
  /// blocks: whose rows of B, and so columns of A, are whose. needed: [PE] its needed_columns(); of PEs in other
  /// workgroups only columns of this workgroup are read. O(nonzeros x log). Throws InputError where they do not fit
  /// each other, or where a buffer would have 2^31 rows.
  ColaPlan(const ColaGroups& groups, Rank pe, const Blocks& blocks, const ColaRows& rows,
           std::span<const std::vector<Vertex>> needed);

  ColaGroups groups;
  Rank pe = 0;
  Local own_rows = 0;             ///< of B
  std::vector<ColaPhase> phases;  ///< W
  std::vector<ColaPut> puts;      ///< [phase - 1], one before each phase but the first

  /// Rows of B that this PE fetches from its peers in a product, and those that it puts across workgroups.
  std::uint64_t rows_fetched() const;
  std::uint64_t rows_put() const;
};

}  // namespace atl
