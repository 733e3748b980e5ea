// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atoll/engine/halo/halo_exchange.hpp>
#include <atoll/matrix/spmm/spmm.hpp>
#include <atoll/spmm/matrix_rows.hpp>
#include <atoll/spmm/partial_rows.hpp>
#include <atoll/spmm/strategy.hpp>
#include <map>

/// The product of a sparse matrix distributed by rows and a dense matrix distributed in the same way, C <- A B, without
/// redundant communication (CoLa [1], sections 3.2, 4 and 5.1).
///
///     DistributedSpmm<float> spmm(world, rows_of<float>(graph));      // collective; plans once
///     spmm(b.view(), c.view());                                       // collective; b, c: this rank's rows
///
/// A rank splits its rows in a local chunk, whose columns it owns, and a remote one. Each row of B that the remote chunk
/// needs is fetched once, however many nonzeros read it: V_FC = sizeof(T) N_R k bytes over all ranks (equation 7), where
/// N_R counts the pairs of a rank and a remote column in which the rank has nonzeros. Across the domains of the World's
/// hierarchy it is fetched once for a whole domain and passed on inside, level by level (section 4.2, for any number of
/// levels). The remote chunk is cut into phases by the domain that owns the columns, its own first (overlapped_phases());
/// while a phase's rows are multiplied, those of the next one arrive in a second buffer. Other strategies (SpmmStrategy)
/// give the same result; `joint` has the owners of columns multiply some of the nonzeros and send back sums, which are
/// added in the order of their arrival: its sums may be rounded differently from call to call.
///
/// Memory beside A, B and C: rows of B in one or two buffers, together at most about twice this rank's share of B, or
/// twice SpmmStrategy::undivided_rows where that is more; by `joint` also the rows of C that a rank computes for others,
/// and its own of which others compute a part. Calls may follow each other at once, with any B.
///
/// On a virtual clock a product takes the time of the Machine's device (charge_product()). SpmmProduct holds a product of
/// any strategy.
///
/// [1] L. Zhang, Y. Shao, S. Li. "CoLa: Towards communication-efficient distributed sparse matrix-matrix multiplication
/// on GPUs." ICS 2025.
namespace atl {

/// Rows that a product moves, over all ranks.
struct SpmmVolume {
  double remote_nonzeros = 0;  ///< E_R: fetched if each nonzero fetches its row
  double remote_columns = 0;   ///< N_R: fetched if each rank fetches a row once
  double crossing = 0;         ///< of the rows that this strategy sends, those that cross the highest level
};

template <class T>
class DistributedSpmm {
 public:
  /// Frees the rows. Collective; every rank throws InputError for a column that does not exist or a strategy whose
  /// algorithm is not rows_1d.
  DistributedSpmm(World& world, MatrixRows<T>&& rows, Reduce reduce, const SpmmStrategy& strategy);
  DistributedSpmm(World& world, MatrixRows<T>&& rows, Reduce reduce = Reduce::sum)
      : DistributedSpmm(world, std::move(rows), reduce, default_spmm_strategy(world)) {}
  DistributedSpmm(const DistributedSpmm&) = delete;
  DistributedSpmm& operator=(const DistributedSpmm&) = delete;

  /// b has the rows of the columns that this rank owns, c its rows of the matrix, both the same number of columns on all
  /// ranks, at least one. Collective; every rank throws InputError if a shape is wrong on any.
  void operator()(MatrixView<const T> b, MatrixView<T> c);

  std::int64_t rows() const { return local_.rows; }        ///< of this rank
  std::int64_t columns() const { return local_.columns; }  ///< owned by this rank
  const SpmmStrategy& strategy() const { return strategy_; }
  std::size_t phases() const { return phases_.size(); }
  Edge nonzeros() const { return local_.pattern().nonzeros() + remote_nonzeros_; }  ///< of this rank
  /// Collective.
  SpmmVolume volume() const;
  /// Returns what this rank sends across each level of the hierarchy in one product with `columns` columns, as the
  /// counters count it, but for 8 bytes of each message. Collective at the first call for a number of columns.
  std::vector<HaloTraffic> traffic(std::int64_t columns);
  std::size_t memory_bytes() const;

 private:
  using Exchange = HaloExchange<T, SumOf>;
  /// Columns that are fetched together, and the nonzeros in them.
  struct Phase {
    std::shared_ptr<const HaloPlan> plan;
    SparseMatrix<T> chunk;  // columns: copies
    std::optional<Spmm<T>> product;
    std::map<std::int64_t, Exchange> exchanges;  // [columns]
  };
  class Split;
  Exchange& exchange_of(Phase& phase, std::int64_t columns);

  World& world_;
  const Reduce reduce_;
  const SpmmStrategy strategy_;
  std::vector<Edge> row_nonzeros_;  // [own row] of all chunks
  Edge remote_nonzeros_ = 0;
  std::size_t remote_columns_ = 0;
  std::optional<PartialRows<T>> partial_;  // of a joint cover, if any rank computes some
  SparseMatrix<T> local_;                  // columns: own rows of B
  std::optional<Spmm<T>> local_product_;
  std::vector<Phase> phases_;
  std::array<Array<T>, 2> copies_;  // of even and odd phases, for the widest product so far
};

/// A^T, distributed by its rows: what gradients with respect to B multiply by. Collective.
template <class T>
MatrixRows<T> transposed(World& world, const MatrixRows<T>& rows);

}  // namespace atl
