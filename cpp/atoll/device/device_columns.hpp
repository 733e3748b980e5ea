// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/device/device_schedule.hpp>
#include <atoll/matrix/sparse/sparse_matrix.hpp>

/// Products by columns of the sparse matrix: C += A B where rows of B lie in several memories, each read once for all
/// the nonzeros of its column (CoLa [1], algorithm 1, lines 12 to 22).
///
///     DeviceColumns<float> remote(stream, transposed.view(), owners, positions);
///     remote.add(stream, {.tables = addresses.data(), .stride = 64}, c.view());
///
/// Sums are made by atomic additions, whose order is not fixed: results may differ in their last bits from run to run.
///
/// [1] L. Zhang et al. "CoLa: Towards communication-efficient distributed sparse matrix-matrix multiplication on GPUs."
///     ICS 2025.
namespace atl {

/// Where rows of B are: row `position` of owner t begins at tables[t] + position * stride values. The array of addresses
/// is in the device's memory; they are of any memory that the device can read.
struct DeviceTables {
  const void* const* tables = nullptr;
  std::int64_t stride = 0;
  bool half = false;           ///< of float16
  std::size_t alignment = 16;  ///< a power of 2 that all addresses are multiples of
};

template <class T>
class DeviceColumns {
 public:
  /// Row q of `transposed` is a column of A, its column indices are rows of C. Its row of B is row positions[q] of
  /// owner owners[q]. With row_factors, products are multiplied with the factor of their row of C (a mean's). Copies
  /// all to the device and waits for the stream.
  DeviceColumns(const Stream& stream, const SparseView<T>& transposed, std::span<const std::int32_t> owners,
                std::span<const Local> positions, std::span<const T> row_factors = {});

  /// C += A B. Enqueues only. A row of B is read once for each 256 nonzeros (or more) of its column.
  void add(const Stream& stream, const DeviceTables& b, DeviceView<T> c) const;
  std::int64_t columns() const { return a_.rows; }  ///< of A
  std::size_t memory_bytes() const;

 private:
  DeviceArray<Edge> offsets_;
  DeviceArray<Local> places_, positions_;
  DeviceArray<std::int32_t> owners_;
  DeviceArray<T> values_, factors_;
  DeviceSparseView a_;
  DeviceSchedule schedule_;
};

}  // namespace atl
