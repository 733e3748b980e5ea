// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>

#include "order/samples.hpp"

using namespace atl;
using namespace atl::samples;

namespace {

using Counts = std::vector<std::vector<int>>;  // [row][column] nonzeros, without self-loops

Counts counts_of(const SparseMatrix<float>& a) {
  Counts counts(static_cast<std::size_t>(a.rows), std::vector<int>(static_cast<std::size_t>(a.rows)));
  for (std::size_t i = 0; i < counts.size(); ++i)
    for (auto e = static_cast<std::size_t>(a.offsets[i]); e < static_cast<std::size_t>(a.offsets[i + 1]); ++e)
      if (a.column_indices[e] != static_cast<Local>(i)) ++counts[i][static_cast<std::size_t>(a.column_indices[e])];
  return counts;
}

// S(u, v) by its definition: edges between them, and columns that both rows have, unless too many have them.
int score(const Counts& a, const std::vector<int>& column_sizes, std::size_t u, std::size_t v) {
  int s = a[u][v] + a[v][u];
  for (std::size_t w = 0; w < a.size(); ++w)
    if (column_sizes[w] <= static_cast<int>(std::sqrt(static_cast<double>(a.size())))) s += a[u][w] * a[v][w];
  return s;
}

}  // namespace

TEST_CASE("gorder places next a row of the greatest score with the window before it") {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6})
    for (const int window : {1, 2, 5}) {
      const Pairs pairs = random_pairs(70, 60 + 30 * seed, seed);
      const SparseMatrix<float> a = matrix_of(70, seed % 2 ? pairs : both_ways(pairs));
      const Counts counts = counts_of(a);
      std::vector<int> column_sizes(counts.size());
      for (const Local column : a.column_indices) ++column_sizes[static_cast<std::size_t>(column)];
      const auto numbers = numbers_of(a, Ordering::gorder, 1, {.window = window});
      std::vector<std::size_t> order(numbers.size());
      for (std::size_t v = 0; v < numbers.size(); ++v) order[static_cast<std::size_t>(numbers[v])] = v;
      const auto total = [&](std::size_t row, std::size_t placed) {
        int sum = 0;
        for (std::size_t k = placed > static_cast<std::size_t>(window) ? placed - static_cast<std::size_t>(window) : 0;
             k < placed; ++k)
          sum += score(counts, column_sizes, row, order[k]);
        return sum;
      };
      for (std::size_t i = 1; i < order.size(); ++i) {
        int best = 0;
        for (std::size_t later = i; later < order.size(); ++later) best = std::max(best, total(order[later], i));
        CAPTURE(seed);
        CAPTURE(window);
        CAPTURE(i);
        REQUIRE(total(order[i], i) == best);
      }
    }
}

TEST_CASE("gorder begins with the longest row") {
  const SparseMatrix<float> a = matrix_of(5, {{1, 0}, {3, 0}, {3, 1}, {3, 4}, {4, 2}, {4, 3}});
  CHECK(numbers_of(a, Ordering::gorder)[3] == 0);
}
