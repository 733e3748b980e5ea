// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/random.hpp>
#include <atoll/gnn/dense/products.hpp>
#include <cstring>
#include <vector>

#include "shapes.hpp"

using namespace atl;

namespace {

// Small whole numbers: sums of products are exact, in any order.
template <class T>
Matrix<T> whole(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  Matrix<T> out(rows, columns);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      out(i, j) = static_cast<T>(random_at(seed, static_cast<std::uint64_t>(i * columns + j)) % 9) - T{4};
  return out;
}

template <class T>
void fill(Matrix<T>& m, T value) {
  std::fill_n(m.data(), m.rows() * m.stride(), value);
}

std::vector<Isa> sets() {
  std::vector<Isa> out;
  for (const Isa isa : {Isa::portable, Isa::avx2, Isa::avx512})
    if (isa <= machine_isa()) out.push_back(isa);
  return out;
}

template <class T>
void check_all(Team& team, std::int64_t n, std::int64_t k, std::int64_t m, Isa isa) {
  CAPTURE(n);
  CAPTURE(k);
  CAPTURE(m);
  CAPTURE(std::string(name_of(isa)));
  const Matrix<T> x = whole<T>(n, k, 1), w = whole<T>(k, m, 2), g = whole<T>(n, m, 3);
  Matrix<T> y(n, m + 1), d(k, m + 1), t(m, k);
  fill(y, T{-77});
  fill(d, T{-77});
  multiply(team, x.view(), w.view(), y.view().part(0, 0, n, m), isa);
  multiply_transposed(team, x.view(), g.view(), d.view().part(0, 0, k, m), isa);
  transpose_of(w.view(), t.view());
  std::vector<T> sums(static_cast<std::size_t>(m), T{-77});
  column_sums(team, g.view(), sums.data());
  int wrong = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < m; ++j) {
      T sum{0};
      for (std::int64_t s = 0; s < k; ++s) sum += x(i, s) * w(s, j);
      wrong += y(i, j) != sum;
    }
    wrong += y(i, m) != T{-77};  // nothing beyond the columns is written
  }
  for (std::int64_t i = 0; i < k; ++i) {
    for (std::int64_t j = 0; j < m; ++j) {
      T sum{0};
      for (std::int64_t s = 0; s < n; ++s) sum += x(s, i) * g(s, j);
      wrong += d(i, j) != sum;
      wrong += t(j, i) != w(i, j);
    }
    wrong += d(i, m) != T{-77};
  }
  for (std::int64_t j = 0; j < m; ++j) {
    T sum{0};
    for (std::int64_t s = 0; s < n; ++s) sum += g(s, j);
    wrong += sums[static_cast<std::size_t>(j)] != sum;
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("products of tall and small matrices equal their definition with each instruction set") {
  Team team(2);
  for (const Isa isa : sets())
    for (const std::int64_t n : {0, 1, 3, 4, 5, 700, 1500})
      for (const std::int64_t k : {1, 2, 7, 16, 33})
        for (const std::int64_t m : {1, 2, 3, 5, 8, 15, 16, 17, 31, 32, 47, 100}) {
          if (shapes::kSanitized && (n == 1500 || m > 33)) continue;
          check_all<float>(team, n, k, m, isa);
          check_all<double>(team, n, k, m, isa);
        }
}

TEST_CASE("products do not depend on the number of threads") {
  const std::int64_t n = 5000, k = 19, m = 11;
  const Matrix<float> x = whole<float>(n, k, 1);
  Matrix<float> w(k, m), g(n, m);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < m; ++j) g(i, j) = 1 / static_cast<float>(1 + i + 3 * j);
  for (std::int64_t i = 0; i < k; ++i)
    for (std::int64_t j = 0; j < m; ++j) w(i, j) = 1 / static_cast<float>(3 + i + 5 * j);
  std::vector<std::vector<float>> found;
  for (const int threads : {1, 2, 3, 5}) {
    Team team(threads);
    Matrix<float> y(n, m), d(k, m);
    std::vector<float> all(static_cast<std::size_t>(m));
    multiply<float>(team, x.view(), w.view(), y.view());
    multiply_transposed<float>(team, x.view(), g.view(), d.view());
    column_sums<float>(team, g.view(), all.data());
    for (std::int64_t i = 0; i < n; ++i) all.insert(all.end(), y.view().row(i).begin(), y.view().row(i).end());
    for (std::int64_t i = 0; i < k; ++i) all.insert(all.end(), d.view().row(i).begin(), d.view().row(i).end());
    found.push_back(std::move(all));
  }
  for (const auto& other : found) CHECK(std::memcmp(other.data(), found[0].data(), other.size() * sizeof(float)) == 0);
}
