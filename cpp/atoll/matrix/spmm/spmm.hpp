// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/matrix/matrix.hpp>
#include <atoll/matrix/sparse/sparse_matrix.hpp>
#include <atoll/matrix/spmm/kernels.hpp>
#include <atomic>
#include <optional>
#include <vector>

/// The product of a sparse and a dense matrix on one rank, C <- A B, and what its gradients need.
///
///     const Spmm<float> spmm(a.view());                  // O(rows): to be kept for as long as A is multiplied
///     spmm(team, b.view(), c.view());                    // C(i, :) <- sum over j of A(i, j) B(j, :)
///     spmm.add(team, more.view(), c.view());             // the same on top of what C has
///     sampled_product(team, a.view().pattern, x, y, e);  // SDDMM: e(i, j) <- X(i, :) Y(j, :), where A is not zero
///
/// B and C are row-major with any stride and any number of columns. Each row is reduced in the order of its nonzeros,
/// by one thread or, where it is long, in pieces that depend on the matrix alone: the result does not depend on the
/// number of threads. What bounds the speed is the memory that is read for rows of B: nonzeros x columns x
/// sizeof(T) bytes where they are in no cache.
namespace atl {

/// Which threads reduce which rows: blocks of about as many nonzeros, and the pieces of rows that are longer than that.
class RowSchedule {
 public:
  explicit RowSchedule(const SparsePattern& a);
  /// Whole rows [first, last); or, where piece >= 0, the nonzeros [begin, end) of a long one.
  struct Block {
    Local first, last;
    Local piece = -1;
    Edge begin = 0, end = 0;
  };
  /// A row that is the reduction of pieces [first, last).
  struct LongRow {
    Local row, first, last;
  };
  std::span<const Block> blocks() const { return blocks_; }
  std::span<const LongRow> long_rows() const { return long_rows_; }
  std::span<const Local> pieces() const { return pieces_; }  ///< their numbers: 0, 1, ...
  std::size_t memory_bytes() const;

 private:
  std::vector<Block> blocks_;
  std::vector<LongRow> long_rows_;
  std::vector<Local> pieces_;
};

template <class T>
class Spmm {
 public:
  /// Refers to the arrays of A, which are right (check_sparse). Reduce::mean divides by the number of a row's nonzeros;
  /// max and min are those of the products a(i, j) b(j, c). Rows without nonzeros become 0.
  explicit Spmm(SparseView<T> a, Reduce reduce = Reduce::sum, Isa isa = chosen_isa());
  /// A part of a larger matrix: mean divides by `row_nonzeros` (those of the whole rows), and rows without nonzeros
  /// become the neutral element of max or min, until finish_rows().
  Spmm(SparseView<T> part, Reduce reduce, std::span<const Edge> row_nonzeros, Isa isa = chosen_isa());

  /// C <- A B. C has A's rows and B's columns and overlaps neither A nor B.
  void operator()(Team& team, MatrixView<const T> b, MatrixView<T> c) const { Run(*this, b, c, false).finish(team); }
  /// The same, reduced with what C has.
  void add(Team& team, MatrixView<const T> b, MatrixView<T> c) const { Run(*this, b, c, true).finish(team); }

  /// One product in small steps, so that threads can do them while they wait for something else.
  class Run;

  const SparseView<T>& matrix() const { return a_; }
  Reduce reduce() const { return reduce_; }
  std::size_t memory_bytes() const { return schedule_.memory_bytes() + factors_.size() * sizeof(T); }

 private:
  Spmm(SparseView<T> a, Reduce reduce, Isa isa, T empty);
  template <class Count>
  void set_factors(Count&& count);

  SparseView<T> a_;
  Reduce reduce_;
  RowSchedule schedule_;
  std::span<const SpmmLanes<T>> kernels_, joins_;  // joins_: for the pieces of a long row
  Array<T> factors_;                               // of a mean, by row
  T empty_;
};

///     Spmm<float>::Run run(spmm, b, c, false);
///     while (waiting() && run.step()) progress();     // on any threads: some 20 us at 32 columns each
///     run.finish(team);                               // the rest
template <class T>
class Spmm<T>::Run {
 public:
  /// C <- A B, or with `accumulate` reduced with what C has.
  Run(const Spmm& spmm, MatrixView<const T> b, MatrixView<T> c, bool accumulate);
  /// Does one block of rows and returns its nonzeros; nothing if threads have taken all. The one that does the last block
  /// completes C.
  std::optional<Edge> step();
  /// Whether steps have completed C.
  bool complete() const { return complete_.load(std::memory_order_acquire); }
  /// Does the rest with all threads and returns its nonzeros; outside regions, so that no thread is in a step.
  Edge finish(Team& team);

 private:
  struct Panel {
    SpmmKernel<T> kernel;
    std::ptrdiff_t first, columns;
  };
  static std::vector<Panel> panels_of(std::span<const SpmmLanes<T>> kernels, std::ptrdiff_t columns);
  static void run(const std::vector<Panel>& panels, SpmmRows<T> rows);
  Edge reduce_block(const RowSchedule::Block& block);
  void join(const RowSchedule::LongRow& row);

  const Spmm& spmm_;
  const MatrixView<T> c_;
  std::vector<Panel> panels_, joins_;
  Array<T> pieces_;
  SpmmRows<T> rows_;  // of all blocks
  std::atomic<std::size_t> next_{0}, done_{0};
  std::atomic<bool> complete_{false};
};

/// After the last part: 0 in the rows that have no nonzeros in any of them.
template <class T>
void finish_rows(Team& team, std::span<const Edge> row_nonzeros, MatrixView<T> c);

/// values[e] <- the product of row i of X and row j of Y for each nonzero e = (i, j) of the pattern (SDDMM): the gradient
/// of A's values where X is that of C and Y is B.
template <class T>
void sampled_product(Team& team, const SparsePattern& a, MatrixView<const T> x, MatrixView<const T> y,
                     std::span<T> values, Isa isa = chosen_isa());

}  // namespace atl
