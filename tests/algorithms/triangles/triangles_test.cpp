// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/triangles/clustering_coefficient.hpp>
#include <atoll/algorithms/triangles/kernel.hpp>
#include <atoll/base/random.hpp>
#include <map>
#include <numeric>
#include <set>

#include "algorithms/spread_samples.hpp"

using namespace atl;
using samples::Sample;

namespace {

using Pairs = std::vector<std::pair<Vertex, Vertex>>;

// A lattice of 37 x 29 of whose edges and diagonals this share is there, in its own order or with random ids; a clique of
// some vertices, and a hub joined to some.
Pairs mesh(double diagonals, bool shuffled, Vertex clique, Vertex spokes) {
  constexpr Vertex kWide = 37, kHigh = 29, kAll = kWide * kHigh;
  std::vector<Vertex> id(static_cast<std::size_t>(kAll) + 1);
  std::iota(id.begin(), id.end(), 0);
  for (std::size_t i = kAll; shuffled && i > 0; --i) std::swap(id[i], id[random_at(21, i) % (i + 1)]);
  Pairs pairs;
  const auto add = [&](Vertex a, Vertex b) { pairs.emplace_back(id[a], id[b]); };
  for (Vertex y = 0; y < kHigh; ++y)
    for (Vertex x = 0; x < kWide; ++x) {
      const Vertex v = y * kWide + x;
      if (x + 1 < kWide) add(v, v + 1);
      if (y + 1 < kHigh) add(v, v + kWide);
      if (x + 1 < kWide && y + 1 < kHigh &&
          static_cast<double>(random_at(22, static_cast<std::uint64_t>(v)) % 1000) < 1000 * diagonals)
        add(v, v + kWide + 1);
    }
  for (Vertex a = 0; a < clique; ++a)
    for (Vertex b = 0; b < a; ++b) add(3 + 40 * a, 3 + 40 * b);
  for (Vertex v = 0; v < spokes; ++v) add(kAll, v);
  return pairs;
}

EdgeList edges_of(const Pairs& pairs) {
  EdgeList edges;
  Array<Vertex> source(pairs.size()), target(pairs.size());
  for (std::size_t e = 0; e < pairs.size(); ++e) std::tie(source[e], target[e]) = pairs[e];
  edges.source = std::move(source);
  edges.target = std::move(target);
  return edges;
}

}  // namespace

TEST_CASE("triangles of meshes equal those by all pairs of neighbours, by every instruction set") {
  for (const double diagonals : {0.0, 0.1, 0.5, 1.0})
    for (const bool shuffled : {false, true})
      for (const Vertex clique : {0, 8, 14})
        for (const Vertex spokes : {0, 3, 200, 1000}) {
          CAPTURE(diagonals);
          CAPTURE(shuffled);
          CAPTURE(clique);
          CAPTURE(spokes);
          const Pairs pairs = mesh(diagonals, shuffled, clique, spokes);
          std::map<Vertex, std::set<Vertex>> near;
          for (const auto& [a, b] : pairs) {
            near[a].insert(b);
            near[b].insert(a);
          }
          std::vector<Vertex> expected;  // by ascending id
          for (const auto& [v, list] : near) {
            Vertex corners = 0;
            for (const Vertex a : list)
              for (const Vertex b : near[a]) corners += a < b && list.count(b);
            expected.push_back(corners);
          }
          Plan plan;
          plan.threads = 2;
          run_ranks(1, plan, [&](World& world) {
            const Graph graph = Graph::build(world, edges_of(pairs));
            CHECK(samples::by_id(graph, clustering_coefficient(graph).triangles) == expected);
            const auto fronts = Fronts::of(graph);
            REQUIRE(fronts);
            const std::size_t active = fronts->list.size(), words = fronts->small.size();
            std::vector<Edge> first;
            for (const Isa isa : samples::every_isa()) {
              const auto kernels = LocalTriangles::kernels(isa);
              std::vector<Edge> count(active, 0);
              std::vector<std::uint8_t> touched(words + 1, 0);
              (fronts->width == 4 ? kernels.close_4 : kernels.close_8)(*fronts, 0, words,
                                                                       {count.data(), touched.data()});
              for (std::size_t v = 0; v < active; ++v) CHECK((count[v] == 0 || touched[v / 64]));
              if (first.empty()) first = count;
              CHECK(count == first);
            }
          });
        }
}

TEST_CASE("triangles of hubs by bitmap rows equal those by lists, for any ranks") {
  // In a complete graph an 8-bit counter overflows.
  // Lists of few neighbours are closed without marks; on a path there is nothing to count.
  for (const char* text :
       {"kron:12:24", "complete:400", "uniform:10:200", "communities:11", "uniform:9:6", "complete:9", "path:50"}) {
    std::vector<Vertex> by_rows;
    for (const int ranks : {1, 2, 4}) {
      CAPTURE(text);
      CAPTURE(ranks);
      Plan plan;
      plan.threads = ranks == 1 ? 3 : 1;
      run_ranks(ranks, plan, [&](World& world) {
        const Graph graph = Graph::build(world, generate(world, text));
        CHECK(LocalTriangles::of(graph).has_value() == (ranks == 1));
        const auto triangles = samples::by_id(graph, clustering_coefficient(graph).triangles);
        if (ranks == 1) by_rows = triangles;
        CHECK(triangles == by_rows);
        if (ranks == 1) return;
        for (const Cut cut : {Cut::cartesian, Cut::hybrid}) {
          const Graph over_cut = Graph::build(
              world, generate(world, text), {.placement = {.partition = Partition::balanced, .cut = cut, .heavy = 40}});
          CHECK(samples::by_id(over_cut, clustering_coefficient(over_cut).triangles) == by_rows);
        }
      });
    }
  }
}

TEST_CASE("triangle kernels of every instruction set agree") {
  std::uint64_t seed = 0;
  const auto plain = LocalTriangles::kernels(Isa::portable);
  for (const Isa isa : samples::every_isa()) {
    const auto kernels = LocalTriangles::kernels(isa);
    for (const std::size_t count : {0, 1, 2, 15, 16, 17, 40}) {
      std::vector<std::uint64_t> row(200), bits(count);
      std::vector<std::uint32_t> words(count), marks(300);
      std::vector<std::uint8_t> tally(count * 64, 3), expected_tally = tally;
      for (auto& r : row) {
        ++seed;
        r = random_at(1, seed) | random_at(2, seed);
      }
      for (auto& m : marks) m = static_cast<std::uint32_t>(random_at(3, ++seed));
      std::vector<Local> list(count), found(count + 16), expected(count + 16);
      for (std::size_t k = 0; k < count; ++k) {
        bits[k] = random_at(4, ++seed);
        words[k] = static_cast<std::uint32_t>(k * 5);
        list[k] = static_cast<Local>(k * 200 + random_at(5, seed) % 200);
      }
      CHECK(kernels.match_row(row.data(), words.data(), bits.data(), count, tally.data()) ==
            plain.match_row(row.data(), words.data(), bits.data(), count, expected_tally.data()));
      CHECK(tally == expected_tally);
      const std::size_t n = kernels.match_list(marks.data(), list.data(), count, found.data());
      REQUIRE(n == plain.match_list(marks.data(), list.data(), count, expected.data()));
      found.resize(n);
      expected.resize(n);
      CHECK(found == expected);
    }
  }
}

TEST_CASE("clustering coefficients and triangles equal those by all pairs of neighbours, for any ranks") {
  samples::for_each_spread(cases::Weight::none, [](const Sample& sample, const Graph& graph) {
    const std::size_t n = sample.vertices();
    std::vector<std::map<Vertex, int>> out(n), near(n);
    for (const auto& a : sample.arcs()) {
      if (a.from == a.to) continue;
      out[static_cast<std::size_t>(a.from)][a.to] = 1;
      near[static_cast<std::size_t>(a.from)][a.to] = near[static_cast<std::size_t>(a.to)][a.from] = 1;
    }
    ClusteringResult result;
    ClusteringCoefficient counting(graph);
    for (int times = 0; times < 2; ++times) counting.run(result);  // the second as the first
    const auto coefficient = samples::by_id(graph, result.coefficient);
    const auto triangles = samples::by_id(graph, result.triangles);
    Vertex total = 0;
    for (std::size_t v = 0; v < n; ++v) {
      double edges = 0;
      Vertex corners = 0;
      for (const auto& [a, _] : near[v])
        for (const auto& [b, _] : near[v]) {
          edges += static_cast<double>(out[static_cast<std::size_t>(a)].count(b));
          corners += a < b && near[static_cast<std::size_t>(a)].count(b);
        }
      const auto d = static_cast<double>(near[v].size());
      CHECK(coefficient[v] == doctest::Approx(d < 2 ? 0 : edges / (d * (d - 1))));
      CHECK(triangles[v] == corners);
      total += corners;
    }
    CHECK(result.total == total / 3);
  });
}

TEST_CASE("in a cartesian cut lists go to fewer ranks than own a vertex of them") {
  std::uint64_t bytes[2] = {};
  for (const Cut cut : {Cut::edge, Cut::cartesian}) {
    Plan plan;
    plan.threads = 1;
    run_ranks(16, plan, [&](World& world) {
      const Graph graph = Graph::build(world, generate(world, "uniform:10:30"),
                                       {.placement = {.partition = Partition::balanced, .cut = cut}});
      ClusteringCoefficient counting(graph);
      const Counters before = world.counters();
      ClusteringResult result;
      counting.run(result);
      std::uint64_t sent = 0;
      for (const LevelCount& level : world.counters().since(before).levels) sent += level.bytes;
      sent = world.sum(sent);
      if (world.rank() == 0) bytes[cut == Cut::cartesian] = sent;
    });
  }
  CHECK(bytes[1] * 3 < bytes[0] * 2);
}
