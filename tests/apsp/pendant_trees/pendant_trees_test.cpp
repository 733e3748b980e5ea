// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/apsp/arcs/negative_cycle.hpp>
#include <atoll/apsp/arcs/path_sum.hpp>
#include <atoll/apsp/floyd_warshall/closure.hpp>
#include <atoll/apsp/pendant_trees/pendant_trees.hpp>
#include <atoll/base/error.hpp>
#include <atoll/matrix/gemm/row_kernels.hpp>
#include <set>

#include "apsp/samples.hpp"

using namespace atl;

namespace {

template <class T>
Matrix<T> scalar_distances(const ReplicatedCsr<T>& arcs) {
  samples::Sample<T> s{arcs.name, static_cast<std::size_t>(arcs.vertices()), true, {}};
  for (Vertex v = 0; v < arcs.vertices(); ++v)
    for (std::size_t k = 0; k < arcs.heads_of(v).size(); ++k)
      s.arcs.push_back({static_cast<Local>(v), arcs.heads_of(v)[k], arcs.weights_of(v)[k]});
  return s.matrix();
}

template <class T>
void check_same(const Matrix<T>& d, const reference::Square<T>& expected) {
  REQUIRE(d.rows() == static_cast<std::int64_t>(expected.size()));
  for (std::int64_t i = 0; i < d.rows(); ++i)
    for (std::int64_t j = 0; j < d.cols(); ++j)
      if (d(i, j) != expected[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)])
        FAIL_CHECK(i, " to ", j, ": ", +d(i, j), " is not ",
                   +expected[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]);
}

// No vertex of a larger core has a single neighbour, and each vertex is in one core or was removed once.
template <class T>
void check_peeling(const ReplicatedCsr<T>& arcs, const PendantTrees<T>& trees) {
  std::vector<int> seen(static_cast<std::size_t>(arcs.vertices()), 0);
  for (const auto& t : trees.pendants) ++seen[static_cast<std::size_t>(t.vertex)];
  for (std::size_t c = 0; c < trees.cores.size(); ++c) {
    REQUIRE(!trees.cores[c].empty());
    CHECK(std::is_sorted(trees.cores[c].begin(), trees.cores[c].end()));
    for (const Local v : trees.cores[c]) ++seen[static_cast<std::size_t>(v)];
    const ReplicatedCsr<T> core = core_arcs(arcs, trees, c), back = core.reversed();
    for (Vertex v = 0; v < core.vertices(); ++v) {
      std::set<Local> near(core.heads_of(v).begin(), core.heads_of(v).end());
      near.insert(back.heads_of(v).begin(), back.heads_of(v).end());
      CHECK((core.vertices() == 1 || near.size() >= 2));
    }
  }
  for (const int times : seen) CHECK(times == 1);
  CHECK(trees.work() <= trees.whole_work());
}

}  // namespace

namespace {

template <class T>
void check_expanded(Team& team, const samples::Sample<T>& sample) {
  CAPTURE(sample.name);
  CAPTURE(sample.directed);
  const ReplicatedCsr<T> arcs = sample.build();
  const PendantTrees<T> trees = remove_pendant_trees(arcs);
  check_peeling(arcs, trees);
  Matrix<T> d(arcs.vertices(), arcs.vertices());
  for (std::int64_t i = 0; i < d.rows(); ++i) std::ranges::fill(d.view().row(i), T{77});
  for (std::size_t c = 0; c < trees.cores.size(); ++c) {
    const Matrix<T> core = scalar_distances(core_arcs(arcs, trees, c));
    const MatrixView<T> part = trees.part(d.view(), c);
    for (std::int64_t i = 0; i < part.rows; ++i) std::ranges::copy(core.view().row(i), part.row(i).begin());
  }
  expand(team, trees, d.view());
  check_same(d, sample.distances());
}

/// Several components, each a core with trees, with their vertices interleaved: rows of cores move in chains and
/// cycles.
template <class T>
samples::Sample<T> mixed(std::size_t n, std::size_t components, bool directed, std::uint64_t seed) {
  Random random(seed);
  const auto below = [&](std::size_t end) { return static_cast<std::size_t>(random() % end); };
  samples::Sample<T> s{"mixed", n, directed, {}};
  std::vector<std::vector<Local>> member(components);
  for (std::size_t v = 0; v < n; ++v) member[below(components)].push_back(static_cast<Local>(v));
  for (auto& list : member) {
    for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[below(i)]);
    const std::size_t core = list.size() / 2;
    for (std::size_t i = 1; i < list.size(); ++i) {
      const Local to = list[below(i < core ? i : seed % 3 == 0 ? i : std::max<std::size_t>(core, 1))];
      s.arcs.push_back({to, list[i], samples::weight<T>(random, 0, 5)});
      if (directed && random() % 4) s.arcs.push_back({list[i], to, samples::weight<T>(random, 0, 5)});
    }
    for (std::size_t i = 0; i < core; ++i)
      s.arcs.push_back({list[i], list[(i + 1) % core], samples::weight<T>(random, 0, 5)});
  }
  std::erase_if(s.arcs, [](const Arc<T>& a) { return a.tail == a.head; });
  return s;
}

}  // namespace

TEST_CASE_TEMPLATE("distances of the cores expand to those of all vertices", T, float, double, std::int32_t,
                   std::uint16_t, std::uint8_t) {
  for (const int threads : {1, 3}) {
    Team team(threads);
    for (const auto& sample : samples::all<T>()) check_expanded(team, sample);
  }
}

TEST_CASE_TEMPLATE("rows of many cores move to their places without overwriting each other", T, float, std::uint16_t) {
  for (const int threads : {1, 2, 5}) {
    Team team(threads);
    for (std::uint64_t seed = 0; seed < 40; ++seed)
      check_expanded(team, mixed<T>(2 + 7 * seed, 1 + seed % 9, seed % 2 == 1, seed));
  }
}

TEST_CASE("a tree is removed down to one vertex") {
  const auto sample = samples::with_trees<float>(1, 50, false, 3);
  const PendantTrees<float> trees = remove_pendant_trees(sample.build());
  REQUIRE(trees.cores.size() == 1);
  CHECK(trees.cores[0].size() == 1);
  CHECK(trees.pendants.size() == 49);
  CHECK(trees.work() == 1);
}

TEST_CASE("arc lengths are 0, a weight or no path") {
  Team team(2);
  const auto sample = samples::random_graph<std::uint16_t>(20, 50, true, 1, 9, 1);
  const ReplicatedCsr<std::uint16_t> arcs = sample.build();
  Matrix<std::uint16_t> d(20, 20);
  set_arc_entries(team, arcs, Semiring::min_plus, d.view());
  for (Vertex i = 0; i < 20; ++i)
    for (Vertex j = 0; j < 20; ++j) {
      const auto heads = arcs.heads_of(i);
      const auto found = std::find(heads.begin(), heads.end(), static_cast<Local>(j));
      if (i == j)
        CHECK(d(i, j) == 0);
      else if (found == heads.end())
        CHECK(d(i, j) == kNoPath<std::uint16_t>);
      else
        CHECK(d(i, j) == arcs.weights_of(i)[static_cast<std::size_t>(found - heads.begin())]);
    }
}

TEST_CASE_TEMPLATE("negative cycles are found exactly in graphs that have one", T, float, double, std::int32_t) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const std::size_t n = 2 + seed % 30;
    const auto sample = samples::random_graph<T>(n, n * (1 + seed % 3), seed % 5 != 0, seed % 2 ? -1 : -3, 12, seed);
    auto plain = sample;  // gather_arcs handles negative loops
    std::erase_if(plain.arcs, [](const Arc<T>& a) { return a.tail == a.head; });
    const ReplicatedCsr<T> arcs = plain.build();
    const std::vector<Local> cycle = find_negative_cycle(arcs);
    CHECK(cycle.empty() == reference::floyd_warshall(n, plain.arcs, plain.directed).has_value());
    if (cycle.empty()) continue;
    PathSum<T> sum{};
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const auto heads = arcs.heads_of(cycle[i]);
      const auto found = std::find(heads.begin(), heads.end(), cycle[(i + 1) % cycle.size()]);
      REQUIRE(found != heads.end());
      sum += static_cast<PathSum<T>>(arcs.weights_of(cycle[i])[static_cast<std::size_t>(found - heads.begin())]);
    }
    CHECK(sum < 0);
    CHECK(*std::min_element(cycle.begin(), cycle.end()) == cycle.front());
    CHECK(std::set<Local>(cycle.begin(), cycle.end()).size() == cycle.size());
  }
}

TEST_CASE("a negative cycle is rejected and named") {
  const auto text = [](const samples::Sample<std::int32_t>& sample) -> std::string {
    try {
      const auto arcs = sample.build();
      remove_pendant_trees(arcs);
      refuse_negative_cycle(arcs);
    } catch (const InputError& error) {
      return error.what();
    }
  };
  CHECK(text({"roads.gr", 4, true, {{0, 1, 2}, {1, 2, -4}, {2, 0, 1}, {3, 0, 7}}}) ==
        "roads.gr: the cycle 10 -> 13 -> 16 -> 10 weighs -1 (around a negative one paths get ever shorter). Raise its "
        "weights or remove an edge of it.");
  CHECK(text({"roads.gr", 2, false, {{0, 1, -2}}}).find("the cycle 10 -> 13 -> 10 weighs -4") != std::string::npos);
  CHECK(text({"roads.gr", 2, true, {{0, 1, -2}, {1, 0, 1}}}).find("10 -> 13 -> 10 weighs -1") != std::string::npos);
}

TEST_CASE_TEMPLATE("the row kernels of each instruction set spread, gather and lengthen correctly", T, float, double,
                   std::int32_t, std::uint16_t, std::uint8_t) {
  Random random(8);
  for (std::size_t n = 1; n < 200; n += n < 20 ? 1 : 13)
    for (const Isa isa : {Isa::portable, Isa::avx2, Isa::avx512}) {
      if (isa > machine_isa()) continue;
      const RowKernels<T> kernels = row_kernels<T>(isa);
      std::vector<std::uint64_t> positions((n + 63) / 64), others(positions.size());
      for (std::size_t w = 0; w < positions.size(); ++w) {
        positions[w] = random();
        others[w] = random() & ~positions[w];
        if (n % 64 && w + 1 == positions.size())
          positions[w] &= (std::uint64_t{1} << n % 64) - 1, others[w] &= (std::uint64_t{1} << n % 64) - 1;
      }
      std::vector<T> values(n + 64 / sizeof(T)), hanging(values.size()), row(n + 1, T{7}), expected;
      for (auto& x : values) x = random() % 5 == 0 ? kNoPath<T> : samples::weight<T>(random, 0, 99);
      for (auto& x : hanging) x = samples::weight<T>(random, 100, 199);
      std::size_t used = 0, also = 0;
      for (std::size_t j = 0; j < n; ++j)
        expected.push_back(positions[j / 64] >> j % 64 & 1 ? values[used++]
                           : others[j / 64] >> j % 64 & 1  ? hanging[also++]
                                                           : kNoPath<T>);
      expected.push_back(T{7});
      kernels.spread({values.data(), positions.data()}, {hanging.data(), others.data()}, std::span(row).first(n));
      CHECK(row == expected);

      for (const T length : {T{}, T{99}, kNoPath<T>}) {
        for (std::size_t j = 0; j < n; ++j) expected[j] = path_sum(length, values[j]);
        kernels.lengthen(length, std::span<const T>(values).first(n), row.data());
        CHECK(row == expected);
      }
      std::vector<Local> from;
      for (std::size_t j = 0; j < n; ++j) from.push_back(static_cast<Local>(random() % n));
      for (std::size_t j = 0; j < n; ++j) expected[j] = path_sum(values[static_cast<std::size_t>(from[j])], hanging[j]);
      kernels.gather(values.data(), from.data(), std::span<const T>(hanging).first(n), row.data());
      CHECK(row == expected);
    }
}
