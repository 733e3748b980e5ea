// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/base/random.hpp>
#include <atoll/matrix/sparse/sparse_matrix.hpp>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "test_device.hpp"

/// Sparse and dense matrices for products on a device, and results that show what should not have been written.
namespace device_spmm_cases {

using namespace atl;

inline constexpr std::int64_t kColumns[] = {1, 2, 3, 7, 16, 31, 32, 33, 64, 100, 128, 257, 1024};

/// Where a matrix begins, in values, and how many values lie between its rows.
struct Place {
  std::int64_t start = 0, gap = 0;
};

/// In (-1, 1), a multiple of 1/1024, which a float16 has exactly.
inline float random_value(std::uint64_t seed, std::uint64_t at) {
  return static_cast<float>(static_cast<std::int64_t>(random_at(seed, at) % 2047) - 1023) / 1024.0f;
}

/// Rows of these lengths, with repeated columns in no order.
inline SparseMatrix<float> matrix_of_lengths(const std::vector<Edge>& lengths, std::int64_t columns, bool weighted) {
  std::vector<Edge> offsets{0};
  for (const Edge length : lengths) offsets.push_back(offsets.back() + length);
  const auto nonzeros = static_cast<std::size_t>(offsets.back());
  SparseMatrix<float> a{.rows = static_cast<std::int64_t>(lengths.size()), .columns = columns};
  a.offsets = Array<Edge>(offsets.size());
  std::ranges::copy(offsets, a.offsets.data());
  a.column_indices = Array<Local>(nonzeros);
  if (weighted) a.values = Array<float>(nonzeros);
  for (std::size_t e = 0; e < nonzeros; ++e) {
    a.column_indices[e] = static_cast<Local>(random_at(11, e) % static_cast<std::uint64_t>(columns));
    if (weighted) a.values[e] = 0.7f * random_value(12, e);  // products are rounded
  }
  return a;
}
/// Most rows are short, some are empty and some have hundreds of nonzeros.
inline SparseMatrix<float> random_matrix(std::int64_t rows, std::int64_t columns, std::uint64_t seed, bool weighted) {
  std::vector<Edge> lengths;
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::uint64_t word = random_at(seed, static_cast<std::uint64_t>(i));
    lengths.push_back(static_cast<Edge>(word % 4 == 0 ? 0 : word % 17 == 0 ? word / 64 % 400 : word / 64 % 12));
  }
  return matrix_of_lengths(lengths, columns, weighted);
}

/// B on the host: float32, and as the bits of float16 if it is of those. What lies around it is NaN.
class Dense {
 public:
  const std::int64_t rows, cols;
  const bool half;
  const Place place;

  Dense(std::int64_t rows_, std::int64_t cols_, bool half_, Place place_)
      : rows(rows_),
        cols(cols_),
        half(half_),
        place(place_),
        values_(size(), std::numeric_limits<float>::quiet_NaN()),
        bits_(half ? size() : 0, 0x7e00) {
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < cols; ++j) set(i, j, random_value(13, static_cast<std::uint64_t>(i * cols + j)));
  }
  std::int64_t stride() const { return cols + place.gap; }
  std::size_t size() const { return static_cast<std::size_t>(place.start + rows * stride()); }
  void set(std::int64_t i, std::int64_t j, float value) {
    values_[at(i, j)] = value;
    if (half) bits_[at(i, j)] = bits_of(value);
  }
  MatrixView<const float> view() const { return {values_.data() + place.start, rows, cols, stride()}; }
  std::span<const float> values() const { return values_; }
  std::span<const std::uint16_t> bits() const { return bits_; }
  std::span<const std::uint16_t> bits_of_row(std::int64_t i) const {
    return bits().subspan(at(i, 0), static_cast<std::size_t>(cols));
  }

 private:
  std::size_t at(std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>(place.start + i * stride() + j);
  }
  // Converts a value of random_value(), which needs no rounding.
  static std::uint16_t bits_of(float value) {
    if (value == 0) return 0;
    int exponent = 0;
    const float fraction = std::frexp(std::abs(value), &exponent);  // in [1/2, 1)
    const int bits = (exponent + 14) << 10 | (static_cast<int>(fraction * 2048) - 1024);
    return static_cast<std::uint16_t>(bits | (value < 0 ? 0x8000 : 0));
  }
  std::vector<float> values_;
  std::vector<std::uint16_t> bits_;
};

class DeviceDenseCopy {
 public:
  DeviceDenseCopy(const Stream& stream, const Dense& b)
      : rows_(b.rows),
        cols_(b.cols),
        stride_(b.stride()),
        start_(b.place.start),
        half_(b.half),
        values_(uploaded(stream, b.values())),
        bits_(uploaded(stream, b.bits())) {
    stream.wait();
  }
  DeviceView<const float> floats() const { return {values_.data() + start_, rows_, cols_, stride_}; }
  DeviceView<const std::uint16_t> halves() const { return {bits_.data() + start_, rows_, cols_, stride_}; }
  DeviceDense view() const { return half_ ? DeviceDense(halves()) : DeviceDense(floats()); }

 private:
  std::int64_t rows_, cols_, stride_, start_;
  bool half_;
  DeviceArray<float> values_;
  DeviceArray<std::uint16_t> bits_;
};

/// C on the device. It and all around it are NaN at first.
class Result {
 public:
  Result(const Stream& stream, std::int64_t rows, std::int64_t cols, Place place)
      : stream_(stream),
        rows_(rows),
        cols_(cols),
        stride_(cols + place.gap),
        start_(place.start),
        values_(stream.device(), static_cast<std::size_t>(start_ + rows * stride_)) {
    stream.device().fill(values_.data(), 0xff, values_.memory_bytes(), stream);
    stream.wait();  // or a test that refuses would free what is still to be filled
  }
  DeviceView<float> view() const { return {values_.data() + start_, rows_, cols_, stride_}; }
  void set(float value) {
    std::vector<float> host(static_cast<std::size_t>(rows_ * cols_), value);
    upload<float>(stream_, {host.data(), rows_, cols_, cols_}, view());
    stream_.wait();
  }
  Matrix<float> read() const {
    Matrix<float> out(rows_, cols_);
    download(stream_, view(), out.view());
    stream_.wait();
    return out;
  }
  bool margins_are_untouched() const {
    std::vector<float> all(values_.size());
    download(stream_, values_, std::span(all));
    stream_.wait();
    for (std::int64_t e = 0; e < static_cast<std::int64_t>(all.size()); ++e) {
      const bool inside = e >= start_ && (e - start_) % stride_ < cols_;
      if (!inside && std::bit_cast<std::uint32_t>(all[static_cast<std::size_t>(e)]) != ~0u) return false;
    }
    return true;
  }

 private:
  const Stream& stream_;
  std::int64_t rows_, cols_, stride_, start_;
  DeviceArray<float> values_;
};

/// Values that differ by more than the rounding of their row's sum: 2^-24 for each addition of terms below 1, and what C
/// had before. Maxima and minima are to be the same.
inline std::int64_t wrong_in(const Matrix<float>& got, const Matrix<float>& wanted, const SparseMatrix<float>& a,
                             Reduce reduce) {
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < got.rows(); ++i)
    for (std::int64_t j = 0; j < got.cols(); ++j) {
      const float x = got(i, j), y = wanted(i, j);
      if (std::isnan(y) || std::isinf(y) || reduce == Reduce::max || reduce == Reduce::min) {
        wrong += !(x == y || (std::isnan(x) && std::isnan(y)));
        continue;
      }
      const auto at = static_cast<std::size_t>(i);
      const auto terms = static_cast<float>(a.offsets[at + 1] - a.offsets[at]);
      // Sums of n such terms are some sqrt(n), with an error of sqrt(n) roundings; eight times that.
      const float size = reduce == Reduce::mean ? 1.0f / std::max(terms, 1.0f) : 1.0f;
      wrong += !(std::abs(x - y) <= size * (terms + 1) * std::ldexp(8.0f, -24));
    }
  return wrong;
}
inline bool same_bits(const Matrix<float>& a, const Matrix<float>& b) {
  for (std::int64_t i = 0; i < a.rows(); ++i)
    if (!std::ranges::equal(a.view().row(i), b.view().row(i), {}, std::bit_cast<std::uint32_t, float>,
                            std::bit_cast<std::uint32_t, float>))
      return false;
  return true;
}

}  // namespace device_spmm_cases
