// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/apsp/searches/search_rows.hpp>
#include <atoll/base/error.hpp>
#include <atoll/matrix/gemm/lane_kernels.hpp>
#include <cstring>

#include "apsp/samples.hpp"

using namespace atl;

namespace {

template <class T>
Matrix<T> searched(Team& team, const ReplicatedCsr<T>& arcs, RowSearch search, double delta = 0) {
  Matrix<T> d(arcs.vertices(), arcs.vertices());
  search_all<T>(team, arcs, search, d.view(), delta);
  return d;
}

template <class T>
void check_same(const Matrix<T>& d, const reference::Square<T>& expected) {
  for (std::int64_t i = 0; i < d.rows(); ++i)
    for (std::int64_t j = 0; j < d.cols(); ++j)
      if (d(i, j) != expected[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)])
        FAIL_CHECK(i, " to ", j, ": ", +d(i, j), " is not ",
                   +expected[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]);
}

template <class T>
void check_same_bits(const Matrix<T>& a, const Matrix<T>& b) {
  for (std::int64_t i = 0; i < a.rows(); ++i)
    CHECK(std::memcmp(a.view().row(i).data(), b.view().row(i).data(), static_cast<std::size_t>(a.cols()) * sizeof(T)) ==
          0);
}

}  // namespace

TEST_CASE_TEMPLATE("rows of every search equal those of Floyd-Warshall", T, float, double, std::int32_t, std::uint16_t,
                   std::uint8_t) {
  for (const int threads : {1, 3}) {
    Team team(threads);
    for (const auto& sample : samples::all<T>()) {
      CAPTURE(sample.name);
      CAPTURE(sample.directed);
      const ReplicatedCsr<T> arcs = sample.build();
      const auto expected = sample.distances();
      check_same(searched(team, arcs, RowSearch::dijkstra), expected);
      for (const double delta : {0.0, 0.3, 2.0, 1e9})
        check_same(searched(team, arcs, RowSearch::delta, delta), expected);
      if (arcs.is_unit()) check_same(searched(team, arcs, RowSearch::breadth_first), expected);
    }
  }
}

TEST_CASE_TEMPLATE("hop counts are correct for more sources than one batch, and for depths beyond the level type", T,
                   float, std::int32_t, std::uint16_t, std::uint8_t) {
  Team team(2);
  for (const bool directed : {false, true}) {
    auto sparse = samples::random_graph<T>(1300, 2000, directed, 1, 1, 7);
    samples::Sample<T> path{"path", 700, directed, {}};
    for (Local v = 0; v + 1 < 700; ++v)
      path.arcs.push_back({static_cast<Local>(v * 3 % 700), static_cast<Local>((v + 1) * 3 % 700), T{1}});
    for (auto& sample : {sparse, path}) {
      ReplicatedCsr<T> arcs = make_arcs<T>(std::vector<Vertex>(sample.build().ids), directed, sample.arcs);
      for (auto& w : arcs.weights) w = T{1};
      arcs.least = arcs.greatest = T{1};
      auto unit = sample.arcs;
      for (auto& a : unit) a.weight = T{1};
      const Matrix<T> d = searched(team, arcs, RowSearch::breadth_first);
      for (std::size_t v = 0; v < sample.n; v += 13) {
        const auto expected = reference::dijkstra<T>(sample.n, unit, directed, v);
        CHECK(std::equal(expected.begin(), expected.end(), d.view().row(static_cast<std::int64_t>(v)).begin()));
      }
      check_same_bits(d, searched(team, arcs, RowSearch::delta));
    }
  }
}

TEST_CASE_TEMPLATE("searches of larger graphs agree bit for bit, for any bucket width", T, float, double, std::int32_t,
                   std::uint16_t, std::uint8_t) {
  Team team(2);
  Random random(3);
  samples::Sample<T> s{"larger", 900, true, {}};
  s.arcs = samples::random_arcs(random, s.n, 5000, [&](Local, Local) {
    return std::is_floating_point_v<T> ? static_cast<T>(random.unit()) : static_cast<T>(random.below(60));
  });
  const ReplicatedCsr<T> arcs = s.build();
  const Matrix<T> d = searched(team, arcs, RowSearch::dijkstra);
  for (const double delta : {0.0, 0.01, 1.0, 1e9}) check_same_bits(d, searched(team, arcs, RowSearch::delta, delta));
  for (std::size_t v = 0; v < s.n; v += 17) {
    const auto expected = reference::dijkstra<T>(s.n, s.arcs, true, v);
    for (std::size_t u = 0; u < s.n; ++u) {
      const T mine = d(static_cast<std::int64_t>(v), static_cast<std::int64_t>(u));
      if (std::is_floating_point_v<T> && mine < kNoPath<T>)
        CHECK(static_cast<double>(mine) == doctest::Approx(static_cast<double>(expected[u])).epsilon(1e-5));
      else
        CHECK(mine == expected[u]);
    }
  }
}

TEST_CASE("some rows only, in any order and twice") {
  Team team(2);
  const auto sample = samples::random_graph<std::int32_t>(100, 300, true, 1, 9, 4);
  const ReplicatedCsr<std::int32_t> arcs = sample.build();
  const auto expected = sample.distances();
  const std::vector<Local> sources{7, 3, 99, 7};
  for (const RowSearch search : {RowSearch::dijkstra, RowSearch::delta}) {
    Matrix<std::int32_t> rows(4, 100);
    search_rows<std::int32_t>(team, arcs, search, sources, rows.view());
    for (std::int64_t k = 0; k < 4; ++k)
      CHECK(std::equal(rows.view().row(k).begin(), rows.view().row(k).end(),
                       expected[static_cast<std::size_t>(sources[static_cast<std::size_t>(k)])].begin()));
  }
}

TEST_CASE("searches reject unsupported arguments") {
  Team team(1);
  const auto run = [&](const samples::Sample<std::int32_t>& sample, RowSearch search) {
    searched(team, sample.build(), search);
  };
  CHECK_THROWS_WITH_AS(
      run({"roads.gr", 3, true, {{0, 1, 2}, {1, 2, 1}}}, RowSearch::breadth_first),
      "roads.gr: weights from 1 to 2 (--method bfs counts arcs). Use --method delta, or leave the weights out.",
      InputError);
  CHECK_THROWS_AS(run({"roads.gr", 2, true, {{0, 1, -2}, {1, 0, 1}}}, RowSearch::dijkstra), InputError);
  CHECK_THROWS_AS(run({"roads.gr", 3, true, {{0, 1, -0x3fffff00}, {2, 1, 0x100000}}}, RowSearch::delta), InputError);
}

TEST_CASE_TEMPLATE("kernels of each instruction set agree", T, float, double, std::int32_t, std::uint16_t,
                   std::uint8_t) {
  constexpr std::size_t n = 20;
  std::vector<Local> heads{3, 4, 19, 7, 3}, plain_improved(6), improved(6);
  std::vector<T> weights;
  Random random(5);
  for (int round = 0; round < 50; ++round) {
    Array<T> lanes(n * kLanes<T>), plain(n * kLanes<T>);
    for (auto& x : lanes) x = random.below(3) == 0 ? kNoPath<T> : samples::weight<T>(random, 0, 250);
    std::copy(lanes.begin(), lanes.end(), plain.begin());
    weights.clear();
    for (std::size_t e = 0; e < heads.size(); ++e) weights.push_back(samples::weight<T>(random, 0, 30));
    const auto count = static_cast<std::int64_t>(heads.size());
    const auto expected =
        lane_kernels<T>(Isa::portable)
            .relax(plain.data(), plain.data(), heads.data(), weights.data(), count, plain_improved.data());
    for (const Isa isa : {Isa::portable, Isa::avx2, Isa::avx512}) {
      if (isa > machine_isa()) continue;
      Array<T> mine(lanes.size());
      std::copy(lanes.begin(), lanes.end(), mine.begin());
      const auto found =
          lane_kernels<T>(isa).relax(mine.data(), mine.data(), heads.data(), weights.data(), count, improved.data());
      CHECK(found == expected);
      CHECK(std::equal(improved.begin(), improved.begin() + found, plain_improved.begin()));
      CHECK(std::memcmp(mine.data(), plain.data(), plain.size() * sizeof(T)) == 0);
    }
  }
}

TEST_CASE("bit kernels of each instruction set agree") {
  Random random(6);
  std::vector<SearchBits> frontier(50);
  for (auto& bits : frontier)
    for (auto& word : bits.words) word = random() & random() & random() & random();
  for (std::int64_t count = 0; count < 50; ++count) {
    std::vector<Local> neighbours;
    for (std::int64_t e = 0; e < count; ++e) neighbours.push_back(static_cast<Local>(random.below(50)));
    SearchBits before{};
    for (auto& word : before.words) word = random();
    std::vector<std::vector<std::uint8_t>> levels;
    std::vector<SearchBits> outcomes;
    for (const Isa isa : {Isa::portable, Isa::avx2, Isa::avx512}) {
      if (isa > machine_isa()) continue;
      SearchBits seen = before, found{};
      levels.emplace_back(kSearches, std::uint8_t{9});
      const bool any =
          bit_kernels(isa).pull(frontier.data(), neighbours.data(), count, seen, found, levels.back().data(), 3);
      std::uint64_t all = 0;
      for (const auto word : found.words) all |= word;
      CHECK(any == (all != 0));
      outcomes.push_back(seen);
      outcomes.push_back(found);
      CHECK(levels.back() == levels.front());
      CHECK(std::memcmp(&outcomes[0], &seen, sizeof seen) == 0);
      CHECK(std::memcmp(&outcomes[1], &found, sizeof found) == 0);
    }
  }
}
