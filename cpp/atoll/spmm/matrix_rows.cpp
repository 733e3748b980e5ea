// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/graph/mirror_values.hpp>
#include <atoll/spmm/matrix_rows.hpp>
#include <cmath>
#include <cstring>

namespace atl {
namespace {

constexpr std::size_t kMatrixRowsGrain = 1024;

bool has_loop(const Csr& csr, Local v) { return std::ranges::binary_search(csr.neighbours(v), v); }

// f(e, neighbour, weight) for the edges of v, with weights of type T.
template <class T, class F>
void for_edges(const Csr& csr, bool weighted, Local v, F&& f) {
  const auto begin = static_cast<std::size_t>(csr.offsets[v]),
             end = static_cast<std::size_t>(csr.offsets[static_cast<std::size_t>(v) + 1]);
  std::visit(
      [&](const auto& weights) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(weights)>, std::monostate>)
          if (weighted) {
            for (std::size_t e = begin; e < end; ++e) f(csr.targets[e], static_cast<T>(weights[e]));
            return;
          }
        for (std::size_t e = begin; e < end; ++e) f(csr.targets[e], T{1});
      },
      csr.weights);
}

}  // namespace

template <class T>
MatrixRows<T> rows_of(const Graph& graph, const AdjacencyOptions& options) {
  const Csr& csr = graph.in();
  Team& team = graph.world().team();
  const auto rows = static_cast<std::size_t>(graph.owned());
  const bool weighted = options.values != EdgeValues::ones && csr.weights.index() != 0,
             has_values = weighted || options.values == EdgeValues::gcn, adds = options.diagonal == Diagonal::add;
  const std::vector<Vertex> dense = dense_numbers(graph);
  MatrixRows<T> out{.blocks = graph.blocks(), .column_blocks = graph.blocks()};
  out.offsets = Array<Edge>(rows + 1);
  out.offsets[0] = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const Local v = graph.local_of(static_cast<Vertex>(i));
    out.offsets[i + 1] = out.offsets[i] + csr.degree(v) + (adds && !has_loop(csr, v));
  }
  const auto nonzeros = static_cast<std::size_t>(out.offsets[rows]);
  out.columns = Array<Vertex>(nonzeros);
  if (has_values) out.values = Array<T>(nonzeros);

  std::vector<T> scale;  // [local] 1 / sqrt(d)
  if (options.values == EdgeValues::gcn) {
    scale.resize(static_cast<std::size_t>(graph.locals()));
    team.for_range(rows, kMatrixRowsGrain, [&](int, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const Local v = graph.local_of(static_cast<Vertex>(i));
        double sum = adds && !has_loop(csr, v) ? 1 : 0;
        for_edges<T>(csr, weighted, v, [&](Local, T weight) { sum += static_cast<double>(weight); });
        scale[v] = sum > 0 ? static_cast<T>(1 / std::sqrt(sum)) : T{0};
      }
    });
    broadcast_to_mirrors(graph, std::span(scale));
  }

  team.for_range(rows, kMatrixRowsGrain, [&](int, std::size_t begin, std::size_t end) {
    std::vector<std::pair<Vertex, T>> row;
    for (std::size_t i = begin; i < end; ++i) {
      const Local v = graph.local_of(static_cast<Vertex>(i));
      const auto at = [&](Local u) { return static_cast<std::size_t>(u); };
      row.clear();
      const auto put = [&](Local u, T weight) {
        row.emplace_back(dense[at(u)], scale.empty() ? weight : weight * scale[at(v)] * scale[at(u)]);
      };
      for_edges<T>(csr, weighted, v, put);
      if (adds && !has_loop(csr, v)) put(v, T{1});
      std::ranges::stable_sort(row, {}, &std::pair<Vertex, T>::first);
      auto e = static_cast<std::size_t>(out.offsets[i]);
      for (const auto& [column, value] : row) {
        out.columns[e] = column;
        if (has_values) out.values[e] = value;
        ++e;
      }
    }
  });
  return out;
}

template <class T>
SparseMatrix<T> matrix_of(MatrixRows<T>&& rows) {
  check(rows.blocks.count() == rows.rows(),
        "a matrix of {} rows, of which this rank has {} (it must have all). Plan a "
        "distributed product.",
        rows.blocks.count(), rows.rows());
  SparseMatrix<T> out{.rows = rows.rows(), .columns = rows.column_blocks.count()};
  const std::size_t nonzeros = rows.columns.size();
  // In place: a number's half of the width is never beyond the number itself.
  auto* const narrow = reinterpret_cast<Local*>(rows.columns.data());
  for (std::size_t e = 0; e < nonzeros; ++e) {
    const auto column = static_cast<Local>(rows.columns[e]);
    std::memcpy(narrow + e, &column, sizeof column);
  }
  out.column_indices = std::move(rows.columns).template narrow<Local>(nonzeros);
  out.offsets = std::move(rows.offsets);
  out.values = std::move(rows.values);
  return out;
}

template MatrixRows<float> rows_of(const Graph&, const AdjacencyOptions&);
template MatrixRows<double> rows_of(const Graph&, const AdjacencyOptions&);
template SparseMatrix<float> matrix_of(MatrixRows<float>&&);
template SparseMatrix<double> matrix_of(MatrixRows<double>&&);

}  // namespace atl
