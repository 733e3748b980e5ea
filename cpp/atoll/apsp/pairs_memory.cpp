// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/apsp/floyd_warshall/floyd_warshall.hpp>
#include <atoll/apsp/grid/grid.hpp>
#include <atoll/apsp/pairs_memory.hpp>

namespace atl {
namespace {

double product(std::int64_t a, std::int64_t b) { return static_cast<double>(a) * static_cast<double>(b); }

std::int64_t block_of(const Gemm& gemm, const PairsMemory& of) {
  return of.block > 0 ? std::min<std::int64_t>(of.block, of.n) : usual_block(gemm, of.n);
}

// Both packed panels of a step of Floyd-Warshall; for a symmetric matrix also the column panel.
double dense_bytes(const Gemm& gemm, const PairsMemory& of) {
  const double panel = product(of.n, block_of(gemm, of));
  return panel * (gemm.tile().left_bytes + (of.undirected ? 2.0 : 1.0) * static_cast<double>(of.value_bytes));
}

// A renumbered copy of the arcs, and each thread's data per vertex (row_searches.hpp).
double search_bytes(const PairsMemory& of, PairsMethod method) {
  const auto w = static_cast<double>(of.value_bytes);
  const double arcs = static_cast<double>(of.arcs) * (4 + w) * (of.undirected ? 1 : 2) + static_cast<double>(of.n) * 40;
  double vertex = 0;  // bytes per vertex and thread
  switch (method) {
    case PairsMethod::dijkstra:
      vertex = w + 8 + 16 * static_cast<double>(of.arcs) / static_cast<double>(of.n);  // the heap
      break;
    case PairsMethod::breadth_first:
      vertex = 3 * 64 + 512 + 4;
      break;
    default:
      vertex = 128 + w + 1 + 3 * 4;
  }
  return arcs + of.threads * vertex * static_cast<double>(of.n);
}

/// The same for the method, or for the search that needs most.
double searches_bytes(const PairsMemory& of) {
  if (of.method && of.method != PairsMethod::floyd_warshall) return search_bytes(of, *of.method);
  const double most = std::max(search_bytes(of, PairsMethod::dijkstra), search_bytes(of, PairsMethod::delta));
  return of.unit ? std::max(most, search_bytes(of, PairsMethod::breadth_first)) : most;
}

double method_bytes(const Gemm& gemm, const PairsMemory& of) {
  if (of.method == PairsMethod::floyd_warshall) return dense_bytes(gemm, of);
  return of.method ? searches_bytes(of) : std::max(dense_bytes(gemm, of), searches_bytes(of));
}

}  // namespace

double matrix_bytes(std::int64_t rows, std::int64_t cols, std::size_t value_bytes) {
  const auto line = static_cast<std::int64_t>(64 / value_bytes);
  return product(rows, (((cols + line - 1) / line) | 1) * line) * static_cast<double>(value_bytes);
}

double bytes_on_one_rank(const Gemm& gemm, const PairsMemory& of) {
  const double matrix = matrix_bytes(of.n, of.n, of.value_bytes);
  if (!of.peels && of.method == PairsMethod::floyd_warshall) return matrix + dense_bytes(gemm, of);
  // Lists of arcs and vertices while pendant trees are removed and a core is extracted.
  const double lists = static_cast<double>(of.arcs) * (12 + 2 * (4 + static_cast<double>(of.value_bytes))) +
                       static_cast<double>(of.n) * 60;
  // Rows copied aside while those of cores move; two per thread.
  const double rows = matrix_bytes(std::min<std::int64_t>(of.n, 128 + 2 * of.threads), of.n, of.value_bytes);
  return matrix + lists + std::max(method_bytes(gemm, of), of.peels ? rows : 0);
}

double bytes_by_rows(const PairsMemory& of, std::int64_t rows) {
  return matrix_bytes(rows, of.n, of.value_bytes) + searches_bytes(of);
}

double bytes_on_a_grid(const Gemm& gemm, const PairsMemory& of, const ProcessGrid& grid, bool checkpoint) {
  const std::int64_t b = block_of(gemm, of);
  const GridLayout layout(of.n, b, grid);
  const auto w = static_cast<double>(of.value_bytes);
  const std::int64_t rows = layout.rows.size_on(0), cols = layout.cols.size_on(0);
  const double packed = 2 * (product(rows, b) * gemm.tile().left_bytes + product(cols, b) * w);
  const double travelling =
      2 * w * (product(b, b) + (grid.rows > 1 ? product(cols, b) : 0) + (grid.cols > 1 ? product(rows, b) : 0));
  // While the matrix is filled, before there are panels: the entries, and the same as records in transit.
  const double entries = static_cast<double>(of.arcs) / grid.size() * 3 * 24;
  const double saving = checkpoint ? of.threads * w * product(b, b) : 0;
  return matrix_bytes(rows, cols, of.value_bytes) + entries + packed + travelling + saving;
}

}  // namespace atl
