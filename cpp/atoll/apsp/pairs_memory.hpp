// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/searches/choose_method.hpp>
#include <atoll/matrix/block_cyclic.hpp>
#include <atoll/matrix/gemm/gemm.hpp>
#include <optional>

/// Predicts the memory of an all-pairs run before it allocates any.
///
///     PairsMemory of{.n = 38113, .arcs = 520'000, .value_bytes = 4, .undirected = true, .threads = 2};
///     bytes_on_one_rank(gemm, of);             // 5.9e9: one matrix, and the panels of Floyd-Warshall
///
/// Per rank, without the arcs it already holds: within a tenth of the measured memory
/// (tests/apsp/pairs_memory_test.cpp).
namespace atl {

struct PairsMemory {
  Vertex n = 0;
  Edge arcs = 0;
  std::size_t value_bytes = 4;
  bool undirected = false;
  bool peels = true;
  bool unit = false;                       ///< all weights are 1: the method may be breadth-first search
  std::optional<PairsMethod> method = {};  ///< none: assume the one that needs most
  std::int64_t block = 0;                  ///< 0: the default
  int threads = 1;
};

/// The bytes of a Matrix of this shape.
double matrix_bytes(std::int64_t rows, std::int64_t cols, std::size_t value_bytes);

double bytes_on_one_rank(const Gemm& gemm, const PairsMemory& of);
/// The most that any rank of the grid needs. A checkpoint adds one block per thread.
double bytes_on_a_grid(const Gemm& gemm, const PairsMemory& of, const ProcessGrid& grid, bool checkpoint);

/// The bytes of a rank that searches from so many sources and keeps their rows.
double bytes_by_rows(const PairsMemory& of, std::int64_t rows);

/// The greatest n with bytes(n) <= has; bytes must grow with n.
template <class F>
Vertex greatest_that_fits(double has, F&& bytes) {
  Vertex fits = 0, too_many = 1;
  while (too_many < (Vertex{1} << 31) && bytes(too_many) <= has) fits = too_many, too_many *= 2;
  while (too_many - fits > 1) {
    const Vertex middle = fits + (too_many - fits) / 2;
    (bytes(middle) <= has ? fits : too_many) = middle;
  }
  return fits;
}

}  // namespace atl
