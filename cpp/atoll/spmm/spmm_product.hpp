// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/spmm/distributed_spmm.hpp>
#include <atoll/spmm/grid_spmm.hpp>
#include <memory>
#include <variant>

/// The product of a distributed sparse matrix and a dense one, C <- A B, by any SpmmStrategy: what callers hold that let
/// their users name one.
///
///     SpmmProduct<float> spmm(world, rows_of<float>(graph), spmm_strategy("broadcast-2d"));   // collective; plans once
///     spmm(b.view(), c.view());                                        // collective; b, c: this rank's rows
///     spmm.volume(b.cols()).sent;                                      // bytes, of all ranks
///
/// Where B is wider than memory has room for the buffers, it is multiplied in blocks of columns: those of a block, and
/// none wider, are fetched at a time. By an algorithm of rows_1d, but `joint`, C is the same bits then, unless a block has one
/// column.
namespace atl {

struct SpmmOptions {
  Reduce reduce = Reduce::sum;
  std::int64_t column_block = 0;  ///< columns that are multiplied at a time; 0: all
  /// Ranks of a team of broadcast-1.5d; 0: the largest divisor of the ranks that is at most their root, with which it
  /// moves least.
  Rank replication = 0;
};

/// Bytes of one product, over all ranks, without what says which they are (heads of messages and of blocks).
struct SpmmBytes {
  double coarse = 0;       ///< V_CG: every rank gets all rows
  double row_wise = 0;     ///< V_FR: a row for each remote nonzero
  double column_wise = 0;  ///< V_FC: a row for each remote column that a rank needs
  double sent = 0;         ///< by this product: rows of B; in 1.5D and 2D also partial results and nonzeros
  double crossing = 0;     ///< of it, across the highest level of the hierarchy
};

template <class T>
class SpmmProduct {
 public:
  /// Frees the rows. Collective; every rank throws UsageError for options that the strategy does not have (max or min in
  /// 1.5D or 2D, a replication elsewhere or of no divisor), InputError for a wrong matrix.
  SpmmProduct(World& world, MatrixRows<T>&& rows, const SpmmStrategy& strategy, const SpmmOptions& options = {});

  /// Multiplies as DistributedSpmm does. Collective; every rank throws InputError if a shape is wrong on any.
  void operator()(MatrixView<const T> b, MatrixView<T> c);

  std::int64_t rows() const;                   ///< of this rank
  std::int64_t columns() const;                ///< owned by this rank
  Edge nonzeros() const { return nonzeros_; }  ///< of this rank's rows
  const SpmmStrategy& strategy() const { return strategy_; }
  std::size_t phases() const;  ///< in which rows are fetched
  /// Collective.
  SpmmBytes volume(std::int64_t columns);
  /// [level] bytes that this rank sends in one product, as in SpmmBytes::sent. Collective at the first call for a number
  /// of columns.
  std::vector<std::uint64_t> traffic(std::int64_t columns);
  std::size_t memory_bytes() const;

 private:
  template <class P>
  using Held = std::unique_ptr<P>;
  using AnyProduct = std::variant<Held<DistributedSpmm<T>>, Held<ReplicatedSpmm<T>>, Held<SummaSpmm<T>>>;
  void count_remote(const MatrixRows<T>& rows);
  AnyProduct planned(MatrixRows<T>&& rows, Rank replication);
  template <class F>
  void for_blocks(std::int64_t columns, F&& f) const;

  World& world_;
  const SpmmStrategy strategy_;
  const Reduce reduce_;
  const std::int64_t column_block_;
  Vertex all_columns_ = 0;  // of all ranks
  Edge nonzeros_ = 0;
  SpmmVolume remote_;  // in 1.5D and 2D
  AnyProduct product_;
};

}  // namespace atl
