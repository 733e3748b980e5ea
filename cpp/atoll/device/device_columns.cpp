// SPDX-License-Identifier: Apache-2.0
#include <atoll/device/device_columns.hpp>

namespace atl {

template <class T>
DeviceColumns<T>::DeviceColumns(const Stream& stream, const SparseView<T>& transposed,
                                std::span<const std::int32_t> owners, std::span<const Local> positions,
                                std::span<const T> row_factors)
    : offsets_(uploaded(stream, transposed.pattern.offsets)),
      places_(uploaded(stream, transposed.pattern.column_indices)),
      positions_(uploaded(stream, positions)),
      owners_(uploaded(stream, owners)),
      factors_(uploaded(stream, row_factors)),
      a_{transposed.pattern.rows, transposed.pattern.columns, offsets_.data(), places_.data(), nullptr},
      schedule_(stream, grouped_tasks(transposed.pattern.offsets)) {
  const auto columns = static_cast<std::size_t>(transposed.pattern.rows);
  check(owners.size() == columns && positions.size() == columns,
        "SpMM by columns: {} owners and {} positions ({} columns need one of each). Pass one for each column.",
        owners.size(), positions.size(), columns);
  check(row_factors.empty() || row_factors.size() == static_cast<std::size_t>(transposed.pattern.columns),
        "SpMM by columns: {} factors ({} rows of C need one each). Pass one for each row, or none.", row_factors.size(),
        transposed.pattern.columns);
  if (transposed.values) {
    values_ = uploaded(stream, std::span(transposed.values, transposed.pattern.column_indices.size()));
    a_.values = values_.data();
  }
  stream.wait();  // before the caller's arrays go
}

template <class T>
void DeviceColumns<T>::add(const Stream& stream, const DeviceTables& b, DeviceView<T> c) const {
  check(
      c.rows == a_.columns && c.stride >= c.cols && b.stride >= c.cols,
      "SpMM by columns: C is {} x {} with a stride of {}, and B's stride is {} ({} rows are needed, rows one after the "
      "other). Pass matrices of that shape.",
      c.rows, c.cols, c.stride, b.stride, a_.columns);
  if (c.cols == 0) return;
  const Device& device = stream.device();
  device.kernels().sparse.add_columns({.a = a_,
                                       .tasks = schedule_.view(),
                                       .tables = b.tables,
                                       .owners = owners_.data(),
                                       .positions = positions_.data(),
                                       .b_stride = b.stride,
                                       .half = b.half,
                                       .alignment = b.alignment,
                                       .factors = factors_.data(),
                                       .c = c},
                                      device.facts().architecture, stream);
}

template <class T>
std::size_t DeviceColumns<T>::memory_bytes() const {
  return offsets_.memory_bytes() + places_.memory_bytes() + positions_.memory_bytes() + owners_.memory_bytes() +
         values_.memory_bytes() + factors_.memory_bytes() + schedule_.memory_bytes();
}

template class DeviceColumns<float>;

}  // namespace atl
