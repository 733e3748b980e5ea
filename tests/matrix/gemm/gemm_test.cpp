// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/base/random.hpp>
#include <atoll/matrix/gemm/gemm.hpp>

#include "reference/semiring.hpp"
#include "shapes.hpp"

using namespace atl;

namespace {

constexpr Isa kIsas[] = {Isa::portable, Isa::avx2, Isa::avx512};
constexpr Element kElements[] = {
    Element::float32, Element::float32_nonnegative, Element::float64, Element::int32, Element::uint16, Element::uint8};
constexpr Semiring kSemirings[] = {Semiring::min_plus, Semiring::max_plus, Semiring::max_min, Semiring::or_and};

// Every fifth value is the semiring's zero; signed types also have negative values and -0.
template <class T>
Matrix<T> random_matrix(Algebra algebra, std::int64_t rows, std::int64_t cols, std::uint64_t seed) {
  Matrix<T> out(rows, cols);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < cols; ++j) {
      const std::uint64_t word = random_at(seed, static_cast<std::uint64_t>(i * cols + j));
      T value = static_cast<T>(word % 200);
      if (std::is_signed_v<T> && algebra.element != Element::float32_nonnegative && word % 3 == 0)
        value = static_cast<T>(-value);
      if (sizeof(T) <= 2 && word % 7 == 0)
        value = static_cast<T>(std::numeric_limits<T>::max() - word % 64);  // saturates
      if constexpr (std::is_same_v<T, std::uint8_t>)
        if (algebra.semiring == Semiring::or_and) value = word % 8 == 0 ? T{0xff} : T{0};
      if (word % 5 == 0) value = reference::zero<T>(algebra.semiring);
      out(i, j) = value;
    }
  return out;
}

template <class T>
Matrix<T> transpose(const Matrix<T>& m) {
  Matrix<T> out(m.cols(), m.rows());
  for (std::int64_t i = 0; i < m.rows(); ++i)
    for (std::int64_t j = 0; j < m.cols(); ++j) out(j, i) = m(i, j);
  return out;
}

template <class T>
bool equal(const Matrix<T>& a, const Matrix<T>& b) {
  for (std::int64_t i = 0; i < a.rows(); ++i)
    for (std::int64_t j = 0; j < a.cols(); ++j)
      if (a(i, j) != b(i, j)) return false;
  return true;
}

template <class T>
void products_are_as_defined(Team& team, Algebra algebra, Isa isa, int tile, std::int64_t m, std::int64_t n,
                             std::int64_t k) {
  const Matrix<T> a = random_matrix<T>(algebra, m, k, 1), b = random_matrix<T>(algebra, k, n, 2);
  const Matrix<T> before = random_matrix<T>(algebra, m, n, 3);
  Matrix<T> expected = random_matrix<T>(algebra, m, n, 3);
  reference::multiply<T>(algebra.semiring, a.view(), b.view(), expected.view());
  const Matrix<T> at = transpose(a), bt = transpose(b);
  const Gemm gemm(algebra, GemmBlocking{tile, 13, 24, 64}, isa);
  for (const bool ta : {false, true})
    for (const bool tb : {false, true}) {
      Matrix<T> c = random_matrix<T>(algebra, m, n, 3);
      gemm(team, Factor<T>{ta ? at.view() : a.view(), ta}, Factor<T>{tb ? bt.view() : b.view(), tb}, c.view());
      INFO(name_of(algebra.semiring), " ", name_of(algebra.element), " ", name_of(isa), " tile ", tile, " ", m, "x", n,
           "x", k, ta ? " T" : " N", tb ? "T" : "N");
      CHECK(equal(c, expected));
    }
}

template <class F>
void for_each_algebra(F&& f) {
  for (const Isa isa : kIsas) {
    if (isa > machine_isa()) continue;
    for (const Semiring semiring : kSemirings)
      for (const Element element : kElements)
        if (!tile_kernels({semiring, element}, isa).empty())
          with_value_type(element, [&](auto value) { f(value, Algebra{semiring, element}, isa); });
  }
}

}  // namespace

TEST_CASE("a product equals its definition for every algebra, processor, tile and transposition, also for odd sizes") {
  Team team(2);
  for_each_algebra([&]<class T>(T, Algebra algebra, Isa isa) {
    const auto tiles = static_cast<int>(tile_kernels(algebra, isa).size());
    for (int tile = 0; tile < tiles; ++tile) {
      products_are_as_defined<T>(team, algebra, isa, tile, 1, 1, 1);
      products_are_as_defined<T>(team, algebra, isa, tile, 37, 141, 29);
      if (!shapes::kSanitized) products_are_as_defined<T>(team, algebra, isa, tile, 24, 256, 5);
    }
  });
}

TEST_CASE("a product kernel takes every remainder of rows, columns and depth") {
  Team team(1);
  const Algebra algebra{Semiring::min_plus, Element::int32};
  for (const Isa isa : kIsas)
    if (isa <= machine_isa())
      for (std::int64_t size = 1; size < (shapes::kSanitized ? 36 : 70); ++size)
        products_are_as_defined<std::int32_t>(team, algebra, isa, 0, size, 2 * size + 1, size / 2 + 1);
}

TEST_CASE("only entries inside a window change, and in an upper window none below its diagonal tiles") {
  Team team(3);
  const Algebra algebra{Semiring::min_plus, Element::int32};
  for (const Isa isa : kIsas) {
    if (isa > machine_isa()) continue;
    const Gemm gemm(algebra, GemmBlocking{0, 16, 12, 64}, isa);
    const std::int64_t n = 150, depth = 7;
    const auto a = random_matrix<std::int32_t>(algebra, n, depth, 1),
               b = random_matrix<std::int32_t>(algebra, depth, n, 2);
    PackedPanel left(PackedPanel::Side::left), right(PackedPanel::Side::right);
    left.pack(gemm, team, plain(a.view()));
    right.pack(gemm, team, plain(b.view()));
    auto whole = random_matrix<std::int32_t>(algebra, n, n, 3);
    const auto before = random_matrix<std::int32_t>(algebra, n, n, 3);
    reference::multiply<std::int32_t>(algebra.semiring, a.view(), b.view(), whole.view());
    for (const Window w : {Window{0, n, 0, n}, Window{5, 6, 7, 8}, Window{13, 77, 0, 33}, Window{40, 150, 31, 149},
                           Window{20, 20, 0, n}, Window{30, 130, 30, 130, true}, Window{0, n, 0, n, true}}) {
      auto c = random_matrix<std::int32_t>(algebra, n, n, 3);
      gemm.multiply(team, left, right, c.view(), {&w, 1});
      int wrong = 0;
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
          const bool inside = i >= w.row && i < w.row_end && j >= w.col && j < w.col_end;
          if (!inside) {
            wrong += c(i, j) != before(i, j);
          } else if (!w.upper || j - w.col >= i - w.row) {
            wrong += c(i, j) != whole(i, j);
          } else {
            wrong += c(i, j) != before(i, j) && c(i, j) != whole(i, j);
          }
        }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("unsupported algebras and blockings are rejected") {
  CHECK_THROWS_WITH_AS(Gemm({Semiring::max_plus, Element::uint8}), doctest::Contains("max_plus over uint8"),
                       InputError);
  CHECK_THROWS_AS(Gemm({Semiring::or_and, Element::float32}), InputError);
  CHECK_THROWS_WITH_AS(Gemm({}, GemmBlocking{99, 1, 1, 1}), doctest::Contains("tile 99"), InputError);
}
