// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/matrix/matrix.hpp>
#include <atoll/order/ordering.hpp>
#include <atoll/runtime/world.hpp>
#include <atoll/spmm/matrix_rows.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// A distributed square matrix whose rows and columns have new numbers, so that a rank's rows share columns and most of
/// these are its own: the preprocessing of CoLa [1, section 5.2]. What is multiplied moves to the new order and back.
///
///     RowOrderChoice choice = choose_row_order(world, rows, 32, "auto");     // collective; rows may change
///     DistributedSpmm<float> spmm(world, std::move(rows));
///     if (choice.order) choice.order->to_new(b.view(), new_b.view());        // collective; own rows of B
///     spmm(new_b.view(), new_c.view());
///     if (choice.order) choice.order->to_old(new_c.view(), c.view());
///
/// [1] L. Zhang, Y. Shao, S. Li. "CoLa: Towards communication-efficient distributed sparse matrix-matrix multiplication
/// on GPUs." ICS 2025.
namespace atl {

/// Who had which rows, and who has them now. Moves rows of anything that is distributed as the matrix is.
///
/// A rank keeps 4 bytes for each row that it had and 4 for each that it has. A move sends each row once, without its
/// number, and takes buffers for the rows that leave and that come.
class RowOrder {
 public:
  /// numbers: [old row] new row, a permutation, of all rows; the same on all ranks. Not collective.
  RowOrder(World& world, Blocks old_blocks, Blocks new_blocks, std::span<const Local> numbers);

  const Blocks& old_blocks() const { return old_blocks_; }
  const Blocks& new_blocks() const { return new_blocks_; }
  std::int64_t old_rows() const { return static_cast<std::int64_t>(old_.rows.size()); }  ///< of this rank
  std::int64_t new_rows() const { return static_cast<std::int64_t>(new_.rows.size()); }  ///< of this rank

  /// Own rows in the old order -> own rows in the new one, and back; any number of columns, the same on all ranks.
  /// Collective; every rank throws InputError if a shape is wrong on any.
  template <Plain V>
  void to_new(MatrixView<const V> from, MatrixView<V> to) const {
    move_rows(old_, bytes_of(from), new_, bytes_of(to));
  }
  template <Plain V>
  void to_old(MatrixView<const V> from, MatrixView<V> to) const {
    move_rows(new_, bytes_of(from), old_, bytes_of(to));
  }
  /// A value for each row. Collective, and so on.
  template <Plain V>
  std::vector<V> to_new(std::span<const V> from) const {
    std::vector<V> to(new_.rows.size());
    to_new(MatrixView<const V>{from.data(), static_cast<std::int64_t>(from.size()), 1, 1},
           MatrixView<V>{to.data(), new_rows(), 1, 1});
    return to;
  }
  /// Rows of a sparse matrix; its columns keep their numbers. Collective.
  template <class T>
  SparseMatrix<T> to_new(const SparseMatrix<T>& from) const;
  /// A itself: rows and columns under their new numbers, which are those of the constructor. Columns ascend in each
  /// row; equal ones stay in their order. Collective.
  template <class T>
  MatrixRows<T> to_new(const MatrixRows<T>& from, std::span<const Local> numbers) const;

  std::size_t memory_bytes() const { return (old_.rows.size() + new_.rows.size()) * sizeof(Local); }

 private:
  /// Own rows by the rank that has them in the other order, and for one rank by old number: both ends know the order of
  /// what they exchange.
  struct Side {
    Array<Local> rows;               // local numbers
    std::vector<std::size_t> first;  // [rank] among them; ends with their number
  };
  template <class Byte>
  struct Rows {
    Byte* data;
    std::int64_t rows;
    std::size_t bytes, stride;  // of a row
  };
  template <class V>
  static auto bytes_of(const MatrixView<V>& m) {
    using Byte = std::conditional_t<std::is_const_v<V>, const std::byte, std::byte>;
    return Rows<Byte>{reinterpret_cast<Byte*>(m.data), m.rows, static_cast<std::size_t>(m.cols) * sizeof(V),
                      static_cast<std::size_t>(m.stride) * sizeof(V)};
  }
  void move_rows(const Side& from, Rows<const std::byte> in, const Side& to, Rows<std::byte> out) const;
  /// in(row) and out(row) are the bytes of a local row, as many at both ends. Collective.
  template <class In, class Out>
  void move(const Side& from, const Side& to, In&& in, Out&& out) const;
  /// Lists of entries by row: their new offsets, then each array of entries. Collective.
  Array<Edge> moved_offsets(std::span<const Edge> offsets) const;
  template <class V>
  Array<V> moved_entries(std::span<const Edge> offsets, std::span<const V> entries,
                         std::span<const Edge> new_offsets) const;

  World* world_;
  Blocks old_blocks_, new_blocks_;
  Side old_, new_;
};

/// Returns why this rank's rows cannot get another order; empty if they can. Not collective.
template <class T>
std::string why_not_reordered(const World& world, const MatrixRows<T>& a);

template <class T>
struct ReorderedRows {
  MatrixRows<T> rows;
  RowOrder order;
};

/// The rows of a square matrix by a method's numbers, in blocks of about as many nonzeros each.
///
/// Rank 0 finds the numbers, with its threads, from the pattern of the whole matrix: 4 bytes for each nonzero and 8 for
/// each row there, beside what the method takes. Every rank holds 4 bytes for each row of the matrix on the way, and
/// its part of A twice. Collective; every rank throws InputError where the matrix is not square, its columns are not
/// owned as its rows are, it has more rows than 32 bits count, or a column does not exist.
template <class T>
ReorderedRows<T> reordered(World& world, const MatrixRows<T>& a, Ordering method, const OrderingOptions& options = {});

struct RowOrderChoice {
  std::optional<RowOrder> order;  ///< none: rows are as they were
  std::string name = "none";
  std::string why;     ///< one line, which begins with the name
  double seconds = 0;  ///< of the slowest rank: to choose, find the order and move A
};

/// auto, none, and the names of orderings.
std::vector<std::string> row_order_names();

/// Puts the rows in the order of that name, for products with `columns` columns by that strategy ("auto": what
/// choose_spmm_strategy() takes).
///
/// `auto` is Rabbit order where a product is predicted to be at least kLeastGain times as fast in it, else none; and
/// `random` for the strategy broadcast+pipeline over several ranks, whose paper (MGGCN) balances ranks by it. The
/// predicted time of a product is that of fetching rows, by forecast_spmm(), and the longest time of a rank's own
/// work, one after the other. Own work is
///
///     on a Machine with a device   its roofline, as in DistributedSpmm: there only balance counts
///     else                         (nonzeros (4 + sizeof(T)) + rows k sizeof(T) + m k sizeof(T)) / memory rate
///                                  + nonzeros k sizeof(T) / cache rate
///
/// for k columns, where m of the nonzeros find their row of B in no cache. They are counted: rows are held until the
/// rank's share of the last-level cache is full, and then all forgotten: misses of a cache that forgets the least
/// recently used row are no more. What is already within kLeastGain of a product whose rows are all at hand (nothing
/// fetched, m at most the own rows) is left alone without looking for an order, which costs one pass over the
/// nonzeros.
///
/// Collective; the same on all ranks. Throws UsageError for a name that there is not, and, but for auto, what
/// reordered() throws.
template <class T>
RowOrderChoice choose_row_order(World& world, MatrixRows<T>& rows, std::int64_t columns, std::string_view name,
                                std::string_view strategy = "auto");

}  // namespace atl
