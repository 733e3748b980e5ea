// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/halo/halo_exchange.hpp>
#include <atoll/matrix/spmm/spmm.hpp>
#include <atoll/runtime/broadcast/panel_broadcast.hpp>
#include <atoll/spmm/matrix_rows.hpp>
#include <atoll/spmm/strategy.hpp>
#include <map>

/// The products that CoLa is compared with: CAGNET's algorithms [1], which move rows of B whether they are needed or not.
/// Matrices are distributed as for DistributedSpmm, and so is the result.
///
///     ReplicatedSpmm<float> spmm(world, rows_of<float>(graph), 2);      // 1.5D; collective
///     SummaSpmm<float> summa(world, rows_of<float>(graph));             // 2D
///     spmm(b.view(), c.view());                                         // collective; b, c: this rank's rows
///     spmm.volume(b.cols()).total();                                    // bytes, of all ranks
///
/// SpmmProduct has them by name, as broadcast-1.5d and broadcast-2d. On a virtual clock they take the time of the
/// Machine's device for what they multiply.
///
/// Both add partial results, so they have Reduce::sum and mean. Ranks add in the order in which results arrive: sums may
/// be rounded differently from call to call.
///
/// [1] A. Tripathy, K. Yelick, A. Buluc. "Reducing communication in graph neural network training." SC 2020.
namespace atl {

/// Bytes that one product moves between ranks, over all ranks, without headers.
struct GridVolume {
  std::uint64_t a = 0;  ///< nonzeros, with their row offsets
  std::uint64_t b = 0;
  std::uint64_t c = 0;  ///< partial results
  std::uint64_t total() const { return a + b + c; }
};

/// 1.5D: teams of `replication` ranks each have the rows of all their members. Member j multiplies the team's rows with
/// the columns of the ranks from j P / replication on, P / replication of them, whose rows of B it fetches; then the
/// owners add up the members' results. With c = replication and n rows and columns this moves n P / c rows of B, less
/// those that ranks fetch from themselves, and n (c - 1) of C.
///
/// Memory beside A, B and C: n / c rows of B, and the team's rows of C.
template <class T>
class ReplicatedSpmm {
 public:
  /// Frees the rows. Collective; every rank throws UsageError for another reduction or a replication that does not
  /// divide the number of ranks, InputError for a matrix that is not right.
  ReplicatedSpmm(World& world, MatrixRows<T>&& rows, Rank replication, Reduce reduce = Reduce::sum,
                 const SpmmProgram& program = {});
  ReplicatedSpmm(const ReplicatedSpmm&) = delete;
  ReplicatedSpmm& operator=(const ReplicatedSpmm&) = delete;

  /// Multiplies as DistributedSpmm does. Collective; every rank throws InputError if a shape is wrong on any.
  void operator()(MatrixView<const T> b, MatrixView<T> c);

  std::int64_t rows() const { return static_cast<std::int64_t>(row_nonzeros_.size()); }  ///< of this rank
  std::int64_t columns() const { return local_.columns; }                                ///< owned by this rank
  std::size_t phases() const { return 1; }
  GridVolume volume(std::int64_t columns) const;
  /// Returns what this rank sends across each level of the hierarchy in one product, as the counters count it, but for
  /// 8 bytes of each message. Collective at the first call for a number of columns.
  std::vector<HaloTraffic> traffic(std::int64_t columns);
  std::size_t memory_bytes() const;

 private:
  struct Exchanges {
    Exchanges(const std::shared_ptr<const HaloPlan>& fetched, const std::shared_ptr<const HaloPlan>& added,
              std::size_t width)
        : fetch(fetched, width, HaloPath::direct), add(added, width, HaloPath::direct) {}
    HaloExchange<T, SumOf> fetch, add;
  };
  Exchanges& exchanges_of(std::int64_t columns);

  World& world_;
  const Reduce reduce_;
  const SpmmProgram program_;
  std::vector<Edge> row_nonzeros_;                   // [own row]
  std::shared_ptr<const HaloPlan> fetched_, added_;  // rows of B of the share; rows of C of the team
  SparseMatrix<T> local_, remote_;                   // rows of added_; columns: own rows of B, copies
  std::optional<Spmm<T>> local_product_, remote_product_;
  std::map<std::int64_t, Exchanges> exchanges_;  // [columns]
  Array<T> copies_, partial_;                    // of the widest product so far
};

/// 2D: SUMMA on a grid of ranks, Pr x Pc = P, as square as possible. A rank has a block of A and, of B and C, the rows
/// of its grid row in a slice of the columns. In each of lcm(Pr, Pc) stages a block of A travels along each grid row and
/// one of B along each grid column. B goes to the grid, and C back, inside the grid rows. Moved are A (Pc - 1) times, B
/// (Pr - 1) times, and of B and C all but the slices that are in place.
///
/// Memory beside A, B and C: once more this rank's share of B and C, and two blocks each of A and of B.
template <class T>
class SummaSpmm {
 public:
  /// Frees the rows. Collective; errors as those of ReplicatedSpmm.
  SummaSpmm(World& world, MatrixRows<T>&& rows, Reduce reduce = Reduce::sum, const SpmmProgram& program = {});
  SummaSpmm(const SummaSpmm&) = delete;
  SummaSpmm& operator=(const SummaSpmm&) = delete;

  /// Multiplies as DistributedSpmm does. Collective; every rank throws InputError if a shape is wrong on any.
  void operator()(MatrixView<const T> b, MatrixView<T> c);

  std::int64_t rows() const { return blocks_.size(world_.rank()); }            ///< of this rank
  std::int64_t columns() const { return column_blocks_.size(world_.rank()); }  ///< owned by this rank
  std::size_t phases() const { return static_cast<std::size_t>(stages_); }
  Rank grid_rows() const { return grid_rows_; }
  Rank grid_columns() const { return grid_columns_; }
  /// Collective.
  GridVolume volume(std::int64_t columns) const;
  /// [level] the bytes of it that this rank sends in one product.
  std::vector<std::uint64_t> traffic(std::int64_t columns) const;
  /// Bytes that this rank has sent to others in all products so far, without headers.
  std::uint64_t sent_bytes() const { return redistributed_bytes_ + broadcasts_->counters().bytes_sent; }
  std::size_t memory_bytes() const;

 private:
  Rank rank_at(Rank row, Rank column) const { return row * grid_columns_ + column; }
  Vertex stage_begin(Rank stage) const { return column_blocks_.begin(stage * stage_ranks_); }
  Vertex stage_end(Rank stage) const { return column_blocks_.end((stage + 1) * stage_ranks_ - 1); }
  std::size_t block_bytes(Rank stage) const;
  SparseView<T> block_in(const std::byte* panel, Rank stage) const;
  void multiply(std::int64_t width);

  World& world_;
  const Reduce reduce_;
  const SpmmProgram program_;
  Blocks blocks_, column_blocks_;
  Rank grid_rows_, grid_columns_, row_, column_;
  Rank stages_, stage_ranks_;  // columns of a stage are those of so many ranks
  bool weighted_ = false;
  std::vector<Edge> row_nonzeros_;            // [own row]
  std::vector<Edge> stage_nonzeros_;          // [stage] of the block of this grid row
  std::vector<Array<std::byte>> own_blocks_;  // [stage], where they are this rank's
  std::unique_ptr<PanelBroadcast> broadcasts_;
  Array<T> b_slice_, c_slice_, redistributed_;  // of the widest product so far
  Array<std::byte> panels_[2][2];               // [stage % 2] of A, of B
  std::uint64_t redistributed_bytes_ = 0;
};

}  // namespace atl
