// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/apsp/all_pairs.hpp>
#include <atoll/apsp/arcs/narrow_arcs.hpp>
#include <atoll/apsp/checks/value_range.hpp>
#include <atoll/apsp/store/distance_row.hpp>
#include <atoll/base/random.hpp>
#include <cmath>

#include "apsp/samples.hpp"
#include "reference/apsp.hpp"
#include "shapes.hpp"

using namespace atl;

namespace {

std::vector<Vertex> odd_ids(Vertex n) {
  std::vector<Vertex> ids;
  for (Vertex v = 0; v < n; ++v) ids.push_back(2 * v + 1);
  return ids;
}

std::vector<Arc<double>> whole_arcs(Vertex n, Edge m, std::uint64_t greatest, std::uint64_t seed) {
  Random random(seed);
  const auto weight = [&](Local u, Local v) { return u == v ? 0 : static_cast<double>(random.below(greatest + 1)); };
  return samples::without_loops(
      samples::random_arcs(random, static_cast<std::size_t>(n), static_cast<std::size_t>(m), weight));
}

/// All pairs in T equal those in float64, or are rejected if one exceeds T: never "no path".
template <class T>
void exact_or_refused(bool directed, double greatest, std::optional<PairsMethod> method, Rank ranks) {
  int refused = 0, computed = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    const Vertex n = 3 + static_cast<Vertex>(seed) * 4;
    const auto input = whole_arcs(n, n + static_cast<Edge>(seed % 5) * n, static_cast<std::uint64_t>(greatest), seed);
    const auto expected = reference::floyd_warshall<double>(static_cast<std::size_t>(n), input, directed);
    REQUIRE(expected);
    bool fits = true;
    for (const auto& row : *expected)
      for (const double d : row) fits &= std::isinf(d) || d < static_cast<double>(kNoPath<T>);
    std::atomic<int> wrong{0}, told{0};
    run_ranks(ranks, samples::quiet_plan(), [&](World& world) {
      const ReplicatedCsr<T> arcs = narrowed<T>(make_arcs<double>(odd_ids(n), directed, input, "random"));
      try {
        const AllPairs<T> all = all_pairs(world, arcs, {.method = method});
        for (Vertex u = 0; u < n; ++u) {
          const std::vector<T> row = row_of(world, all.distances, u);
          for (Vertex v = 0; v < n; ++v) {
            const double d = (*expected)[static_cast<std::size_t>(u)][static_cast<std::size_t>(v)];
            wrong += std::isinf(d) ? row[static_cast<std::size_t>(v)] != kNoPath<T>
                                   : static_cast<double>(row[static_cast<std::size_t>(v)]) != d;
          }
        }
      } catch (const InputError& e) {
        told += std::string(e.what()).find("holds lengths below") != std::string::npos;
      }
    });
    CHECK(wrong == 0);
    CHECK(told == (fits ? 0 : ranks));
    (fits ? computed : refused) += 1;
  }
  CHECK(refused > 0);
  CHECK(computed > 0);
}

}  // namespace

TEST_CASE("a path too long for its type is rejected on any number of ranks, and never reported as none") {
  for (const Rank ranks : {1, 2, 3, 5})
    for (const bool directed : {true, false}) {
      CAPTURE(ranks);
      CAPTURE(directed);
      exact_or_refused<std::uint8_t>(directed, 60, {}, ranks);
      exact_or_refused<std::uint16_t>(directed, 20000, {}, ranks);
      exact_or_refused<std::int32_t>(directed, 3e8, {}, ranks);
    }
}

TEST_CASE("searches reject a path too long for its type") {
  for (const PairsMethod method : {PairsMethod::dijkstra, PairsMethod::delta}) {
    exact_or_refused<std::uint8_t>(true, 60, method, 1);
    exact_or_refused<std::int32_t>(false, 3e8, method, 1);
  }
}

TEST_CASE("the error names the pair and its length, also for floats") {
  run_ranks(2, samples::quiet_plan(), [](World& world) {
    const std::vector<Arc<std::uint8_t>> bytes{{0, 1, 200}, {1, 2, 100}};
    CHECK_THROWS_WITH_AS(all_pairs(world, make_arcs<std::uint8_t>({10, 20, 30}, true, bytes, "wide")),
                         "wide: a path from 10 to 30 is 300 long (uint8 holds lengths below 255). Use a wider type.",
                         InputError);
    const std::vector<Arc<float>> floats{{0, 1, 3e38F}, {1, 2, 3e38F}};
    CHECK_THROWS_WITH_AS(all_pairs(world, make_arcs<float>({10, 20, 30}, false, floats, "wide")),
                         doctest::Contains("a path from 10 to 30 is 6"), InputError);
  });
}

namespace {

/// A directed path of two arcs, which is so long.
template <class T>
ReplicatedCsr<T> two_arcs(double length) {
  const std::vector<Arc<double>> input{{0, 1, std::floor(length / 2)}, {1, 2, std::ceil(length / 2)}};
  return narrowed<T>(make_arcs<double>(odd_ids(3), true, input, "two arcs"));
}

template <class T>
void longest_is_held_and_a_longer_one_refused() {
  constexpr double kMost = static_cast<double>(kNoPath<T>) - 1;
  for (const Rank ranks : {1, 2, 4})
    run_ranks(ranks, samples::quiet_plan(), [&](World& world) {
      std::vector<std::optional<PairsMethod>> methods{std::nullopt, PairsMethod::floyd_warshall};
      if (world.size() == 1) methods.insert(methods.end(), {PairsMethod::dijkstra, PairsMethod::delta});
      for (const auto method : methods)
        for (const auto peel : {PendantTreeRemoval::yes, PendantTreeRemoval::no}) {
          const AllPairsOptions options{.method = method, .pendant_trees = peel};
          const auto all = all_pairs(world, two_arcs<T>(kMost), options);
          CHECK(row_of(world, all.distances, 0)[2] == static_cast<T>(kMost));
          CHECK_THROWS_WITH_AS(all_pairs(world, two_arcs<T>(kMost + 1), options),
                               doctest::Contains(fmt::format("is {:.0f} long", kMost + 1).c_str()), InputError);
        }
    });
}

}  // namespace

TEST_CASE("the longest path that a type holds is exact, one that is 1 longer is refused") {
  longest_is_held_and_a_longer_one_refused<std::uint8_t>();
  longest_is_held_and_a_longer_one_refused<std::uint16_t>();
  longest_is_held_and_a_longer_one_refused<std::int32_t>();
}

TEST_CASE("negative weights that int32 cannot distinguish from no path are rejected, others are exact") {
  run_ranks(2, samples::quiet_plan(), [](World& world) {
    const std::vector<Arc<std::int32_t>> deep{{0, 1, -200'000'000}, {1, 2, -200'000'000}, {2, 3, 7}};
    CHECK_THROWS_WITH_AS(all_pairs(world, make_arcs<std::int32_t>(odd_ids(4), true, deep, "deep")),
                         doctest::Contains("a path is -400000000 long"), InputError);
    const std::vector<Arc<std::int32_t>> high{{0, 1, 300'000'000}, {1, 2, 300'000'000}, {2, 3, -1}};
    CHECK_THROWS_WITH_AS(all_pairs(world, make_arcs<std::int32_t>(odd_ids(4), true, high, "high")),
                         doctest::Contains("a path from 1 to 5 is 600000000 long"), InputError);
    const std::vector<Arc<std::int32_t>> fits{{0, 1, 400'000'000}, {1, 2, -100'000'000}, {2, 3, -100'000'000}};
    const auto all = all_pairs(world, make_arcs<std::int32_t>(odd_ids(4), true, fits, "fits"));
    CHECK(row_of(world, all.distances, 0) == std::vector<std::int32_t>{0, 400'000'000, 300'000'000, 200'000'000});
    CHECK(row_of(world, all.distances, 3) ==
          std::vector<std::int32_t>{kNoPath<std::int32_t>, kNoPath<std::int32_t>, kNoPath<std::int32_t>, 0});
  });
}

TEST_CASE("reached counts equal those of searches from each vertex, with and without reverse arcs") {
  run_ranks(1, samples::quiet_plan(), [](World& world) {
    for (const Edge m : {0, 300, 900, 1800, 5000}) {
      constexpr Vertex kN = 1200;  // more components than one pass handles
      const auto input = whole_arcs(kN, m, 1, static_cast<std::uint64_t>(m) + 3);
      const ReplicatedCsr<double> arcs = make_arcs<double>(odd_ids(kN), true, input);
      const auto counts = reached_counts(world.team(), arcs);
      int wrong = 0;
      for (Local s = 0; s < kN; ++s) {
        std::vector<char> seen(kN, 0);
        std::vector<Local> list{s};
        seen[static_cast<std::size_t>(s)] = 1;
        for (std::size_t k = 0; k < list.size(); ++k)
          for (const Local head : arcs.heads_of(list[k]))
            if (!seen[static_cast<std::size_t>(head)]) seen[static_cast<std::size_t>(head)] = 1, list.push_back(head);
        wrong += counts[static_cast<std::size_t>(s)] != static_cast<Vertex>(list.size());
      }
      CHECK(wrong == 0);
    }
  });
}

TEST_CASE("a fraction together with a weight beyond float32 gives float64") {
  const std::vector<Arc<double>> input{{0, 1, 0.5}, {1, 2, 1e39}};
  CHECK(narrowest_type(make_arcs<double>(odd_ids(3), true, input)) == Element::float64);
}

TEST_CASE("a limited number of steps also works on one rank, without removing pendant trees") {
  run_ranks(1, samples::quiet_plan(), [](World& world) {
    std::vector<Arc<std::int32_t>> input;
    for (Local v = 0; v + 1 < 200; ++v) input.push_back({v, v + 1, 1});
    AllPairsOptions options{.block = 48};
    options.on_grid.steps = 2;
    const auto all = all_pairs(world, make_arcs<std::int32_t>(odd_ids(200), true, input), options);
    CHECK(all.report.steps == 2);
    CHECK(all.distances.local(0, 96) == 96);
    CHECK(all.distances.local(0, 199) == kNoPath<std::int32_t>);
    options.method = PairsMethod::dijkstra;
    CHECK_THROWS_AS(all_pairs(world, make_arcs<std::int32_t>(odd_ids(200), true, input), options), UsageError);
  });
}

TEST_CASE("int32 holds every longest path that fits, however large n times the greatest weight is") {
  constexpr std::int32_t kFar = 100'000'000;  // three of them are at most a quarter of "no path"
  for (const Rank ranks : {1, 2, 4})
    run_ranks(ranks, samples::quiet_plan(), [&](World& world) {
      // A long chain of light arcs, a heavy one at its end, and unreached vertices.
      std::vector<Arc<double>> chain;
      for (Local v = 0; v + 1 < 40; ++v) chain.push_back({v, v + 1, v == 38 ? 2.0 * kFar : 1.0});
      chain.push_back({41, 0, -4.0 * kFar});
      const auto arcs = [&] { return narrowed<std::int32_t>(make_arcs<double>(odd_ids(43), true, chain, "chain")); };
      const auto all = all_pairs(world, arcs(), {.semiring = Semiring::max_plus});
      const auto from = [&](Vertex u) { return row_of(world, all.distances, u); };
      CHECK(from(0)[39] == 38 + 2 * kFar);
      CHECK(from(41)[39] == 38 - 2 * kFar);
      CHECK(from(39)[0] == -kNoPath<std::int32_t>);
      CHECK(from(42)[39] == -kNoPath<std::int32_t>);
      // A path beyond half of "no path" would be lost: it is named.
      chain.push_back({42, 41, -3.0 * kFar});
      CHECK_THROWS_WITH_AS(all_pairs(world, arcs(), {.semiring = Semiring::max_plus}),
                           doctest::Contains("a path from 85 to 1 is -700000000 long (int32 holds lengths above"),
                           InputError);
      chain[0].weight = 2.0 * kFar;
      CHECK_THROWS_WITH_AS(all_pairs(world, arcs(), {.semiring = Semiring::max_plus}),
                           doctest::Contains("a path is 400000037 long (int32 holds lengths below"), InputError);
      chain.push_back({39, 0, 1.0});
      CHECK_THROWS_WITH_AS(all_pairs(world, arcs(), {.semiring = Semiring::max_plus}), doctest::Contains("positive"),
                           InputError);
    });
}

TEST_CASE(
    "sums of whole weights beyond 2^53 are exact if float64 holds each length; otherwise the error names a pair") {
  constexpr double kBig = 0x1p53;
  for (const Rank ranks : {1, 2, 4})
    for (const Semiring semiring : {Semiring::min_plus, Semiring::max_plus})
      run_ranks(ranks, samples::quiet_plan(), [&](World& world) {
        const auto pairs = [&](std::initializer_list<double> weights, std::optional<PairsMethod> method = {}) {
          std::vector<Arc<double>> list;
          for (const double w : weights)
            list.push_back({static_cast<Local>(list.size()), static_cast<Local>(list.size() + 1), w});
          return all_pairs(
              world, make_arcs<double>(odd_ids(static_cast<Vertex>(list.size()) + 1), true, list, "far", semiring),
              {.semiring = semiring, .method = method});
        };
        CHECK(row_of(world, pairs({kBig, 2, 2}).distances, 0) == std::vector<double>{0, kBig, kBig + 2, kBig + 4});
        CHECK(row_of(world, pairs({kBig - 2, 1}).distances, 0) == std::vector<double>{0, kBig - 2, kBig - 1});
        // Sums of whole numbers below 2^62 must be exact; with fractions they are rounded as usual.
        CHECK(row_of(world, pairs({1e16, 1.5}).distances, 0) == std::vector<double>{0, 1e16, 1e16 + 1.5});
        CHECK(row_of(world, pairs({1e300, 1}).distances, 0) == std::vector<double>{0, 1e300, 1e300});
        for (const auto& weights : {std::initializer_list<double>{kBig, 1, 1}, {1, 1, kBig}, {1e16, 1}, {3, kBig}})
          CHECK_THROWS_WITH_AS(pairs(weights),
                               doctest::Contains("float64 does not hold every whole number beyond 2^53"), InputError);
        if (ranks > 1 || semiring != Semiring::min_plus) return;
        for (const PairsMethod method : {PairsMethod::floyd_warshall, PairsMethod::dijkstra, PairsMethod::delta}) {
          CHECK_THROWS_AS(pairs({kBig, 1, 1}, method), InputError);
          CHECK(row_of(world, pairs({kBig, 2, 2}, method).distances, 0)[3] == kBig + 4);
        }
      });
}
