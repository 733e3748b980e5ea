// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/device/device_spmm.hpp>
#include <limits>
#include <vector>

namespace atl {
namespace {

void check_shape(const char* product, const char* name, std::int64_t rows, std::int64_t cols, std::int64_t stride,
                 std::int64_t wanted_rows, std::int64_t wanted_cols) {
  check(rows == wanted_rows && cols == wanted_cols && stride >= cols,
        "{} on a device: {} is {} x {} with a stride of {} ({} x {} is needed, rows one after the other). Pass a "
        "matrix of "
        "that shape.",
        product, name, rows, cols, stride, wanted_rows, wanted_cols);
}

float neutral(Reduce reduce) {
  if (reduce == Reduce::max) return -std::numeric_limits<float>::infinity();
  if (reduce == Reduce::min) return std::numeric_limits<float>::infinity();
  return 0;
}

std::vector<Edge> row_lengths(std::span<const Edge> offsets) {
  std::vector<Edge> out;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) out.push_back(offsets[i + 1] - offsets[i]);
  return out;
}

}  // namespace

template <class T>
DeviceSpmm<T>::DeviceSpmm(const Stream& stream, const SparseView<T>& a, Reduce reduce,
                          std::span<const Edge> row_nonzeros, T empty)
    : offsets_(uploaded(stream, a.pattern.offsets)),
      places_(uploaded(stream, a.pattern.column_indices)),
      a_{a.pattern.rows, a.pattern.columns, offsets_.data(), places_.data(), nullptr},
      reduce_(reduce),
      schedule_(stream, row_tasks(a.pattern.offsets)),
      empty_(empty) {
  if (a.values) {
    values_ = uploaded(stream, std::span(a.values, a.pattern.column_indices.size()));
    a_.values = values_.data();
  }
  set_factors(stream, row_nonzeros);
  stream.wait();  // before the caller's arrays go
}

template <class T>
DeviceSpmm<T>::DeviceSpmm(const Stream& stream, const SparseView<T>& a, Reduce reduce)
    : DeviceSpmm(stream, a, reduce, row_lengths(a.pattern.offsets), T{0}) {}

template <class T>
DeviceSpmm<T>::DeviceSpmm(const Stream& stream, const SparseView<T>& part, Reduce reduce,
                          std::span<const Edge> row_nonzeros)
    : DeviceSpmm(stream, part, reduce, row_nonzeros, neutral(reduce)) {}

template <class T>
DeviceSpmm<T>::DeviceSpmm(const Stream& stream, const DeviceSparseView& a, std::span<const Edge> offsets, Reduce reduce)
    : a_(a), reduce_(reduce), schedule_(stream, row_tasks(offsets)) {
  check(
      static_cast<std::int64_t>(offsets.size()) == a.rows + 1,
      "SpMM on a device: {} offsets for {} rows (one more than rows is needed). Pass the host's copy of the matrix's.",
      offsets.size(), a.rows);
  set_factors(stream, row_lengths(offsets));
}

template <class T>
void DeviceSpmm<T>::set_factors(const Stream& stream, std::span<const Edge> row_nonzeros) {
  if (reduce_ != Reduce::mean) return;
  check(static_cast<std::int64_t>(row_nonzeros.size()) == a_.rows,
        "SpMM on a device: {} counts of nonzeros for {} rows (a mean needs one each). Pass one for each row.",
        row_nonzeros.size(), a_.rows);
  std::vector<T> factors;
  for (const Edge count : row_nonzeros) factors.push_back(T{1} / static_cast<T>(std::max(Edge{1}, count)));
  factors_ = uploaded(stream, std::span(factors));
  stream.wait();  // before the host's copy goes
}

template <class T>
void DeviceSpmm<T>::reserve(const Stream& stream, std::int64_t columns) {
  const auto values = static_cast<std::size_t>(schedule_.pieces() * columns);
  if (values <= pieces_.size()) return;
  if (pieces_.size() > 0) stream.wait();  // it may still be in use
  pieces_ = {};
  pieces_ = DeviceArray<T>(stream.device(), values);
}

template <class T>
void DeviceSpmm<T>::multiply(const Stream& stream, const DeviceDense& b, DeviceView<T> c, bool accumulate) {
  check_shape("SpMM", "B", b.rows, b.cols, b.stride, a_.columns, b.cols);
  check_shape("SpMM", "C", c.rows, c.cols, c.stride, a_.rows, b.cols);
  if (c.cols == 0 || c.rows == 0) return;
  reserve(stream, c.cols);
  stream.device().kernels().sparse.multiply({.a = a_,
                                             .tasks = schedule_.view(),
                                             .b = b,
                                             .c = c,
                                             .reduce = reduce_,
                                             .factors = factors_.data(),
                                             .empty = empty_,
                                             .accumulate = accumulate,
                                             .pieces = pieces_.data()},
                                            stream);
}

template <class T>
void DeviceSpmm<T>::sampled_product(const Stream& stream, DeviceView<const T> x, const DeviceDense& y,
                                    T* values) const {
  check_shape("SDDMM", "X", x.rows, x.cols, x.stride, a_.rows, x.cols);
  check_shape("SDDMM", "Y", y.rows, y.cols, y.stride, a_.columns, x.cols);
  stream.device().kernels().sparse.sampled({.a = a_, .tasks = schedule_.view(), .x = x, .y = y, .out = values}, stream);
}

template <class T>
std::size_t DeviceSpmm<T>::memory_bytes() const {
  return offsets_.memory_bytes() + places_.memory_bytes() + values_.memory_bytes() + factors_.memory_bytes() +
         pieces_.memory_bytes() + schedule_.memory_bytes();
}

template <class T>
void gather_rows(const Stream& stream, DeviceView<const T> from, const Local* rows, DeviceView<T> to) {
  check_shape("gathering rows", "the result", to.rows, to.cols, to.stride, to.rows, from.cols);
  if (to.rows == 0 || to.cols == 0) return;
  stream.device().kernels().sparse.gather(
      {.value_bytes = sizeof(T), .from = from.data, .from_stride = from.stride, .rows = rows, .to = to}, stream);
}

template class DeviceSpmm<float>;
template void gather_rows(const Stream&, DeviceView<const float>, const Local*, DeviceView<float>);
template void gather_rows(const Stream&, DeviceView<const std::uint16_t>, const Local*, DeviceView<std::uint16_t>);

}  // namespace atl
