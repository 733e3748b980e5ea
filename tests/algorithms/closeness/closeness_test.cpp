// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/closeness/batch.hpp>
#include <atoll/algorithms/closeness/closeness.hpp>
#include <atoll/algorithms/closeness/thread_searches.hpp>
#include <atoll/base/error.hpp>
#include <atoll/verify/centrality/closeness_samples.hpp>
#include <cmath>

#include "algorithms/spread_samples.hpp"
#include "shapes.hpp"

using namespace atl;
using samples::Sample;

namespace {

struct Expected {
  std::vector<Vertex> farness, reached;
  std::vector<double> closeness, harmonic;
};

// A search from every source, which is given by its owned index.
Expected by_searches(const Sample& sample, const std::vector<std::size_t>& sources) {
  const std::size_t n = sample.vertices();
  std::vector<std::vector<std::size_t>> next(n);
  for (const auto& a : sample.arcs()) next[static_cast<std::size_t>(a.from)].push_back(static_cast<std::size_t>(a.to));
  Expected expected{std::vector<Vertex>(n, 0), std::vector<Vertex>(n, 0), std::vector<double>(n, 0.0),
                    std::vector<double>(n, 0.0)};
  std::vector<bool> is_source(n, false);
  for (const std::size_t s : sources) {
    is_source[s] = true;
    std::vector<Vertex> depth(n, -1);
    std::vector<std::size_t> queue{s};
    depth[s] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (const std::size_t u : next[queue[i]])
        if (depth[u] < 0) {
          depth[u] = depth[queue[i]] + 1;
          queue.push_back(u);
        }
    for (const std::size_t v : queue)
      if (v != s) {
        ++expected.reached[v];
        expected.farness[v] += depth[v];
        expected.harmonic[v] += 1 / static_cast<double>(depth[v]);
      }
  }
  for (std::size_t v = 0; v < n; ++v) {
    if (expected.reached[v] == 0) continue;
    const auto r = static_cast<double>(expected.reached[v]), f = static_cast<double>(expected.farness[v]);
    const auto others = static_cast<double>(sources.size() - (is_source[v] ? 1 : 0));
    expected.closeness[v] = r / f * (r / others);
    expected.harmonic[v] *= static_cast<double>(n - 1) / others;
  }
  return expected;
}

std::vector<std::size_t> all_of(std::size_t n) {
  std::vector<std::size_t> all(n);
  for (std::size_t v = 0; v < n; ++v) all[v] = v;
  return all;
}

ClosenessValues values_of(const ClosenessResult& result) {
  return {.closeness = {result.closeness.data(), result.closeness.size()},
          .harmonic = {result.harmonic.data(), result.harmonic.size()},
          .farness = {result.farness.data(), result.farness.size()},
          .reached = {result.reached.data(), result.reached.size()}};
}

void check_as(const Graph& graph, const ClosenessResult& result, const Expected& expected) {
  CHECK(samples::by_id(graph, result.farness) == expected.farness);
  CHECK(samples::by_id(graph, result.reached) == expected.reached);
  CHECK(samples::by_id(graph, result.closeness) == expected.closeness);
  const std::vector<double> harmonic = samples::by_id(graph, result.harmonic);
  REQUIRE(harmonic.size() == expected.harmonic.size());
  for (std::size_t v = 0; v < harmonic.size(); ++v)
    CHECK(std::abs(harmonic[v] - expected.harmonic[v]) <= 1e-12 * expected.harmonic[v]);
}

}  // namespace

TEST_CASE("closeness and harmonic centrality are those of a search from every vertex, for any ranks, routes and cuts") {
  samples::for_each_spread(cases::Weight::none, [](const Sample& sample, const Graph& graph) {
    const Expected expected = by_searches(sample, all_of(sample.vertices()));
    Closeness closeness(graph);
    ClosenessResult result;
    for (int again = 0; again < 2; ++again) {
      closeness.run({}, result);
      CHECK(result.sources == static_cast<Vertex>(sample.vertices()));
      check_as(graph, result, expected);
    }
    CHECK(verify_closeness(graph, values_of(result)).what == "");
  });
}

TEST_CASE("from some sources the sums are those of these alone, scaled up, for any ranks, routes and cuts") {
  samples::for_each_spread(cases::Weight::none, [](const Sample& sample, const Graph& graph) {
    const std::size_t n = sample.vertices();
    if (n == 0) return;
    const std::vector<Vertex> ids = sample.edges.ids();
    Closeness closeness(graph);
    ClosenessResult result;
    for (const std::size_t count : {std::size_t{1}, std::size_t{2}, std::size_t{70}}) {
      std::vector<std::size_t> chosen;
      std::vector<Vertex> named;
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t v = random_at(count, i) % n;
        named.push_back(ids[v]);
        if (std::find(chosen.begin(), chosen.end(), v) == chosen.end()) chosen.push_back(v);
      }
      const std::span<const Vertex> sources(named);
      closeness.run({.sources = sources, .progress = {}}, result);
      CHECK(result.sources == static_cast<Vertex>(chosen.size()));
      check_as(graph, result, by_searches(sample, chosen));
      CHECK(verify_closeness(graph, values_of(result), {.sources = sources, .samples = 5}).what == "");
    }
    closeness.run({}, result);
    check_as(graph, result, by_searches(sample, all_of(n)));
  });
}

TEST_CASE("all values are the same bits for any number of ranks and threads") {
  std::vector<std::vector<double>> harmonic, closeness;
  for (const Rank ranks : {1, 2, 5})
    for (const int threads : {1, 3}) {
      Plan plan;
      plan.threads = threads;
      run_ranks(ranks, plan, [&](World& world) {
        const Graph graph = Graph::build(world, generate(world, "kron:11"));
        ClosenessResult result;
        Closeness(graph).run({}, result);
        const auto h = samples::by_id(graph, result.harmonic), c = samples::by_id(graph, result.closeness);
        if (world.rank() != 0) return;
        harmonic.push_back(h);
        closeness.push_back(c);
      });
    }
  for (std::size_t i = 1; i < harmonic.size(); ++i) {
    CHECK(harmonic[i] == harmonic[0]);
    CHECK(closeness[i] == closeness[0]);
  }
}

TEST_CASE("where the lists of all ranks do not fit each of them, values are the same, for any ranks, routes and cuts") {
  std::uint64_t variant = 0;
  for (const char* text : {"kron:8", "uniform:8:3", "grid:11x9", "star:200", "path:60"})
    for (const bool directed : {false, true})
      for (const samples::Spread& spread : samples::kSpreads) {
        if (spread.ranks == 1 || (shapes::kSanitized && random_at(9, ++variant) % 8 != 0)) continue;
        const Sample sample{samples::from_text(text), directed, Duplicates::merge_min};
        samples::on_spread(
            spread, sample, cases::Weight::none,
            [](const Sample& sample, const Graph& graph) {
              const std::size_t n = sample.vertices(), few = std::min<std::size_t>(n, 2 + random_at(5, n) % 90);
              std::vector<Vertex> named;
              for (std::size_t v = n - few; v < n; ++v) named.push_back(sample.edges.ids()[v]);
              std::vector<std::size_t> chosen = all_of(n);
              chosen.erase(chosen.begin(), chosen.end() - static_cast<std::ptrdiff_t>(few));
              Closeness closeness(graph);
              ClosenessResult result;
              closeness.run({}, result);
              check_as(graph, result, by_searches(sample, all_of(n)));
              closeness.run({.sources = std::span<const Vertex>(named), .progress = {}}, result);
              check_as(graph, result, by_searches(sample, chosen));
              closeness.run({}, result);
              check_as(graph, result, by_searches(sample, all_of(n)));
            },
            100);
      }
}

TEST_CASE(
    "of long graphs, where each source is searched from by itself, values are those of a search from every vertex") {
  std::uint64_t variant = 0;
  for (const char* text : {"path:300", "grid:3x90"})
    for (const bool directed : {false, true})
      for (const samples::Spread& spread : samples::kSpreads) {
        if (shapes::kSanitized && random_at(10, ++variant) % 8 != 0) continue;
        const Sample sample{samples::from_text(text), directed, Duplicates::merge_min};
        samples::on_spread(spread, sample, cases::Weight::none, [](const Sample& sample, const Graph& graph) {
          ClosenessResult result;
          Closeness(graph).run({}, result);
          check_as(graph, result, by_searches(sample, all_of(sample.vertices())));
        });
      }
}

TEST_CASE("a run that was interrupted leaves nothing to the next") {
  Plan plan;
  plan.threads = 1;
  run_ranks(1, plan, [](World& world) {
    const Graph graph = Graph::build(world, generate(world, "path:2003"));
    Closeness closeness(graph);
    ClosenessResult result, expected;
    closeness.run({}, expected);
    for (int after = 1; after <= 4; ++after) {  // batches, of 501 and 500 sources
      int left = after;
      const auto enough = [&](std::int64_t, std::int64_t) {
        if (--left == 0) throw std::runtime_error("enough");
      };
      CHECK_THROWS_AS(closeness.run({.sources = {}, .progress = enough}, result), std::runtime_error);
      closeness.run({}, result);
      CHECK(std::ranges::equal(result.farness, expected.farness));
      CHECK(std::ranges::equal(result.reached, expected.reached));
    }
  });
}

namespace {

void check_equal(const Array<DistanceSums>& a, const Array<DistanceSums>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t v = 0; v < a.size(); ++v) {
    CHECK(a[v].farness == b[v].farness);
    CHECK(a[v].reached == b[v].reached);
    CHECK(a[v].harmonic == b[v].harmonic);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("a thread's searches, plain or at once, find what threads that share a batch find", Words,
                   std::integral_constant<int, 1>, std::integral_constant<int, 4>, std::integral_constant<int, 8>) {
  constexpr int kWords = Words::value;
  Plan plan;
  plan.threads = 3;
  for (const bool directed : {false, true})
    for (const char* text : {"kron:9", "grid:17x40", "star:300", "path:300", "uniform:10:1", "grid:3x400"})
      run_ranks(1, plan, [&](World& world) {
        EdgeList edges = generate(world, text);
        edges.directed = directed;
        const Graph graph = Graph::build(world, std::move(edges));
        const auto active = index(graph.active());
        const SearchLists lists{&graph.out(), &graph.in(), active};
        ClosenessKernel<kWords> kernel(lists);
        PlainSearches plain(lists);
        ThreadSearches<kWords> either(world.team(), 0, lists, directed);
        either.clear();
        ClosenessBatch<kWords> batch(graph);
        batch.clear();
        Array<DistanceSums> of_kernel(active, DistanceSums{}), of_plain(active, DistanceSums{});
        const auto most = std::min<Local>(graph.active(), 64 * kWords);
        for (const Local count : {Local{1}, most, most / 2}) {
          std::vector<Local> sources;
          std::vector<typename ClosenessBatch<kWords>::Source> with_bits;
          for (Local v = graph.active() - count; v < graph.active(); ++v) {
            with_bits.push_back({.master = v, .bit = sources.size()});
            sources.push_back(v);
          }
          kernel.add(sources, of_kernel);
          for (const Local source : sources) {
            plain.search(source);
            plain.take(of_plain);
          }
          either.add(sources);
          batch.add(with_bits, SourceBits<kWords>::first(sources.size()));
        }
        plain.finish(of_plain);
        either.finish();
        Array<DistanceSums> of_batch(active);
        std::copy(batch.sums().begin(), batch.sums().begin() + static_cast<std::ptrdiff_t>(active), of_batch.begin());
        check_equal(of_kernel, of_batch);
        check_equal(of_plain, of_batch);
        check_equal(either.sums(), of_batch);
        CHECK(kernel.memory_bytes() > ClosenessKernel<kWords>::memory_bytes(active) / 2);
        CHECK(either.memory_bytes() > ThreadSearches<kWords>::memory_bytes(active) / 2);
        CHECK(batch.memory_bytes() > kernel.memory_bytes() / 4);
      });
}

TEST_CASE("a plain search tells its levels, and gives up where it is wide") {
  run_ranks(1, {}, [](World& world) {
    const Graph graph = Graph::build(world, generate(world, "grid:9x9"));
    const SearchLists lists{&graph.out(), &graph.in(), index(graph.active())};
    PlainSearches searches(lists);
    const Local corner = graph.local_of(graph.find(0).second);
    CHECK(!searches.search_unless_wide(corner, 5));
    CHECK(searches.search_unless_wide(corner, 1000));
    CHECK(searches.reached() == 81);
    REQUIRE(searches.level_sizes().size() == 17);
    for (std::size_t d = 0; d < 17; ++d) CHECK(searches.level_sizes()[d] == std::min(d, 16 - d) + 1);
    CHECK(searches.distance(graph.local_of(graph.find(80).second)) == 16);
    Array<DistanceSums> sums(lists.vertices, DistanceSums{});
    searches.take(sums);
    searches.finish(sums);
    CHECK(sums[graph.local_of(graph.find(80).second)].farness == 16);
    CHECK(sums[corner].reached == 0);
  });
}

TEST_CASE("a plain search that gives up leaves nothing to the next, in another component") {
  run_ranks(1, {}, [](World& world) {
    // A star of 100 vertices, and an edge besides.
    EdgeList edges;
    Array<std::uint32_t> source(100, 0), target(100);
    for (std::uint32_t k = 0; k < 99; ++k) target[k] = k + 1;
    source[99] = 100;
    target[99] = 101;
    edges.source = std::move(source);
    edges.target = std::move(target);
    edges.name = "star and edge";
    const Graph graph = Graph::build(world, std::move(edges));
    const SearchLists lists{&graph.out(), &graph.in(), index(graph.active())};
    const auto local = [&](Vertex id) { return graph.local_of(graph.find(id).second); };
    PlainSearches searches(lists);
    Array<DistanceSums> sums(lists.vertices, DistanceSums{});
    CHECK(!searches.search_unless_wide(local(1), 50));
    CHECK(searches.search_unless_wide(local(100), 50));
    searches.take(sums);
    for (int k = 0; k < 4; ++k) {
      CHECK(searches.search_unless_wide(local(1), 1000));
      searches.take(sums);
    }
    searches.finish(sums);
    for (Vertex id = 0; id < 102; ++id) {
      CHECK(sums[local(id)].reached == (id == 100 || id == 1 ? 0 : id == 101 ? 1 : 4));
      CHECK(sums[local(id)].farness == (id == 100 || id == 1 ? 0 : id == 101 ? 1 : id == 0 ? 4 : 8));
    }
  });
}

TEST_CASE("a source that no vertex is, is refused the same on all ranks") {
  Plan plan;
  plan.threads = 1;
  run_ranks(3, plan, [](World& world) {
    const Graph graph = Graph::build(world, generate(world, "path:9"));
    Closeness closeness(graph);
    ClosenessResult result;
    const std::vector<Vertex> named{3, 9};
    CHECK_THROWS_AS(closeness.run({.sources = std::span<const Vertex>(named), .progress = {}}, result), InputError);
    CHECK(world.sum(1) == 3);
  });
}
