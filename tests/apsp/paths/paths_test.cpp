// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/apsp/paths/paths.hpp>
#include <atoll/base/error.hpp>
#include <set>

#include "apsp/samples.hpp"
#include "shapes.hpp"

using namespace atl;

namespace {

// The path leads from u to v over existing arcs, visits no vertex twice, and is as long as D says.
template <class T>
void check_path(const PathFinder<T>& finder, const Matrix<T>& d, Local u, Local v, std::span<const Local> path) {
  if (d(u, v) == kNoPath<T>) {
    CHECK(path.empty());
    return;
  }
  REQUIRE(!path.empty());
  CHECK(path.front() == u);
  CHECK(path.back() == v);
  CHECK(std::set<Local>(path.begin(), path.end()).size() == path.size());
  CHECK(finder.length(path) == static_cast<PathSum<T>>(d(u, v)));
}

// Enumerates all loopless paths from u to v.
template <class T>
void walk_all(const ReplicatedCsr<T>& arcs, Local v, std::vector<Local>& path, PathSum<T> length,
              std::vector<KnownPath<T>>& found) {
  if (path.back() == v) {
    found.push_back({path, length});
    return;
  }
  const Local x = path.back();
  for (std::size_t k = 0; k < arcs.heads_of(x).size(); ++k) {
    const Local y = arcs.heads_of(x)[k];
    if (std::find(path.begin(), path.end(), y) != path.end()) continue;
    path.push_back(y);
    walk_all(arcs, v, path, length + static_cast<PathSum<T>>(arcs.weights_of(x)[k]), found);
    path.pop_back();
  }
}

}  // namespace

TEST_CASE_TEMPLATE("paths are as long as the distances say", T, float, double, std::int32_t, std::uint16_t,
                   std::uint8_t) {
  Team team(3);
  for (const auto& sample : samples::all<T>()) {
    CAPTURE(sample.name);
    CAPTURE(sample.directed);
    const ReplicatedCsr<T> arcs = sample.build();
    const PathFinder<T> finder(arcs);
    const Matrix<T> d = sample.matrix();
    std::vector<VertexPair> pairs;
    for (Local u = 0; u < arcs.vertices(); ++u)
      for (Local v = 0; v < arcs.vertices(); ++v) pairs.emplace_back(v, u);
    const PathList list = find_paths<T>(team, finder, d.view(), pairs);
    for (std::size_t i = 0; i < pairs.size(); ++i)
      check_path(
          finder, d, pairs[i].first, pairs[i].second,
          {list.vertices.data() + list.offsets[i], static_cast<std::size_t>(list.offsets[i + 1] - list.offsets[i])});
  }
}

TEST_CASE_TEMPLATE("a million random paths have the stated length", T, float, std::int32_t, std::uint16_t) {
  constexpr std::size_t kVertices = 500, kPaths = shapes::kSanitized ? 20'000 : 1'000'000;
  Team team(2);
  const auto sample = samples::random_graph<T>(kVertices, 4 * kVertices, true, 1, 40, 3);
  const ReplicatedCsr<T> arcs = sample.build();
  const PathFinder<T> finder(arcs);
  const Matrix<T> d = sample.matrix();
  Random random(8);
  std::vector<VertexPair> pairs;
  for (std::size_t i = 0; i < kPaths; ++i)
    pairs.emplace_back(static_cast<Local>(random.below(kVertices)), static_cast<Local>(random.below(kVertices)));
  const PathList list = find_paths<T>(team, finder, d.view(), pairs);
  std::size_t wrong = 0, found = 0;
  for (std::size_t i = 0; i < kPaths; ++i) {
    const auto [u, v] = pairs[i];
    const std::span<const Local> path(list.vertices.data() + list.offsets[i],
                                      list.vertices.data() + list.offsets[i + 1]);
    if (d(u, v) == kNoPath<T>) {
      wrong += !path.empty();
      continue;
    }
    ++found;
    wrong += path.empty() || path.front() != u || path.back() != v ||
             finder.length(path) != static_cast<PathSum<T>>(d(u, v));
  }
  CHECK(wrong == 0);
  CHECK(found > kPaths / 2);
}

TEST_CASE_TEMPLATE("next hops lead along shortest paths", T, float, double, std::int32_t, std::uint16_t, std::uint8_t) {
  Team team(2);
  for (const auto& sample : samples::all<T>()) {
    CAPTURE(sample.name);
    CAPTURE(sample.directed);
    const ReplicatedCsr<T> arcs = sample.build();
    const PathFinder<T> finder(arcs);
    const Matrix<T> d = sample.matrix();
    if (std::is_floating_point_v<T> && arcs.size() > 0 && arcs.least <= T{}) {
      CHECK_THROWS_AS(next_hops<T>(team, arcs, d.view()), InputError);
      continue;
    }
    const Matrix<Local> hops = next_hops<T>(team, arcs, d.view());
    for (Local u = 0; u < arcs.vertices(); ++u)
      for (Local v = 0; v < arcs.vertices(); ++v) {
        if (u == v || d(u, v) == kNoPath<T>) {
          CHECK(hops(u, v) == -1);
          continue;
        }
        std::vector<Local> path{u};
        while (path.back() != v && path.size() <= static_cast<std::size_t>(arcs.vertices()))
          path.push_back(hops(path.back(), v));
        check_path<T>(finder, d, u, v, path);
      }
  }
}

TEST_CASE_TEMPLATE("the k best paths are the k shortest of all loopless paths", T, float, std::int32_t, std::uint8_t) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const std::size_t n = 2 + seed % 6;
    const auto sample =
        seed % 4 == 3 && !std::is_unsigned_v<T>
            ? samples::with_negative_arcs<T>(n, 3 * n, seed)
            : samples::random_graph<T>(n, 3 * n, seed % 2 == 0, static_cast<int>(seed % 3 / 2), 4, seed);
    const ReplicatedCsr<T> arcs = sample.build();
    const PathFinder<T> finder(arcs);
    const Matrix<T> d = sample.matrix();
    for (Local u = 0; u < arcs.vertices(); ++u)
      for (Local v = 0; v < arcs.vertices(); ++v) {
        std::vector<KnownPath<T>> all;
        std::vector<Local> path{u};
        walk_all(arcs, v, path, {}, all);
        std::vector<PathSum<T>> lengths;
        for (const auto& p : all) lengths.push_back(p.length);
        std::sort(lengths.begin(), lengths.end());
        for (const int k : {1, 3, 1000}) {
          const auto best = finder.k_best(u, v, k, d.view().row(u));
          REQUIRE(best.size() == std::min(all.size(), static_cast<std::size_t>(k)));
          std::set<std::vector<Local>> distinct;
          for (std::size_t i = 0; i < best.size(); ++i) {
            CHECK(best[i].length == lengths[i]);
            CHECK(finder.length(best[i].vertices) == lengths[i]);
            CHECK(best[i].vertices.front() == u);
            CHECK(best[i].vertices.back() == v);
            CHECK(std::set<Local>(best[i].vertices.begin(), best[i].vertices.end()).size() == best[i].vertices.size());
            distinct.insert(best[i].vertices);
          }
          CHECK(distinct.size() == best.size());
        }
      }
  }
}

TEST_CASE("no search goes on where the vertices of the prefix separate the ends") {
  // From the leaf 0 every path to the large rest leads over 1: once a set bars it, there is no other. A search would
  // settle the whole rest before it gave up, and ask every 256 vertices whether it may go on.
  constexpr std::size_t kVertices = 4000;
  for (const bool directed : {false, true}) {
    auto sample = samples::random_graph<std::int32_t>(kVertices, 4 * kVertices, directed, 1, 9, 6);
    std::erase_if(sample.arcs, [](const auto& arc) { return arc.tail == 0 || arc.head == 0; });
    constexpr Local kFar = 2000;
    sample.arcs.push_back({0, 1, 1});
    sample.arcs.push_back({1, 2, 1});
    const ReplicatedCsr<std::int32_t> arcs = sample.build();
    const PathFinder<std::int32_t> finder(arcs);
    std::vector<std::int32_t> row(kVertices, kNoPath<std::int32_t>);  // Bellman and Ford
    row[0] = 0;
    for (bool any = true; any;) {
      any = false;
      for (Vertex x = 0; x < arcs.vertices(); ++x) {
        const std::int32_t before = row[static_cast<std::size_t>(x)];
        if (before == kNoPath<std::int32_t>) continue;
        for (std::size_t e = 0; e < arcs.heads_of(x).size(); ++e) {
          auto& at = row[static_cast<std::size_t>(arcs.heads_of(x)[e])];
          any = any || before + arcs.weights_of(x)[e] < at;
          at = std::min(at, before + arcs.weights_of(x)[e]);
        }
      }
    }
    int asked = 0;
    const auto best = finder.k_best(0, kFar, 20, row, [&] { return ++asked > 0; });
    CHECK(best.size() == 20);
    CHECK(best[0].length == row[kFar]);
    const int candidates = asked;
    const auto one = finder.k_best(0, 1, 20, row, [&] { return ++asked > 0; });
    CHECK(one.size() == 1);
    CHECK(asked - candidates <= 4);
    CHECK(finder.k_best(0, kFar, 20, row, [] { return false; }).empty());
  }
}

TEST_CASE("paths are found from distances that were rounded in another order") {
  Random random(4);
  samples::Sample<float> s{"rounded", 120, true, {}};
  s.arcs = samples::random_arcs(random, s.n, 700, [&, e = 0](Local, Local) mutable {
    return static_cast<float>(random.unit() * (e++ % 50 == 0 ? 1e-9 : 1));
  });
  const ReplicatedCsr<float> arcs = s.build();
  const PathFinder<float> finder(arcs);
  Matrix<float> d = s.matrix();
  for (int i = 0; i < 120; ++i)
    for (int j = 0; j < 120; ++j)
      if (i != j) d(i, j) *= 1 + static_cast<float>(random.below(9)) * 0x1p-24f - 0x1p-22f;
  for (Local u = 0; u < 120; ++u)
    for (Local v = 0; v < 120; ++v) {
      const auto path = finder.path(u, v, d.view().row(u));
      CHECK(path.empty() == (d(u, v) == kNoPath<float>));
      if (path.empty()) continue;
      CHECK(finder.length(path) == doctest::Approx(static_cast<double>(d(u, v))).epsilon(1e-5));
      const auto best = finder.k_best(u, v, 2, d.view().row(u));
      REQUIRE(!best.empty());
      CHECK(best[0].length <= finder.length(path) + 1e-9);
    }
}

TEST_CASE("distances of another graph are rejected") {
  const samples::Sample<std::int32_t> s{"roads.gr", 3, false, {{0, 1, 2}, {1, 2, 3}}};
  const PathFinder<std::int32_t> finder(s.build());
  const std::vector<std::int32_t> row{0, 2, 6};
  CHECK_THROWS_WITH_AS(finder.path(0, 2, row),
                       "roads.gr: no path from 10 to 16 is 6 long (the distances are not those of these arcs). Compute "
                       "them again.",
                       InputError);
  CHECK_THROWS_AS(finder.path(0, 3, row), InputError);
  CHECK_THROWS_AS(finder.path(-1, 2, row), InputError);
  CHECK_THROWS_AS(finder.path(0, 2, std::span(row).first(2)), InputError);
  CHECK_THROWS_AS(finder.k_best(0, 2, 0, row), InputError);
}
