// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/apsp/all_pairs.hpp>
#include <atoll/apsp/checks/row_check.hpp>
#include <atoll/apsp/floyd_warshall/closure.hpp>
#include <atoll/base/random.hpp>
#include <deque>

#include "apsp/samples.hpp"
#include "shapes.hpp"

using namespace atl;

namespace {

template <class T>
struct Sample {
  Vertex n;
  bool directed;
  std::vector<Arc<T>> arcs;

  ReplicatedCsr<T> build(Semiring semiring) const {
    std::vector<Vertex> ids;
    for (Vertex v = 0; v < n; ++v) ids.push_back(3 * v + 5);
    return make_arcs<T>(std::move(ids), directed, arcs, "sample", semiring);
  }
};

/// `acyclic`: arcs go up in an order of the vertices (13 divides none of the sizes).
template <class T>
Sample<T> random_sample(Vertex n, Edge m, bool directed, bool acyclic, int least, std::uint64_t seed) {
  Random random(seed);
  const auto weight = [&](Local, Local) { return static_cast<T>(least + static_cast<int>(random.below(40))); };
  auto arcs = samples::without_loops(
      samples::random_arcs(random, static_cast<std::size_t>(n), static_cast<std::size_t>(m), weight));
  for (Arc<T>& arc : arcs)
    if (acyclic && arc.tail * 13 % n > arc.head * 13 % n) std::swap(arc.tail, arc.head);
  return {n, directed, std::move(arcs)};
}

/// By definition, from each source: the best walk of at most n arcs, by n passes over all arcs.
template <class T>
std::vector<double> best_from(const Sample<T>& sample, Semiring semiring, Local source) {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  const bool width = semiring == Semiring::max_min, reach = semiring == Semiring::or_and;
  std::vector<double> best(static_cast<std::size_t>(sample.n), kNone);
  best[static_cast<std::size_t>(source)] = width ? -kNone : reach ? 255 : 0;
  for (Vertex round = 0; round < sample.n; ++round) {
    bool changed = false;
    const auto relax = [&](Local from, Local to, double w) {
      const double here = best[static_cast<std::size_t>(from)];
      const double through = reach ? here : width ? std::min(here, w) : here + w;
      if (here == kNone || through <= best[static_cast<std::size_t>(to)]) return;
      best[static_cast<std::size_t>(to)] = through;
      changed = true;
    };
    for (const Arc<T>& arc : sample.arcs) {
      relax(arc.tail, arc.head, static_cast<double>(arc.weight));
      if (!sample.directed) relax(arc.head, arc.tail, static_cast<double>(arc.weight));
    }
    if (!changed) break;
  }
  return best;
}

template <class T>
double plain(Semiring semiring, T value) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (value == zero_of<T>(semiring)) return -kInfinity;
  if (semiring == Semiring::max_min && value == One<Semiring::max_min, T>) return kInfinity;
  return static_cast<double>(value);
}

template <class T>
void closure_is_the_oracles(const Sample<T>& sample, Semiring semiring, Rank ranks) {
  std::vector<std::vector<double>> expected;
  for (Local s = 0; s < sample.n; ++s) expected.push_back(best_from(sample, semiring, s));
  std::atomic<int> wrong{0};
  run_ranks(ranks, samples::quiet_plan(), [&](World& world) {
    const ReplicatedCsr<T> arcs = sample.build(semiring);
    const ReplicatedCsr<double> read = samples::as_read(arcs), entering = read.reversed();
    const AllPairs<T> all = all_pairs(world, arcs, {.semiring = semiring, .block = 16});
    const GridLayout& layout = all.distances.layout;
    const int row = layout.grid.row_of(world.rank()), col = layout.grid.col_of(world.rank());
    for (std::int64_t i = 0; i < all.distances.local.rows(); ++i)
      for (std::int64_t j = 0; j < all.distances.local.cols(); ++j) {
        const auto u = static_cast<std::size_t>(layout.rows.index_of(row, i));
        const auto v = static_cast<std::size_t>(layout.cols.index_of(col, j));
        wrong += plain(semiring, all.distances.local(i, j)) != expected[u][v];
      }
    if (world.size() > 1) return;
    for (Local s = 0; s < sample.n; ++s) {
      const auto from = all.distances.local.view().row(s);
      wrong += check_row<T>(read, entering, semiring, s, from).has_value();
      if (semiring != Semiring::max_min) continue;
      for (Local v = 0; v < sample.n; ++v) {
        const T width = from[static_cast<std::size_t>(v)];
        if (v == s || width == zero_of<T>(semiring)) continue;
        const auto path = widest_path(arcs, s, v, width);
        wrong += path.empty() || path.front() != s || path.back() != v;
        T least = One<Semiring::max_min, T>;
        for (std::size_t k = 0; k + 1 < path.size(); ++k) {
          const auto heads = arcs.heads_of(path[k]);
          const auto at = std::ranges::find(heads, path[k + 1]) - heads.begin();
          least = std::min(least, arcs.weights_of(path[k])[static_cast<std::size_t>(at)]);
        }
        wrong += least != width;
      }
    }
  });
  INFO(name_of(semiring), " n ", sample.n, sample.directed ? " directed" : " undirected", " ranks ", ranks);
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("all pairs over other semirings equal the oracle's for any number of ranks and type") {
  for (const Rank ranks : shapes::kRanks) {
    if (shapes::kSanitized && ranks != 1 && ranks != 3) continue;
    for (const Vertex n : {1, 5, 33, 70}) {
      const Edge m = 3 * n;
      closure_is_the_oracles(random_sample<std::int32_t>(n, m, true, true, -20, 1), Semiring::max_plus, ranks);
      closure_is_the_oracles(random_sample<float>(n, m, true, true, -20, 2), Semiring::max_plus, ranks);
      closure_is_the_oracles(random_sample<double>(n, m, true, true, 0, 3), Semiring::max_plus, ranks);
      for (const bool directed : {true, false}) {
        closure_is_the_oracles(random_sample<std::int32_t>(n, m, directed, false, -20, 4), Semiring::max_min, ranks);
        closure_is_the_oracles(random_sample<float>(n, m, directed, false, -20, 5), Semiring::max_min, ranks);
        closure_is_the_oracles(random_sample<double>(n, n, directed, false, 0, 6), Semiring::max_min, ranks);
        closure_is_the_oracles(random_sample<std::uint16_t>(n, m, directed, false, 1, 7), Semiring::max_min, ranks);
        closure_is_the_oracles(random_sample<std::uint8_t>(n, n, directed, false, 1, 8), Semiring::max_min, ranks);
        closure_is_the_oracles(random_sample<std::uint8_t>(n, n, directed, false, 1, 9), Semiring::or_and, ranks);
      }
    }
  }
}

TEST_CASE("longest paths with cycles of weight 0 are found, and a positive cycle is rejected and named") {
  for (const Rank ranks : {1, 2, 4})
    run_ranks(ranks, samples::quiet_plan(), [&](World& world) {
      Sample<std::int32_t> sample{4, true, {{0, 1, 5}, {1, 2, -3}, {2, 0, -2}, {2, 3, 7}}};
      const auto arcs = sample.build(Semiring::max_plus);
      const auto all = all_pairs(world, arcs, {.semiring = Semiring::max_plus});
      if (world.size() == 1) CHECK(all.distances.local(1, 3) == 4);
      sample.arcs.push_back({2, 0, -1});  // of the two arcs the heavier counts
      CHECK_THROWS_WITH_AS(all_pairs(world, sample.build(Semiring::max_plus), {.semiring = Semiring::max_plus}),
                           doctest::Contains("5 -> 8 -> 11 -> 5 weighs 1"), InputError);
      sample = {2, false, {{0, 1, 5}}};
      CHECK_THROWS_WITH_AS(all_pairs(world, sample.build(Semiring::max_plus), {.semiring = Semiring::max_plus}),
                           doctest::Contains("need --directed"), InputError);
    });
}

TEST_CASE("the check of a row finds a wrong value over any semiring") {
  const auto world = World::alone(samples::quiet_plan());
  for (const Semiring semiring : {Semiring::max_plus, Semiring::max_min}) {
    const auto arcs = random_sample<std::int32_t>(60, 200, true, true, 1, 11).build(semiring);
    const ReplicatedCsr<double> read = samples::as_read(arcs), entering = read.reversed();
    const auto all = all_pairs(*world, arcs, {.semiring = semiring});
    const auto truth = all.distances.local.view().row(1);
    for (const std::int32_t error : {-1, 1, 1000})
      for (std::size_t v = 0; v < truth.size(); ++v) {
        std::vector<std::int32_t> row(truth.begin(), truth.end());
        row[v] = row[v] == zero_of<std::int32_t>(semiring) ? 12 : row[v] + error;
        CHECK(check_row<std::int32_t>(read, entering, semiring, 1, row));
      }
  }
}

TEST_CASE("types, weights and methods that a semiring does not support are rejected with an alternative") {
  const auto world = World::alone(samples::quiet_plan());
  const Sample<std::uint16_t> none{3, true, {{0, 1, 0}, {1, 2, 4}}};
  CHECK_THROWS_WITH_AS(all_pairs(*world, none.build(Semiring::max_plus), {.semiring = Semiring::max_plus}),
                       doctest::Contains("float32, float64, int32"), UsageError);
  CHECK_THROWS_WITH_AS(all_pairs(*world, none.build(Semiring::max_min), {.semiring = Semiring::max_min}),
                       doctest::Contains("weighs 0"), InputError);
  CHECK_THROWS_WITH_AS(all_pairs(*world, none.build(Semiring::or_and), {.semiring = Semiring::or_and}),
                       doctest::Contains("its values are uint8"), UsageError);
  const Sample<std::int32_t> far{3, true, {{0, 1, 400'000'000}}};
  CHECK_THROWS_WITH_AS(all_pairs(*world, far.build(Semiring::max_plus), {.semiring = Semiring::max_plus}),
                       doctest::Contains("a path is 400000000 long (int32"), InputError);
  CHECK_THROWS_WITH_AS(
      all_pairs(*world, far.build(Semiring::max_min), {.semiring = Semiring::max_min, .method = PairsMethod::dijkstra}),
      doctest::Contains("take fw"), UsageError);
}
