// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "order/samples.hpp"

using namespace atl;
using namespace atl::samples;

namespace {

// [old] new, rows sorted stably by what `less` says of their degrees.
template <class Less>
std::vector<Local> sorted_by(const SparseMatrix<float>& a, Less&& less) {
  const auto degree = [&](Local v) {
    return static_cast<double>(a.offsets[static_cast<std::size_t>(v) + 1] - a.offsets[static_cast<std::size_t>(v)]);
  };
  std::vector<Local> order(static_cast<std::size_t>(a.rows)), numbers(order.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Local u, Local v) { return less(degree(u), degree(v)); });
  for (std::size_t i = 0; i < order.size(); ++i) numbers[static_cast<std::size_t>(order[i])] = static_cast<Local>(i);
  return numbers;
}

std::vector<SparseMatrix<float>> random_patterns() {
  std::vector<SparseMatrix<float>> all;
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    all.push_back(matrix_of(400, random_pairs(400, 400 * seed, seed)));
    // Degrees from 1 to 5,000: radix passes of more than one digit.
    Pairs skewed;
    Random random(seed);
    for (int i = 0; i < 12; ++i) {
      const auto row = static_cast<Local>(random.below(40));
      for (std::uint64_t k = 0; k < std::uint64_t{5000} >> i; ++k) skewed.emplace_back(row, static_cast<Local>(k % 40));
    }
    all.push_back(matrix_of(40, skewed));
  }
  return all;
}

double average_of(const SparseMatrix<float>& a) {
  return static_cast<double>(a.column_indices.size()) / static_cast<double>(a.rows);
}

}  // namespace

TEST_CASE("degree sorts rows stably by falling degree") {
  for (const auto& a : random_patterns())
    CHECK(numbers_of(a, Ordering::degree) == sorted_by(a, [](double u, double v) { return u > v; }));
}

TEST_CASE("hub_sort puts rows above the average first, by falling degree, and leaves the rest as it was") {
  for (const auto& a : random_patterns()) {
    const double average = average_of(a);
    CHECK(numbers_of(a, Ordering::hub_sort) == sorted_by(a, [=](double u, double v) { return u > average && u > v; }));
  }
}

TEST_CASE("dbg keeps the old order in groups of degrees between powers of two of the average") {
  for (const auto& a : random_patterns()) {
    const double average = average_of(a);
    const auto group = [=](double degree) {
      int g = 0;
      for (const double least : {32.0, 16.0, 8.0, 4.0, 2.0, 1.0, 0.5}) g += degree < least * average;
      return g;
    };
    CHECK(numbers_of(a, Ordering::dbg) == sorted_by(a, [=](double u, double v) { return group(u) < group(v); }));
  }
}
