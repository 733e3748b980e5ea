// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/random.hpp>
#include <atoll/matrix/matrix.hpp>
#include <atoll/matrix/sparse/sparse_matrix.hpp>
#include <atoll/matrix/spmm/spmm.hpp>
#include <cmath>
#include <limits>

/// Random dense factors of sparse products, and a check of the result against its definition.
namespace atl::cli {

/// A row-major matrix of random values in [-0.5, 0.5).
template <class T>
class DenseRows {
 public:
  DenseRows(Team& team, std::int64_t rows, std::int64_t columns) : values_(static_cast<std::size_t>(rows * columns)) {
    view_ = {values_.data(), rows, columns, columns};
    // By the threads that will read and write them.
    team.for_range(values_.size(), std::size_t{1} << 16, [&](int, std::size_t begin, std::size_t end) {
      for (; begin < end; ++begin) values_[begin] = static_cast<T>(random_at(1, begin) >> 40) * T(0x1p-24) - T(0.5);
    });
  }
  MatrixView<T> view() const { return view_; }
  operator MatrixView<const T>() const { return view_; }

 private:
  Array<T> values_;
  MatrixView<T> view_;
};

/// Whether 500 entries of C are the definition's, which is worked out in double.
template <class T>
bool is_right(const SparseMatrix<T>& a, Reduce reduce, MatrixView<const T> b, MatrixView<const T> c) {
  for (std::uint64_t sample = 0; sample < 500 && a.rows > 0; ++sample) {
    const auto i = random_at(7, sample) % static_cast<std::uint64_t>(a.rows);
    const auto j = static_cast<std::int64_t>(random_at(8, sample) % static_cast<std::uint64_t>(c.cols));
    double value = 0, magnitude = 0, count = 0;
    for (auto e = static_cast<std::size_t>(a.offsets[i]); e < static_cast<std::size_t>(a.offsets[i + 1]); ++e) {
      const double x = static_cast<double>((a.values.empty() ? T{1} : a.values[e]) * b(a.column_indices[e], j));
      if (reduce == Reduce::max)
        value = count == 0 ? x : std::max(value, x);
      else if (reduce == Reduce::min)
        value = count == 0 ? x : std::min(value, x);
      else
        value += x;
      magnitude += std::abs(x);
      ++count;
    }
    if (reduce == Reduce::mean && count > 0) value /= count;
    const double error = std::abs(value - static_cast<double>(c(static_cast<std::int64_t>(i), j)));
    if (!(error <= 8 * std::numeric_limits<T>::epsilon() * magnitude)) return false;
  }
  return true;
}

}  // namespace atl::cli
