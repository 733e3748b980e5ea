// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/apsp/floyd_warshall/floyd_warshall.hpp>
#include <atoll/base/random.hpp>
#include <atoll/matrix/scalar.hpp>

#include "apsp/random_arcs.hpp"
#include "reference/semiring.hpp"
#include "shapes.hpp"

using namespace atl;

namespace {

struct Case {
  std::int64_t n;
  int arcs_per_vertex;
  bool undirected, negative;
};

/// Random arcs; negative ones by potentials, w + p(u) - p(v), so that no cycle is negative.
template <class T>
Matrix<T> random_graph(const Case& c, Semiring semiring, std::uint64_t seed) {
  Matrix<T> d(c.n, c.n);
  with_semiring<T>(semiring, [&](auto s) {
    for (std::int64_t i = 0; i < c.n; ++i)
      for (std::int64_t j = 0; j < c.n; ++j) d(i, j) = i == j ? s.one() : s.zero();
    Random random(seed);
    const auto weight_of = [&](Local u, Local v) {
      auto w = static_cast<std::int64_t>(random.below(50));  // includes 0
      if (c.negative) w += u * 7 % 31 - v * 7 % 31;
      return semiring == Semiring::or_and ? s.one() : static_cast<T>(w);
    };
    for (const auto& [u, v, weight] : samples::without_loops(samples::random_arcs(
             random, static_cast<std::size_t>(c.n), static_cast<std::size_t>(c.n * c.arcs_per_vertex), weight_of))) {
      d(u, v) = s.plus(d(u, v), weight);
      if (c.undirected) d(v, u) = d(u, v) = s.plus(d(u, v), d(v, u));
    }
  });
  return d;
}

template <class T>
int differences(const Matrix<T>& a, const Matrix<T>& b, bool min_plus) {
  // With negative weights something may have been added to an integer "no path": it stays beyond half of kNoPath.
  const auto plain = [&](T x) {
    return min_plus && std::is_same_v<T, std::int32_t> && x > kNoPath<T> / 2 ? kNoPath<T> : x;
  };
  int count = 0;
  for (std::int64_t i = 0; i < a.rows(); ++i)
    for (std::int64_t j = 0; j < a.cols(); ++j) count += plain(a(i, j)) != plain(b(i, j));
  return count;
}

template <class T>
void closure_is_that_of_three_loops(Algebra algebra, const Case& c, std::int64_t block, Team& team) {
  Matrix<T> expected = random_graph<T>(c, algebra.semiring, 5), d = random_graph<T>(c, algebra.semiring, 5);
  reference::floyd_warshall<T>(algebra.semiring, expected.view());
  const Gemm gemm(algebra, GemmBlocking{0, 48, 24, 128});
  FloydWarshallReport report;
  const auto cycle = floyd_warshall<T>(gemm, team, d.view(), {.block = block, .undirected = c.undirected}, &report);
  INFO(name_of(algebra.semiring), " ", name_of(algebra.element), " n ", c.n, " block ", block, " of ", report.steps,
       " steps, threads ", team.size());
  CHECK(!cycle);
  CHECK(differences(d, expected, algebra.semiring == Semiring::min_plus) == 0);
}

}  // namespace

TEST_CASE("blocked Floyd-Warshall equals the three loops for every n from 1 on and every remainder of the blocks") {
  Team team(2);
  const Algebra algebra{Semiring::min_plus, Element::int32};
  for (std::int64_t n = 1; n <= 300; n += n < 110 && !shapes::kSanitized ? 1 : 37)
    for (const std::int64_t block : {std::int64_t{0}, std::int64_t{16}, std::int64_t{96}})
      closure_is_that_of_three_loops<std::int32_t>(algebra, {n, 4, n % 2 == 0, false}, block, team);
}

TEST_CASE("every semiring and type, directed and not, with and without negative weights, connected or not") {
  Team team(3);
  for (const int arcs : {1, 3, 40})
    for (const bool undirected : {false, true}) {
      const Case c{131, arcs, undirected, false}, negative{131, arcs, false, true};
      closure_is_that_of_three_loops<float>({Semiring::min_plus, Element::float32}, c, 32, team);
      closure_is_that_of_three_loops<float>({Semiring::min_plus, Element::float32}, negative, 32, team);
      closure_is_that_of_three_loops<float>({Semiring::min_plus, Element::float32_nonnegative}, c, 32, team);
      closure_is_that_of_three_loops<double>({Semiring::min_plus, Element::float64}, negative, 50, team);
      closure_is_that_of_three_loops<std::int32_t>({Semiring::min_plus, Element::int32}, negative, 33, team);
      closure_is_that_of_three_loops<std::uint16_t>({Semiring::min_plus, Element::uint16}, c, 64, team);
      closure_is_that_of_three_loops<std::uint8_t>({Semiring::min_plus, Element::uint8}, c, 64, team);
      closure_is_that_of_three_loops<std::int32_t>({Semiring::max_min, Element::int32}, c, 32, team);
      closure_is_that_of_three_loops<float>({Semiring::max_min, Element::float32}, c, 32, team);
      closure_is_that_of_three_loops<std::uint8_t>({Semiring::max_min, Element::uint8}, c, 32, team);
      closure_is_that_of_three_loops<std::uint8_t>({Semiring::or_and, Element::uint8}, c, 32, team);
    }
}

TEST_CASE("integer results do not depend on block size, threads or processor") {
  const Case c{203, 5, false, false};
  Matrix<std::int32_t> expected = random_graph<std::int32_t>(c, Semiring::min_plus, 5);
  reference::floyd_warshall<std::int32_t>(Semiring::min_plus, expected.view());
  for (const Isa isa : {Isa::portable, Isa::avx2, Isa::avx512})
    for (const int threads : {1, 2, 4})
      for (const std::int64_t block : {7, 48, 100, 203, 500}) {
        if (isa > machine_isa()) continue;
        Team team(threads);
        Matrix<std::int32_t> d = random_graph<std::int32_t>(c, Semiring::min_plus, 5);
        const Gemm gemm({Semiring::min_plus, Element::int32}, {}, isa);
        CHECK(!floyd_warshall<std::int32_t>(gemm, team, d.view(), {.block = block}));
        CHECK(differences(d, expected, true) == 0);
      }
}

TEST_CASE("a negative cycle is detected at one of its vertices, and values never overflow") {
  Team team(2);
  for (const std::int64_t n : {3, 60, 250}) {
    for (std::int64_t at = 0; at + 2 < n; at += n / 3) {
      Matrix<std::int32_t> d = random_graph<std::int32_t>({n, 6, false, false}, Semiring::min_plus, 9);
      for (const std::int64_t v : {at, at + 1, at + 2})
        for (std::int64_t j = 0; j < n; ++j) d(v, j) = j == v ? 0 : kNoPath<std::int32_t>;  // no arc leaves the cycle
      d(at, at + 1) = 5, d(at + 1, at + 2) = -4, d(at + 2, at) = -2;
      const Gemm gemm({Semiring::min_plus, Element::int32});
      const auto cycle = floyd_warshall<std::int32_t>(gemm, team, d.view(), {.block = 48});
      REQUIRE(cycle);
      CHECK((cycle->vertex >= at && cycle->vertex <= at + 2));
    }
  }
}
