// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/apsp/arcs/matrix_arcs.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/random.hpp>

using namespace atl;

namespace {

// About every third entry is an arc; -1 says that one is none.
template <class S>
Matrix<S> a_third_of_arcs(std::int64_t n, bool symmetric) {
  Random random(static_cast<std::uint64_t>(n));
  Matrix<S> m(n, n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      m(i, j) =
          symmetric && j < i ? m(j, i) : (random.below(3) == 0 ? static_cast<S>(random.below(40)) : static_cast<S>(-1));
  return m;
}

template <class S>
void check_arcs_of(std::int64_t n, bool symmetric, int threads) {
  Team team(threads);
  const Matrix<S> m = a_third_of_arcs<S>(n, symmetric);
  std::vector<Vertex> ids;
  std::vector<Arc<std::int32_t>> list;
  for (std::int64_t i = 0; i < n; ++i) {
    ids.push_back(i);
    for (std::int64_t j = 0; j < n; ++j)
      if (m(i, j) >= 0)
        list.push_back({static_cast<Local>(i), static_cast<Local>(j), static_cast<std::int32_t>(m(i, j))});
  }
  const auto expected = make_arcs<std::int32_t>(ids, true, list);
  const MatrixArcs found = arcs_of_matrix<S>(team, {.view = m.view(), .no_edge = static_cast<S>(-1)});
  const auto& arcs = std::get<ReplicatedCsr<std::int32_t>>(found);
  CHECK(arcs.ids == expected.ids);
  CHECK(std::ranges::equal(arcs.offsets, expected.offsets));
  CHECK(std::ranges::equal(arcs.heads, expected.heads));
  CHECK(std::ranges::equal(arcs.weights, expected.weights));
  CHECK(arcs.least == expected.least);
  CHECK(arcs.greatest == expected.greatest);
  if (symmetric) CHECK(!arcs.directed);
  if (!symmetric && n > 16) CHECK(arcs.directed);
}

}  // namespace

TEST_CASE("the arcs of a matrix are those of the list of its entries") {
  for (const std::int64_t n : {1, 2, 15, 16, 17, 63, 64, 65, 130})
    for (const bool symmetric : {false, true})
      for (const int threads : {1, 2, 3}) {
        CAPTURE(n);
        CAPTURE(threads);
        check_arcs_of<float>(n, symmetric, threads);
        check_arcs_of<double>(n, symmetric, threads);
        check_arcs_of<std::int32_t>(n, symmetric, threads);
        check_arcs_of<std::int64_t>(n, symmetric, threads);
      }
}

TEST_CASE("weights of a matrix come in a type that holds each of them") {
  Team team(1);
  const auto type_of = [&](double w) {
    Matrix<double> m(2, 2);
    m(0, 0) = m(1, 1) = 0;
    m(0, 1) = w;
    m(1, 0) = kNoPath<double>;
    return arcs_of_matrix<double>(team, {.view = m.view()}).index();
  };
  CHECK(type_of(0x3FFFFFFE) == 0);
  CHECK(type_of(-0x3FFFFFFE) == 0);
  CHECK(type_of(0x3FFFFFFF) == 2);
  CHECK(type_of(0.5) == 2);
}

TEST_CASE("the first entry that is no weight is named") {
  Team team(2);
  Matrix<float> m(40, 40);
  for (std::int64_t i = 0; i < 40; ++i) std::ranges::fill(m.view().row(i), kNoPath<float>);
  m(31, 2) = std::numeric_limits<float>::quiet_NaN();
  m(7, 39) = -kNoPath<float>;
  CHECK_THROWS_WITH_AS(arcs_of_matrix<float>(team, {.view = m.view(), .name = "m"}),
                       "m[7, 39] is -inf (a weight is finite). Give one, or the infinity that stands for no path.",
                       InputError);
  m(7, 39) = 1;
  CHECK_THROWS_WITH_AS(arcs_of_matrix<float>(team, {.view = m.view(), .name = "m"}),
                       "m[31, 2] is nan (not a number). Put infinity where there is no edge.", InputError);
}
