// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/error.hpp>
#include <atoll/matrix/sparse/sparse_matrix.hpp>
#include <cmath>
#include <vector>

namespace atl {

template <class T>
void check_sparse(const SparseView<T>& a, std::string_view what) {
  const SparsePattern& p = a.pattern;
  const auto rows = static_cast<std::size_t>(p.rows);
  if (p.rows < 0 || p.columns < 0 || p.offsets.size() != rows + 1)
    throw InputError(fmt::format("{}: {} row offsets for {} rows (there must be one more than rows). Pass CSR arrays.",
                                 what, p.offsets.size(), p.rows));
  if (p.offsets[0] != 0 || p.offsets[rows] != static_cast<Edge>(p.column_indices.size()))
    throw InputError(
        fmt::format("{}: row offsets go from {} to {}, with {} column numbers (they must go from 0 to that number). "
                    "Pass CSR arrays.",
                    what, p.offsets[0], p.offsets[rows], p.column_indices.size()));
  for (std::size_t i = 0; i < rows; ++i)
    if (p.offsets[i] > p.offsets[i + 1])
      throw InputError(fmt::format("{}: the offset of row {} is {}, after {} (offsets never fall). Pass CSR arrays.",
                                   what, i + 1, p.offsets[i + 1], p.offsets[i]));
  for (std::size_t e = 0; e < p.column_indices.size(); ++e)
    if (p.column_indices[e] < 0 || p.column_indices[e] >= p.columns)
      throw InputError(
          fmt::format("{}: nonzero {} is in column {} (the matrix has {} columns). Correct the column numbers.", what,
                      e, p.column_indices[e], p.columns));
  for (std::size_t e = 0; a.values && e < p.column_indices.size(); ++e)
    if (std::isnan(a.values[e]))
      throw InputError(fmt::format("{}: nonzero {} (column {}) is not a number. Remove or replace it.", what, e,
                                   p.column_indices[e]));
}

template <class T>
SparseMatrix<T> transpose(Team& team, const SparseView<T>& a, Array<Edge>* from) {
  const SparsePattern& p = a.pattern;
  const auto rows = static_cast<std::size_t>(p.rows), columns = static_cast<std::size_t>(p.columns);
  const auto threads = static_cast<std::size_t>(team.size());
  SparseMatrix<T> out{.rows = p.columns, .columns = p.rows};
  out.offsets = Array<Edge>(columns + 1);
  out.column_indices = Array<Local>(p.column_indices.size());
  if (a.values) out.values = Array<T>(p.column_indices.size());
  if (from) *from = Array<Edge>(p.column_indices.size());
  // A stable counting sort: each thread has a contiguous part of the rows and, in each column, a range of positions.
  std::vector<Array<Edge>> next(threads);
  auto part = [&](int thread) { return team.share(thread, rows); };
  team.run([&](int thread) {
    Array<Edge>& count = next[thread];
    count = Array<Edge>(columns, 0);
    const auto [begin, end] = part(thread);
    for (auto e = static_cast<std::size_t>(p.offsets[begin]); e < static_cast<std::size_t>(p.offsets[end]); ++e)
      ++count[p.column_indices[e]];
  });
  Edge sum = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    out.offsets[c] = sum;
    for (Array<Edge>& of_thread : next) {
      const Edge count = of_thread[c];
      of_thread[c] = sum;
      sum += count;
    }
  }
  out.offsets[columns] = sum;
  team.run([&](int thread) {
    Array<Edge>& place = next[thread];
    const auto [begin, end] = part(thread);
    for (std::size_t i = begin; i < end; ++i)
      for (auto e = static_cast<std::size_t>(p.offsets[i]); e < static_cast<std::size_t>(p.offsets[i + 1]); ++e) {
        const auto to = static_cast<std::size_t>(place[p.column_indices[e]]++);
        out.column_indices[to] = static_cast<Local>(i);
        if (a.values) out.values[to] = a.values[e];
        if (from) (*from)[to] = static_cast<Edge>(e);
      }
  });
  return out;
}

template void check_sparse(const SparseView<float>&, std::string_view);
template void check_sparse(const SparseView<double>&, std::string_view);
template SparseMatrix<float> transpose(Team&, const SparseView<float>&, Array<Edge>*);
template SparseMatrix<double> transpose(Team&, const SparseView<double>&, Array<Edge>*);

}  // namespace atl
