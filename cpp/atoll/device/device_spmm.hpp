// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/device/device_schedule.hpp>
#include <atoll/matrix/sparse/sparse_matrix.hpp>

/// Products of a sparse and a dense matrix on a device, with the interface of Spmm.
///
///     DeviceSpmm<float> spmm(stream, a.view());         // copies A; to be kept for as long as A is multiplied
///     spmm(stream, b.view(), c.view());                 // C(i, :) <- sum over j of A(i, j) B(j, :)
///     spmm.add(stream, more.view(), c.view());          // the same on top of what C has
///     spmm.sampled_product(stream, x, y, e.data());     // SDDMM: e(i, j) <- X(i, :) Y(j, :), where A is not zero
///
/// B is of float32 or float16 (as its bits), C and sums are of float32. Any strides and numbers of columns; kernels read
/// 16 bytes at a time where B and C begin at multiples of 16 bytes and have strides and columns that are multiples of 4
/// (of 8 for float16). Each row is reduced in the order of its nonzeros or, if it has more than 512, in pieces that
/// depend only on the matrix: results are the same bits whatever the device and its order of work; the host's differ
/// by fused multiply-adds and the cut of long rows.
namespace atl {

template <class T>
class DeviceSpmm {
 public:
  /// Copies the arrays of A, which are right (check_sparse), to the stream's device, and waits for it. Reductions as of
  /// Spmm.
  DeviceSpmm(const Stream& stream, const SparseView<T>& a, Reduce reduce = Reduce::sum);
  /// A part of a larger matrix, as of Spmm: mean divides by `row_nonzeros`, and rows without nonzeros become the neutral
  /// element of max or min.
  DeviceSpmm(const Stream& stream, const SparseView<T>& part, Reduce reduce, std::span<const Edge> row_nonzeros);
  /// Takes arrays that are on the device already and stay there; offsets: the host's copy of a.offsets. Waits for the
  /// stream.
  DeviceSpmm(const Stream& stream, const DeviceSparseView& a, std::span<const Edge> offsets,
             Reduce reduce = Reduce::sum);

  /// C <- A B. C has A's rows and B's columns and overlaps neither A nor B. Enqueues only, but for the first product of
  /// so many columns, which allocates scratch memory for long rows (reserve). Products of one object are in one stream,
  /// or in an order that events make, since they share it.
  void operator()(const Stream& stream, const DeviceDense& b, DeviceView<T> c) { multiply(stream, b, c, false); }
  /// The same, reduced with what C has.
  void add(const Stream& stream, const DeviceDense& b, DeviceView<T> c) { multiply(stream, b, c, true); }
  /// values[e] <- X(i, :) Y(j, :) for each nonzero e = (i, j), in a device's memory: the gradient of A's values where X
  /// is that of C and Y is B. The order of these sums depends on the number of columns and their alignment.
  void sampled_product(const Stream& stream, DeviceView<const T> x, const DeviceDense& y, T* values) const;

  /// Room for products of so many columns.
  void reserve(const Stream& stream, std::int64_t columns);

  const DeviceSparseView& matrix() const { return a_; }
  Reduce reduce() const { return reduce_; }
  std::size_t memory_bytes() const;

 private:
  DeviceSpmm(const Stream& stream, const SparseView<T>& a, Reduce reduce, std::span<const Edge> row_nonzeros, T empty);
  void set_factors(const Stream& stream, std::span<const Edge> row_nonzeros);
  void multiply(const Stream& stream, const DeviceDense& b, DeviceView<T> c, bool accumulate);

  DeviceArray<Edge> offsets_;
  DeviceArray<Local> places_;
  DeviceArray<T> values_, factors_, pieces_;
  DeviceSparseView a_;
  Reduce reduce_;
  DeviceSchedule schedule_;
  T empty_ = 0;
};

/// to(i, :) <- from(rows[i], :); both of the same columns, rows in the device's memory. Enqueues only.
template <class T>
void gather_rows(const Stream& stream, DeviceView<const T> from, const Local* rows, DeviceView<T> to);

}  // namespace atl
