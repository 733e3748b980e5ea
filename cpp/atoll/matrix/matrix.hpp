// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/array.hpp>
#include <cstddef>
#include <cstdint>
#include <span>

/// Dense row-major matrices.
///
///     Matrix<float> d(n, n);                     // not initialised
///     MatrixView<float> block = d.view().part(i, j, b, b);
///     block(1, 2) = 0;
namespace atl {

/// A non-owning view: element (i, j) is at data[i * stride + j].
template <class T>
struct MatrixView {
  T* data = nullptr;
  std::int64_t rows = 0, cols = 0, stride = 0;

  T& operator()(std::int64_t i, std::int64_t j) const { return data[i * stride + j]; }
  std::span<T> row(std::int64_t i) const { return {data + i * stride, static_cast<std::size_t>(cols)}; }
  MatrixView part(std::int64_t i, std::int64_t j, std::int64_t height, std::int64_t width) const {
    return {data + i * stride + j, height, width, stride};
  }
  operator MatrixView<const T>() const { return {data, rows, cols, stride}; }
};

template <class T>
class Matrix {
 public:
  Matrix() = default;
  /// Rows are 64-byte aligned, and nearby rows start at different offsets within a page, so that the entries of a
  /// column do not share one cache set.
  Matrix(std::int64_t rows, std::int64_t cols)
      : rows_(rows), cols_(cols), stride_(stride_of(cols)), values_(static_cast<std::size_t>(rows * stride_)) {}

  std::int64_t rows() const { return rows_; }
  std::int64_t cols() const { return cols_; }
  std::int64_t stride() const { return stride_; }
  T* data() { return values_.data(); }
  const T* data() const { return values_.data(); }
  std::size_t memory_bytes() const { return values_.size() * sizeof(T); }
  MatrixView<T> view() { return {values_.data(), rows_, cols_, stride_}; }
  MatrixView<const T> view() const { return {values_.data(), rows_, cols_, stride_}; }
  T& operator()(std::int64_t i, std::int64_t j) { return values_[i * stride_ + j]; }
  const T& operator()(std::int64_t i, std::int64_t j) const { return values_[i * stride_ + j]; }

 private:
  static constexpr std::int64_t stride_of(std::int64_t cols) {
    constexpr auto line = static_cast<std::int64_t>(64 / sizeof(T));
    const std::int64_t lines = (cols + line - 1) / line;
    return (lines | 1) * line;  // an odd number of cache lines
  }
  std::int64_t rows_ = 0, cols_ = 0, stride_ = 0;
  Array<T> values_;
};

}  // namespace atl
