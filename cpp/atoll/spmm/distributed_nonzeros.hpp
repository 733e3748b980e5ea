// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/matrix/spmm/spmm.hpp>
#include <atoll/spmm/product.hpp>

/// Steps that the products of grid_spmm.hpp share: a matrix that goes from ranks with whole rows to ranks with blocks
/// of it, and partial results that are added.
namespace atl::spmm {

template <class T>
struct Entry {
  Vertex row, column;
  T value;
};

/// Collective; every rank throws UsageError for another reduction than sum and mean.
inline void check_adds(World& world, Reduce reduce) {
  world.collective_try([&] {
    if (reduce != Reduce::sum && reduce != Reduce::mean)
      throw UsageError(fmt::format(
          "SpMM in 1.5D or 2D: the reduction is {} (partial results are added). Take sum or mean, or another "
          "strategy.",
          reduce == Reduce::max ? "max" : "min"));
  });
}

template <class T>
std::vector<Edge> nonzeros_of_rows(const MatrixRows<T>& a) {
  std::vector<Edge> counts;
  for (std::size_t i = 0; i + 1 < a.offsets.size(); ++i) counts.push_back(a.offsets[i + 1] - a.offsets[i]);
  return counts;
}

/// The nonzeros whose target(column) is this rank, those of lower rows first. Collective.
template <class T, class Target>
std::vector<std::vector<Entry<T>>> distribute_nonzeros(World& world, const MatrixRows<T>& a, Target&& target) {
  std::vector<std::vector<Entry<T>>> outgoing(static_cast<std::size_t>(world.size()));
  const Vertex first = a.blocks.begin(world.rank());
  for (std::size_t i = 0; i + 1 < a.offsets.size(); ++i)
    for (auto e = static_cast<std::size_t>(a.offsets[i]); e < static_cast<std::size_t>(a.offsets[i + 1]); ++e)
      outgoing[target(a.columns[e])].push_back(
          {first + static_cast<Vertex>(i), a.columns[e], a.values.empty() ? T{1} : a.values[e]});
  return world.exchange(std::move(outgoing));
}

/// A matrix of the entries that `has` takes.
template <class T, class Has, class Row, class Place>
SparseMatrix<T> chunk_of(const std::vector<std::vector<Entry<T>>>& entries, std::int64_t rows, std::int64_t columns,
                         bool weighted, Has&& has, Row&& row, Place&& place) {
  const auto for_entries = [&](auto&& f) {
    for (const auto& from : entries)
      for (const Entry<T>& entry : from)
        if (has(entry.column)) f(entry, static_cast<std::size_t>(row(entry.row)));
  };
  SparseMatrix<T> out{.rows = rows, .columns = columns};
  out.offsets = Array<Edge>(static_cast<std::size_t>(rows) + 1, 0);
  for_entries([&](const Entry<T>&, std::size_t i) { ++out.offsets[i + 1]; });
  for (std::size_t i = 0; i < static_cast<std::size_t>(rows); ++i) out.offsets[i + 1] += out.offsets[i];
  const auto nonzeros = static_cast<std::size_t>(out.offsets[rows]);
  out.column_indices = Array<Local>(nonzeros);
  if (weighted) out.values = Array<T>(nonzeros);
  std::vector<Edge> next(out.offsets.begin(), out.offsets.end());
  for_entries([&](const Entry<T>& entry, std::size_t i) {
    const auto to = static_cast<std::size_t>(next[i]++);
    out.column_indices[to] = static_cast<Local>(place(entry.column));
    if (weighted) out.values[to] = entry.value;
  });
  return out;
}

/// C(i, :) <- the sum of row i, or its mean: sums(i) is where those of row i begin.
template <class T, class Sums>
void write_rows(Team& team, const std::vector<Edge>& row_nonzeros, Reduce reduce, MatrixView<T> c, Sums&& sums) {
  constexpr std::size_t kGrain = 1024;
  team.for_range(row_nonzeros.size(), kGrain, [&](int, std::size_t i, std::size_t end) {
    for (; i < end; ++i) {
      const T factor = reduce == Reduce::mean && row_nonzeros[i] > 0 ? T{1} / static_cast<T>(row_nonzeros[i]) : T{1};
      const auto row = static_cast<std::int64_t>(i);
      const T* from = sums(row);
      for (std::int64_t j = 0; j < c.cols; ++j) c(row, j) = from[j] * factor;
    }
  });
}

/// For at least `size` values; what it had is lost if it grows.
template <class T>
void grow(Array<T>& values, std::int64_t size) {
  if (values.size() < static_cast<std::size_t>(size)) values = Array<T>(static_cast<std::size_t>(size));
}

}  // namespace atl::spmm
