// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/base/random.hpp>
#include <atoll/order/ordering.hpp>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

/// Small patterns for the tests of orderings.
namespace atl::samples {

using Pairs = std::vector<std::pair<Local, Local>>;

/// Nonzeros of each row in the order of `pairs`; values 1, 2, ... in that order.
inline SparseMatrix<float> matrix_of(std::int64_t rows, const Pairs& pairs, std::int64_t columns = -1) {
  SparseMatrix<float> a{.rows = rows, .columns = columns < 0 ? rows : columns};
  a.offsets = Array<Edge>(static_cast<std::size_t>(rows) + 1, 0);
  a.column_indices = Array<Local>(pairs.size());
  a.values = Array<float>(pairs.size());
  for (const auto& [i, j] : pairs) ++a.offsets[static_cast<std::size_t>(i) + 1];
  std::partial_sum(a.offsets.begin(), a.offsets.end(), a.offsets.begin());
  std::vector<Edge> next(a.offsets.begin(), a.offsets.end());
  float value = 0;
  for (const auto& [i, j] : pairs) {
    const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(i)]++);
    a.column_indices[at] = j;
    a.values[at] = ++value;
  }
  return a;
}

inline Pairs both_ways(const Pairs& pairs) {
  Pairs all;
  for (const auto& [i, j] : pairs) {
    all.emplace_back(i, j);
    if (i != j) all.emplace_back(j, i);
  }
  return all;
}

/// Pairs drawn from the first three quarters of the rows (the others are isolated), with duplicates and self-loops.
inline Pairs random_pairs(Local rows, std::size_t count, std::uint64_t seed) {
  Random random(seed);
  Pairs pairs;
  const auto used = static_cast<std::uint64_t>(std::max(1, rows * 3 / 4));
  const auto draw = [&] { return static_cast<Local>(std::min(random.below(used), random.below(used))); };
  while (pairs.size() < count) {
    const Local i = draw(), j = draw();
    pairs.emplace_back(i, j);
    if (random.below(8) == 0) pairs.emplace_back(i, j);
    if (random.below(8) == 0) pairs.emplace_back(i, i);
  }
  return pairs;
}

/// a x b with neighbours along both axes, under shuffled numbers.
inline Pairs shuffled_grid(Local a, Local b, std::uint64_t seed) {
  std::vector<Local> label(static_cast<std::size_t>(a) * static_cast<std::size_t>(b));
  std::iota(label.begin(), label.end(), 0);
  std::shuffle(label.begin(), label.end(), Random(seed));
  const auto at = [&](Local x, Local y) { return label[static_cast<std::size_t>(x * b + y)]; };
  Pairs pairs;
  for (Local x = 0; x < a; ++x)
    for (Local y = 0; y < b; ++y) {
      if (x + 1 < a) pairs.emplace_back(at(x, y), at(x + 1, y));
      if (y + 1 < b) pairs.emplace_back(at(x, y), at(x, y + 1));
    }
  return both_ways(pairs);
}

inline std::vector<Local> numbers_of(const SparseMatrix<float>& a, Ordering method, int threads = 1,
                                     const OrderingOptions& options = {}) {
  Team team(threads);
  const Array<Local> numbers = new_numbers(team, a.pattern(), method, options);
  return {numbers.begin(), numbers.end()};
}

inline bool is_permutation(std::vector<Local> numbers, std::int64_t rows) {
  std::sort(numbers.begin(), numbers.end());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] != static_cast<Local>(i)) return false;
  return static_cast<std::int64_t>(numbers.size()) == rows;
}

}  // namespace atl::samples
