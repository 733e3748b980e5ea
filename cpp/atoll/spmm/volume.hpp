// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/spmm/matrix_rows.hpp>
#include <atoll/topology/hierarchy.hpp>
#include <cstdint>
#include <vector>

/// Volumes that products of a distributed matrix move, by the strategies that CoLa [1] compares (sections 3.1 and 4.2),
/// counted from where the matrix has nonzeros. The ranks are modelled: there may be any number of them.
///
///     const Blocks blocks = Blocks::even(a.rows, 16);                                  // rows of A, B and C of a rank
///     const FetchedRows rows = count_fetched(a.pattern(), blocks, blocks, workgroups(16, 8));
///     const CommunicationVolume v = volume_of(rows, 32, sizeof(float));                // of B with 32 columns
///     v.column_wise;                                                                   // bytes: V_FC
///
/// [1] L. Zhang, Y. Shao, S. Li. "CoLa: Towards communication-efficient distributed sparse matrix-matrix multiplication
/// on GPUs." ICS 2025.
namespace atl {

/// Rows of B that cross each level of a hierarchy in one product, of all ranks together: [level], 0 is inside a leaf
/// domain.
struct FetchedRows {
  using Levels = std::vector<std::uint64_t>;
  Levels coarse;       ///< each rank sends all of its rows to every other
  Levels row_wise;     ///< a rank fetches a row for each nonzero in a column of another rank; in all: E_R
  Levels column_wise;  ///< a rank fetches a row once, however many nonzeros read it; in all: N_R
  Levels fused;        ///< a row crosses each boundary of a domain once for all ranks behind it (HaloPath::domains)
};

/// Bytes, of all ranks together. Those across cross the highest level of the hierarchy: with workgroups, from one to
/// another.
struct CommunicationVolume {
  std::uint64_t coarse = 0, row_wise = 0, column_wise = 0;                       ///< V_CG, V_FR, V_FC
  std::uint64_t coarse_across = 0, row_wise_across = 0, column_wise_across = 0;  ///< VI_CG, VI_FR, VI_FC
  std::uint64_t fused_across = 0;                                                ///< VI_CoLa
};

/// Ranks in workgroups of `size`; the last one has what is left. Throws InputError unless 1 <= size <= ranks.
Hierarchy workgroups(Rank ranks, Rank size);

/// Consecutive rows for each rank with about as many nonzeros each.
Blocks blocks_by_nonzeros(const SparsePattern& a, Rank ranks);

/// Rank r has rows.begin(r) .. rows.end(r) of A, and the rows of B of the columns columns.begin(r) .. columns.end(r).
/// Takes O(nonzeros + ranks^2 + fetched rows x log ranks) time and 8 bytes for each column. Throws InputError where
/// blocks, hierarchy and matrix do not fit each other.
FetchedRows count_fetched(const SparsePattern& a, const Blocks& rows, const Blocks& columns, const Hierarchy& ranks);

/// Rows of B and partial rows of C that cross each level by the strategy `joint`: those of the least cover of the block
/// between each two domains, inside a leaf domain between each two ranks (multiplied_by_owners()). A row of B crosses
/// once for all ranks behind a boundary, one of C summed over them. Across the highest level, and everywhere if the
/// hierarchy is flat, never more than FetchedRows::fused. Takes 16 bytes for each nonzero between ranks.
FetchedRows::Levels count_joint(const SparsePattern& a, const Blocks& rows, const Blocks& columns,
                                const Hierarchy& ranks);

/// count_fetched() of a matrix distributed over the World's ranks, which need not be those that are modelled: every rank gets
/// the numbers of the whole matrix. Memory: 24 bytes for each pair of a modelled rank and a column that it fetches.
/// Collective; throws on every rank alike.
template <class T>
FetchedRows count_fetched(World& world, const MatrixRows<T>& a, const Blocks& rows, const Blocks& columns,
                          const Hierarchy& ranks);

/// The volume of `coarse`, which does not depend on where the matrix has nonzeros: n (P - 1) rows over all levels.
FetchedRows::Levels coarse_rows(const Blocks& columns, const Hierarchy& ranks);

/// columns: of B; value_bytes: of one value.
CommunicationVolume volume_of(const FetchedRows& rows, std::int64_t columns, std::size_t value_bytes);

}  // namespace atl
