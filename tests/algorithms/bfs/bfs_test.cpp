// SPDX-License-Identifier: Apache-2.0
#include "reference/bfs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/algorithms/bfs/bfs.hpp>
#include <atoll/algorithms/bfs/kernel.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <atoll/verify/bfs/tree.hpp>
#include <bit>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "graph/cases.hpp"
#include "shapes.hpp"

using namespace atl;
using cases::Case;

namespace {

using Pairs = std::vector<std::pair<Vertex, Vertex>>;

// The edges as dense numbers, for the serial oracle and the verifier.
Pairs dense_edges(const Case& c) {
  const auto ids = c.ids();
  auto dense = [&](Vertex id) { return std::lower_bound(ids.begin(), ids.end(), id) - ids.begin(); };
  Pairs edges;
  for (const auto& [u, v] : c.edges) edges.emplace_back(dense(u), dense(v));
  return edges;
}

std::vector<std::string> isa_names() {
  std::vector<std::string> names;
  for (const Isa isa : {Isa::portable, Isa::avx2, Isa::avx512})
    if (isa <= machine_isa()) names.emplace_back(name_of(isa));
  return names;
}

// Checks that a search agrees with the oracle and is a breadth-first tree of the edges. Collective.
void check_result(World& world, const Graph& graph, const Case& c, const Pairs& edges, const reference::BfsTree& oracle,
                  Vertex root, const BfsResult& result) {
  const auto ids = c.ids();
  const auto begin = static_cast<std::size_t>(graph.blocks().begin(world.rank()));
  const auto owned = static_cast<std::size_t>(graph.owned());
  REQUIRE(result.parent.size() == owned);
  std::vector<Vertex> parents(owned);
  std::size_t wrong = 0;
  for (std::size_t v = 0; v < owned; ++v) {
    const Vertex id = result.parent[v];
    const auto at = std::lower_bound(ids.begin(), ids.end(), id);
    parents[v] = id == kNoVertex ? kNoVertex : at - ids.begin();
    wrong += id != kNoVertex && (at == ids.end() || *at != id);
    wrong += (id == kNoVertex) != (oracle.depths[begin + v] == kUnreachable);
    if (!result.depth.empty()) wrong += result.depth[v] != oracle.depths[begin + v];
  }
  CHECK(wrong == 0);
  CHECK((result.depth.empty() || result.depth.size() == owned));

  Vertex reached = 0, deepest = 0;
  for (const auto d : oracle.depths)
    if (d != kUnreachable) ++reached, deepest = std::max<Vertex>(deepest, d);
  CHECK(result.reached == reached);
  CHECK(result.levels == static_cast<int>(deepest) + 1);
  // Level by level the search found the same, in as many pulls.
  Vertex found = result.rounds.between().found;
  std::size_t pulls = result.rounds.between().pulls;
  result.rounds.for_each([&](std::size_t, const BfsRound& round) {
    found += round.found;
    pulls += round.pulled;
  });
  CHECK(found == reached - 1);
  CHECK(static_cast<std::size_t>(result.pulls) == pulls);

  std::vector<Vertex> source, target;
  for (std::size_t i = static_cast<std::size_t>(world.rank()); i < edges.size();
       i += static_cast<std::size_t>(world.size())) {
    source.push_back(edges[i].first);
    target.push_back(edges[i].second);
  }
  const BfsTreeReport report =
      verify_bfs_tree(world,
                      {.blocks = &graph.blocks(),
                       .root = root,
                       .parents = parents,
                       .depths = {result.depth.data(), result.depth.size()},
                       .tuples = graph.directed() ? TupleKind::directed : TupleKind::undirected,
                       .original = {}},
                      Tuples(std::span<const Vertex>(source), std::span<const Vertex>(target)));
  CAPTURE(report.what);
  CHECK(report.ok);
  CHECK(report.reached == reached);
}

// The number of distinct edges with an endpoint in the component (directed: with their source in it).
Edge edges_of_component(const Pairs& edges, bool directed, const reference::BfsTree& oracle) {
  std::set<std::pair<Vertex, Vertex>> distinct;
  for (auto [u, v] : edges) {
    if (oracle.depths[static_cast<std::size_t>(u)] == kUnreachable) continue;
    if (!directed && u > v) std::swap(u, v);
    distinct.emplace(u, v);
  }
  return static_cast<Edge>(distinct.size());
}

const std::map<std::string, Direction> kDirections = {
    {"auto", Direction::automatic}, {"push", Direction::push}, {"pull", Direction::pull}};

}  // namespace

TEST_CASE("bfs finds the serial depths and a breadth-first tree on every machine shape, in every direction") {
  int variant = 0;
  for (const Case& c : cases::all()) {
    const auto ids = c.ids();
    const Pairs edges = dense_edges(c);
    for (const bool directed : {false, true})
      for (const Rank ranks : shapes::kRanks)
        for (const auto& isa : isa_names()) {
          // Draws a third of the shapes (sanitizers: a twelfth), each with a buffer size, an id width and threads.
          const std::uint64_t dice = random_at(1, static_cast<std::uint64_t>(++variant));
          if (dice % (shapes::kSanitized ? 24 : 3) != 0) continue;
          const bool wide = dice >> 20 & 1;
          auto buffers = shapes::buffers();
          Plan plan = buffers[(dice >> 22) % buffers.size()].plan;
          plan.threads = (dice >> 40) % 3 == 0 && ranks <= 3 ? 3 : 1;
          const shapes::WithIsa with_isa(isa);
          CAPTURE(c.name);
          CAPTURE(directed);
          CAPTURE(ranks);
          CAPTURE(isa);
          CAPTURE(plan.threads);
          run_ranks(ranks, plan, [&](World& world) {
            const Graph graph = Graph::build(world, cases::slice(c, directed, cases::Weight::none, wide, world.rank(),
                                                                 ranks, cases::Distribution::spread));
            for (const auto& [name, direction] : kDirections) {
              Bfs search(graph, {.direction = direction, .depths = Depths::yes});
              BfsResult result;  // reused by each search
              for (std::size_t k = 0; k < ids.size(); k += 1 + ids.size() / 3) {
                const auto root = static_cast<Vertex>(k);
                CAPTURE(name);
                CAPTURE(root);
                const auto oracle = reference::bfs(graph.vertices(), edges, directed, root);
                search.run(ids[k], result);
                check_result(world, graph, c, edges, oracle, root, result);
                CHECK(result.edges == edges_of_component(edges, directed, oracle));
                if (direction == Direction::push) CHECK(result.pulls == 0);
                if (direction == Direction::pull) CHECK(result.pulls >= result.levels - 1);  // the last may find none
              }
            }
          });
        }
  }
}

TEST_CASE("a search without depths leaves none, and one call is one search") {
  const Case c = cases::all()[9];
  const Pairs edges = dense_edges(c);
  const auto oracle = reference::bfs(128, edges, false, 5);
  for (const Rank ranks : {1, 3}) {
    Plan plan;
    plan.threads = 1;
    run_ranks(ranks, plan, [&](World& world) {
      const Graph graph = Graph::build(
          world, cases::slice(c, false, cases::Weight::none, false, world.rank(), ranks, cases::Distribution::spread));
      const BfsResult result = bfs(graph, 5);
      CHECK(result.depth.empty());
      check_result(world, graph, c, edges, oracle, 5, result);
    });
  }
}

TEST_CASE("weights, multi-edges and self-loops that stay change no depth") {
  const Case c = cases::all()[5];
  const Pairs edges = dense_edges(c);
  const auto oracle = reference::bfs(static_cast<Vertex>(c.ids().size()), edges, false, 0);
  for (const auto weight : {cases::Weight::narrow, cases::Weight::wide})
    for (const Duplicates duplicates : {Duplicates::keep, Duplicates::merge_sum})
      for (const Direction direction : {Direction::push, Direction::pull}) {
        Plan plan;
        plan.threads = 1;
        run_ranks(3, plan, [&](World& world) {
          const Graph graph =
              Graph::build(world, cases::slice(c, false, weight, false, world.rank(), 3, cases::Distribution::spread),
                           {.duplicates = duplicates});
          const BfsResult result = bfs(graph, c.ids()[0], {.direction = direction, .depths = Depths::yes});
          check_result(world, graph, c, edges, oracle, 0, result);
          if (duplicates == Duplicates::keep) CHECK(result.edges == static_cast<Edge>(edges.size()));
        });
      }
}

TEST_CASE("an unknown source is rejected by name on every rank, and the next search works") {
  const Case c = cases::all()[6];
  for (const Rank ranks : {1, 2, 5}) {
    Plan plan;
    plan.threads = 1;
    run_ranks(ranks, plan, [&](World& world) {
      const Graph graph = Graph::build(
          world, cases::slice(c, false, cases::Weight::none, false, world.rank(), ranks, cases::Distribution::spread));
      Bfs search(graph);
      BfsResult result;
      for (const Vertex id : {Vertex{-1}, Vertex{7}, Vertex{48}, INT64_MAX}) {
        const std::string text = fmt::format("vertex {} does not exist", id);
        CHECK_THROWS_WITH_AS(search.run(id, result), doctest::Contains(text.c_str()), InputError);
      }
      search.run(20, result);
      CHECK(result.reached == 2);
      CHECK(result.edges == 2);  // 20 - 21 and the loop at 21
      search.run(47, result);    // isolated
      CHECK(result.reached == 1);
      CHECK(result.edges == 0);
      CHECK(result.levels == 1);
      CHECK_THROWS_AS(Bfs(graph, {.alpha = 0}), InputError);
    });
  }
}

TEST_CASE("depths of larger graphs are the same for all ranks, threads, directions and instruction sets") {
  for (const char* text : {"kron:12", "rmat:11:0.6,0.1,0.2", "uniform:11:3", "grid:60x50", "star:5000", "path:400"}) {
    if (shapes::kSanitized && std::string(text) == "path:400") continue;
    std::map<Vertex, Vertex> expected;
    int variant = 0;
    for (const auto& isa : isa_names())
      for (const auto& [name, direction] : kDirections)
        for (const Rank ranks : {1, 2, 3, 5}) {
          if (random_at(2, static_cast<std::uint64_t>(++variant)) % (shapes::kSanitized ? 10 : 2) != 0) continue;
          const shapes::WithIsa with_isa(isa);
          CAPTURE(text);
          CAPTURE(isa);
          CAPTURE(name);
          CAPTURE(ranks);
          Plan plan;
          plan.threads = 1 + variant % 3;
          plan.slot_bytes = variant % 2 ? 256 : 4096;
          plan.slots_per_peer = 2;
          plan.shuffle_seed = static_cast<std::uint64_t>(variant % 3);
          std::map<Vertex, Vertex> got;
          std::mutex mutex;
          run_ranks(ranks, plan, [&, direction = direction](World& world) {
            const Graph graph = Graph::build(world, generate(world, text));
            BfsResult result = bfs(graph, 3, {.direction = direction, .depths = Depths::yes});
            std::lock_guard hold(mutex);
            for (std::size_t v = 0; v < result.depth.size(); ++v)
              got[graph.ids().id_of(static_cast<Vertex>(v))] = result.depth[v];
          });
          if (expected.empty()) {
            expected = got;
            CHECK(got.at(3) == 0);
          }
          CHECK(got == expected);
        }
  }
}

TEST_CASE("a lattice, whole or with gaps, in its own order or any other, has the oracle's depths") {
  constexpr Vertex kWidth = 80, kHeight = 70;
  for (const double kept : {1.0, 0.8})
    for (const bool shuffled : {false, true}) {
      CAPTURE(kept);
      CAPTURE(shuffled);
      Case c{"lattice", {}, {}, {}};
      // 3 and 1237 are coprime to the number of vertices: the order of ids is unrelated to the lattice.
      const auto id = [&](Vertex x, Vertex y) {
        const Vertex v = y * kWidth + x;
        return shuffled ? 7 + 3 * (v * 1237 % (kWidth * kHeight)) : v;
      };
      std::uint64_t drawn = 0;
      const auto join = [&](Vertex from, Vertex to) {
        if (random_at(5, ++drawn) % 1000 < static_cast<std::uint64_t>(1000 * kept)) c.edges.emplace_back(from, to);
      };
      for (Vertex y = 0; y < kHeight; ++y)
        for (Vertex x = 0; x < kWidth; ++x) {
          if (x + 1 < kWidth) join(id(x, y), id(x + 1, y));
          if (y + 1 < kHeight) join(id(x, y), id(x, y + 1));
        }
      // Two vertices with more neighbours than are gathered at once.
      for (Vertex v = 0; kept < 1 && v < kWidth * kHeight; ++v)
        if (v % 40 > 0) c.edges.emplace_back(v % 2 ? 1000000 : 1000001, id(v % kWidth, v / kWidth));
      const auto ids = c.ids();
      const Pairs edges = dense_edges(c);
      for (const int threads : {1, 2, 6}) {
        CAPTURE(threads);
        Plan plan;
        plan.threads = threads;
        run_ranks(1, plan, [&](World& world) {
          const Graph graph = Graph::build(
              world, cases::slice(c, false, cases::Weight::none, false, 0, 1, cases::Distribution::spread));
          for (const Direction direction : {Direction::automatic, Direction::push}) {
            Bfs search(graph, {.direction = direction, .depths = Depths::yes});
            BfsResult result;
            for (std::size_t k = 0; k < ids.size(); k += 1 + ids.size() / 3) {
              const auto root = static_cast<Vertex>(k);
              const auto oracle = reference::bfs(graph.vertices(), edges, false, root);
              search.run(ids[k], result);
              check_result(world, graph, c, edges, oracle, root, result);
              CHECK(result.edges == edges_of_component(edges, false, oracle));
            }
          }
        });
      }
    }
}

TEST_CASE("automatic direction pulls on a Kronecker graph, and on a lattice once at most, near its end") {
  Plan plan;
  plan.threads = 2;
  for (const Rank ranks : {1, 2})
    run_ranks(ranks, plan, [](World& world) {
      BfsResult kron = bfs(Graph::build(world, generate(world, "kron:13")), 3);
      CHECK(kron.pulls > 0);
      CHECK(kron.pulls < kron.levels);
      BfsResult path = bfs(Graph::build(world, generate(world, "grid:300x40")), 0, {.alpha = 2});
      CHECK(path.levels == 339);
      CHECK(path.pulls <= 1);  // before the last corner few edges are left, but a pull does not pay there
    });
}

TEST_CASE("ids beyond 32 bits give the same results as narrow ones") {
  // The Kronecker case with its ids spread over 63 bits.
  Case c = cases::all()[9];
  c.range.reset();
  auto far = [](Vertex v) { return v * ((Vertex{1} << 56) - 3) + 5; };
  for (auto& [u, v] : c.edges) {
    u = far(u);
    v = far(v);
  }
  const auto ids = c.ids();
  const Pairs edges = dense_edges(c);
  for (const auto& isa : isa_names())
    for (const auto& [name, direction] : kDirections)
      for (const Rank ranks : {1, 3}) {
        const shapes::WithIsa with_isa(isa);
        CAPTURE(isa);
        CAPTURE(name);
        Plan plan;
        plan.threads = 2;
        run_ranks(ranks, plan, [&, direction = direction](World& world) {
          const Graph graph = Graph::build(world, cases::slice(c, false, cases::Weight::none, true, world.rank(), ranks,
                                                               cases::Distribution::spread));
          CHECK(graph.id_column().index() == 1);
          for (const Vertex root : {Vertex{0}, graph.vertices() - 1}) {
            const auto oracle = reference::bfs(graph.vertices(), edges, false, root);
            const BfsResult result =
                bfs(graph, ids[static_cast<std::size_t>(root)], {.direction = direction, .depths = Depths::yes});
            check_result(world, graph, c, edges, oracle, root, result);
          }
        });
      }
}

TEST_CASE("with every instruction set, each unvisited target is claimed exactly once and no other target is") {
  for (const Isa isa : {Isa::portable, Isa::avx2, Isa::avx512}) {
    if (isa > machine_isa()) continue;
    const auto claim = bfs_kernels<Vertex>(isa).claim;
    for (const std::size_t n : {0u, 1u, 15u, 16u, 17u, 100u, 4096u}) {
      std::vector<std::uint64_t> visited(20);
      for (std::size_t w = 0; w < visited.size(); ++w) visited[w] = random_at(3, w) & random_at(4, w);
      const auto before = visited;
      std::vector<Local> targets(n), claimed(n + 16);
      std::set<Local> expected;
      for (std::size_t i = 0; i < n; ++i) {
        targets[i] = static_cast<Local>(random_at(5, i) % 1280);  // some repeat
        if (!(before[static_cast<std::size_t>(targets[i]) / 64] >> (targets[i] % 64) & 1)) expected.insert(targets[i]);
      }
      const std::size_t count = claim(visited.data(), targets.data(), n, claimed.data());
      CHECK(count == expected.size());
      CHECK(std::set<Local>(claimed.begin(), claimed.begin() + static_cast<std::ptrdiff_t>(count)) == expected);
      for (const Local v : expected) CHECK_UNARY(visited[static_cast<std::size_t>(v) / 64] >> (v % 64) & 1);
    }
  }
}
