// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <atoll/matrix/matrix.hpp>
#include <atoll/matrix/spmm/spmm.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "spmm/random_rows.hpp"

/// Rows of B and C of a rank, and how far C is from its definition.
namespace dense_part {

/// With unused values between the rows.
template <class T>
struct Part {
  std::int64_t rows, columns, stride;
  std::vector<T> values;
  Part(std::int64_t r, std::int64_t c)
      : rows(r), columns(c), stride(c + 1), values(static_cast<std::size_t>(r * (c + 1)), T{-77}) {}
  atl::MatrixView<T> view() { return {values.data(), rows, columns, stride}; }
  void fill(atl::Vertex first, int call) {
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j) view()(i, j) = static_cast<T>(random_rows::dense(first + i, j, call));
  }
};

inline double expected(atl::Vertex i, atl::Vertex n, std::int64_t column, int call, atl::Reduce reduce, bool weighted) {
  double value = 0;
  int count = 0;
  for (const auto& [j, a] : random_rows::row(i, n, weighted)) {
    const double x = a * random_rows::dense(j, column, call);
    if (reduce == atl::Reduce::max)
      value = count == 0 ? x : std::max(value, x);
    else if (reduce == atl::Reduce::min)
      value = count == 0 ? x : std::min(value, x);
    else
      value += x;
    ++count;
  }
  return reduce == atl::Reduce::mean && count > 0 ? value / count : value;
}

/// Values of the product of random_rows that are wrong.
template <class T>
int wrong_in(const atl::MatrixView<T>& c, const atl::Blocks& blocks, atl::Rank rank, int call, atl::Reduce reduce,
             bool weighted) {
  int wrong = 0;
  for (std::int64_t i = 0; i < c.rows; ++i)
    for (std::int64_t j = 0; j < c.cols; ++j) {
      const double right = expected(blocks.begin(rank) + i, blocks.count(), j, call, reduce, weighted);
      const double error = std::abs(static_cast<double>(c(i, j)) - right);
      // Sums are exact; the factor of a mean is rounded, and so is what is multiplied with it.
      wrong += !(error <=
                 (reduce == atl::Reduce::mean ? 4 * std::numeric_limits<T>::epsilon() * (std::abs(right) + 64) : 0));
    }
  return wrong;
}

/// The domains of `ranks` ranks in workgroups of `size`: "4+4+2".
inline std::string workgroups(atl::Rank ranks, atl::Rank size) {
  std::string text;
  for (atl::Rank left = ranks; left > 0; left -= std::min(left, size))
    text += fmt::format("{}{}", text.empty() ? "" : "+", std::min(left, size));
  return text;
}

/// A matrix in which each rank has nonzeros in all columns, some eight in a row; weights are 1.
template <class T>
atl::MatrixRows<T> full_columns(const atl::Blocks& blocks, atl::Rank rank) {
  const auto own = static_cast<std::size_t>(blocks.size(rank)), n = static_cast<std::size_t>(blocks.count());
  atl::MatrixRows<T> a{.blocks = blocks, .column_blocks = blocks};
  a.offsets = atl::Array<atl::Edge>(own + 1);
  a.columns = atl::Array<atl::Vertex>(own == 0 ? 0 : n);
  for (std::size_t i = 0; i <= own; ++i) a.offsets[i] = own == 0 ? 0 : static_cast<atl::Edge>(i * n / own);
  for (std::size_t e = 0; e < a.columns.size(); ++e) a.columns[e] = static_cast<atl::Vertex>(e);
  return a;
}

}  // namespace dense_part
