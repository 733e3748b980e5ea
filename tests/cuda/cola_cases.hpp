// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/base/parallel.hpp>
#include <atoll/base/random.hpp>
#include <atoll/device/cola/cola_plan.hpp>
#include <atoll/graph/generate/kronecker.hpp>
#include <atoll/matrix/matrix.hpp>
#include <atoll/matrix/spmm/spmm.hpp>
#include <string>
#include <vector>

/// Square matrices, and how they are distributed over processing elements, for the tests of CoLa.
namespace cola_cases {

struct Shape {
  atl::Rank pes, size;  ///< P, G
};
/// Cases with a smaller last workgroup are among them.
inline std::vector<Shape> shapes() {
  std::vector<Shape> out;
  for (const atl::Rank pes : {1, 2, 3, 4, 5, 8})
    for (const atl::Rank size : {1, 2, 4})
      if (size <= pes) out.push_back({pes, size});
  out.push_back({5, 3});
  out.push_back({3, 3});
  return out;
}

/// Values are small whole numbers, so that sums of any order are exact.
struct CsrMatrix {
  std::string name;
  atl::Vertex n = 0;
  std::vector<atl::Edge> offsets{0};
  std::vector<atl::Vertex> columns = {};
  std::vector<float> values = {};

  atl::ColaRows rows(atl::Vertex begin, atl::Vertex end, std::vector<atl::Edge>& own_offsets) const {
    const auto first = static_cast<std::size_t>(begin), last = static_cast<std::size_t>(end);
    own_offsets.clear();
    for (std::size_t i = first; i <= last; ++i) own_offsets.push_back(offsets[i] - offsets[first]);
    const auto from = static_cast<std::size_t>(offsets[first]), count = static_cast<std::size_t>(own_offsets.back());
    return {own_offsets, std::span(columns).subspan(from, count), std::span(values).subspan(from, count)};
  }
  atl::SparseMatrix<float> whole() const {
    atl::SparseMatrix<float> out{.rows = n, .columns = n};
    out.offsets = atl::Array<atl::Edge>(offsets.size());
    out.column_indices = atl::Array<atl::Local>(columns.size());
    out.values = atl::Array<float>(values.size());
    std::ranges::copy(offsets, out.offsets.begin());
    std::ranges::transform(columns, out.column_indices.begin(),
                           [](atl::Vertex c) { return static_cast<atl::Local>(c); });
    std::ranges::copy(values, out.values.begin());
    return out;
  }
};

inline CsrMatrix of_rows(std::string name, const std::vector<std::vector<atl::Vertex>>& rows) {
  CsrMatrix out{.name = std::move(name), .n = static_cast<atl::Vertex>(rows.size())};
  for (const auto& row : rows) {
    for (const atl::Vertex column : row) {
      out.columns.push_back(column);
      out.values.push_back(static_cast<float>(atl::random_at(5, out.columns.size()) % 7) - 3);
    }
    out.offsets.push_back(static_cast<atl::Edge>(out.columns.size()));
  }
  return out;
}

/// Up to `most` nonzeros in a row, some of them in one place, some rows without any; column 2 in every third row.
inline CsrMatrix random_matrix(atl::Vertex n, std::uint64_t most) {
  std::vector<std::vector<atl::Vertex>> rows(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::uint64_t e = 0, length = atl::random_at(i, 0) % (most + 1); e < length; ++e)
      rows[i].push_back(static_cast<atl::Vertex>(atl::random_at(i, e + 1) % static_cast<std::uint64_t>(n)));
    if (i % 3 == 0) rows[i].push_back(2 % n);
  }
  return of_rows("random", rows);
}

/// Column 2 in every row, so that it is longer than one task of a kernel, and a random one.
inline CsrMatrix hub_matrix(atl::Vertex n) {
  std::vector<std::vector<atl::Vertex>> rows(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = {2, static_cast<atl::Vertex>(atl::random_at(i, 3) % static_cast<std::uint64_t>(n))};
  return of_rows("hub", rows);
}

/// A skewed pattern: the first columns are needed nearly everywhere, most others by few.
inline CsrMatrix kronecker_matrix(int scale, std::size_t tuples) {
  std::vector<std::uint32_t> source(tuples), target(tuples);
  atl::Kronecker(scale, {}, 7).fill_unpermuted(0, std::span(source), std::span(target));
  const std::size_t n = (std::size_t{1} << scale) - 3;
  std::vector<std::vector<atl::Vertex>> rows(n);
  for (std::size_t e = 0; e < tuples; ++e)
    if (source[e] < n && target[e] < n) rows[source[e]].push_back(target[e]);
  return of_rows("Kronecker", rows);
}

/// Unequal blocks; from three PEs on, one without rows.
inline atl::Blocks unequal_blocks(atl::Vertex n, atl::Rank pes) {
  std::vector<atl::Vertex> first{0};
  for (atl::Rank pe = 1; pe < pes; ++pe)
    first.push_back(pe == 2 ? first.back() : std::min(n, first.back() + 1 + 2 * n * pe / (pes * pes)));
  first.push_back(n);
  return atl::Blocks(first);
}

inline std::vector<atl::ColaPlan> plans(const CsrMatrix& a, const Shape& shape, const atl::Blocks& blocks) {
  const atl::ColaGroups groups{shape.pes, shape.size};
  std::vector<atl::Edge> offsets;
  std::vector<std::vector<atl::Vertex>> needed;
  for (atl::Rank pe = 0; pe < shape.pes; ++pe)
    needed.push_back(atl::needed_columns(a.rows(blocks.begin(pe), blocks.end(pe), offsets), blocks, pe));
  std::vector<atl::ColaPlan> out;
  for (atl::Rank pe = 0; pe < shape.pes; ++pe)
    out.emplace_back(groups, pe, blocks, a.rows(blocks.begin(pe), blocks.end(pe), offsets), needed);
  return out;
}

/// Small whole numbers.
inline atl::Matrix<float> dense(atl::Vertex rows, std::int64_t columns, std::uint64_t seed) {
  atl::Matrix<float> out(rows, columns);
  for (atl::Vertex i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      out(i, j) = static_cast<float>(atl::random_at(seed, static_cast<std::uint64_t>(i * columns + j)) % 33) - 16;
  return out;
}

/// The host's.
inline atl::Matrix<float> product(const CsrMatrix& a, const atl::Matrix<float>& b) {
  atl::Matrix<float> out(a.n, b.cols());
  atl::Team team(1);
  const atl::SparseMatrix<float> whole = a.whole();
  atl::Spmm<float>{whole.view()}(team, b.view(), out.view());
  return out;
}

inline std::int64_t differences(const atl::Matrix<float>& a, const atl::Matrix<float>& b) {
  std::int64_t out = 0;
  for (std::int64_t i = 0; i < a.rows(); ++i)
    for (std::int64_t j = 0; j < a.cols(); ++j) out += !(a(i, j) == b(i, j));
  return out;
}

}  // namespace cola_cases
