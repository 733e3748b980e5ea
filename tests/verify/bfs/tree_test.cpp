// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/random.hpp>
#include <atoll/graph/generate/kronecker.hpp>
#include <atoll/runtime/world.hpp>
#include <atoll/verify/bfs/tree.hpp>
#include <set>
#include <string>
#include <vector>

#include "reference/bfs.hpp"

using namespace atl;

namespace {

using Pairs = std::vector<std::pair<Vertex, Vertex>>;
enum class Given { parents, depths };
enum class Feed { narrow, wide, callback };

struct Case {
  Vertex n;
  Pairs edges;
  bool directed = false;
  Vertex root = 0;
  reference::BfsTree tree{};

  Case(Vertex vertices, Pairs tuples, bool is_directed, Vertex from)
      : n(vertices), edges(std::move(tuples)), directed(is_directed), root(from) {
    tree = reference::bfs(n, edges, directed, root);
  }
};

/// Checks `c` on `ranks` ranks, with blocks of random sizes, some empty, and tuples distributed at random; original ids
/// are 10 times the dense numbers.
BfsTreeReport verify(const Case& c, Rank ranks, Given given, Feed feed = Feed::narrow, std::uint64_t seed = 0,
                     int threads = 1) {
  Random random(seed + static_cast<std::uint64_t>(ranks));
  const auto p = static_cast<std::size_t>(ranks);
  std::vector<Vertex> blocks(p + 1, 0);
  blocks[p] = c.n;
  for (std::size_t r = 1; r < p; ++r)
    blocks[r] = static_cast<Vertex>(random.below(static_cast<std::uint64_t>(c.n) + 1));
  std::sort(blocks.begin(), blocks.end());
  std::vector<Pairs> tuples_of(p);
  for (const auto& edge : c.edges) tuples_of[random.below(p)].push_back(edge);

  const Blocks owners(blocks);
  std::vector<BfsTreeReport> reports(p);
  Plan plan;
  plan.threads = threads;
  plan.shuffle_seed = seed;
  plan.slot_bytes = 1024;
  run_ranks(ranks, plan, [&](World& world) {
    const auto r = static_cast<std::size_t>(world.rank());
    const auto begin = static_cast<std::size_t>(blocks[r]), count = static_cast<std::size_t>(blocks[r + 1]) - begin;
    BfsTree tree{.blocks = &owners,
                 .root = c.root,
                 .parents = std::span(c.tree.parents).subspan(begin, count),
                 .depths = {},
                 .tuples = c.directed ? TupleKind::directed : TupleKind::undirected,
                 .original = [](Vertex v) { return 10 * v; }};
    if (given == Given::depths) tree.depths = std::span(c.tree.depths).subspan(begin, count);
    std::vector<std::uint32_t> s32, t32;
    std::vector<Vertex> s64, t64;
    for (const auto& [u, v] : tuples_of[r]) {
      s32.push_back(static_cast<std::uint32_t>(u));
      t32.push_back(static_cast<std::uint32_t>(v));
      s64.push_back(u);
      t64.push_back(v);
    }
    const Tuples::Read read = [&](std::size_t first, std::span<Vertex> source, std::span<Vertex> target) {
      for (std::size_t i = 0; i < source.size(); ++i) {
        source[i] = tuples_of[r][first + i].first;
        target[i] = tuples_of[r][first + i].second;
      }
    };
    const Tuples tuples = feed == Feed::narrow ? Tuples(std::span<const std::uint32_t>(s32), t32)
                          : feed == Feed::wide ? Tuples(std::span<const Vertex>(s64), t64)
                                               : Tuples(tuples_of[r].size(), read);
    reports[r] = verify_bfs_tree(world, tree, tuples);
  });
  for (const auto& report : reports) {  // the same on all ranks
    CHECK(report.ok == reports[0].ok);
    CHECK(report.what == reports[0].what);
    CHECK(report.edges_in_component == reports[0].edges_in_component);
  }
  return reports[0];
}

/// The same flaw must be found, with the same message, at all rank counts.
void expect(const Case& c, Given given, int rule, const std::string& what) {
  for (const Rank ranks : {1, 2, 3, 5})
    for (const std::uint64_t seed : {0, 17}) {
      CAPTURE(ranks);
      CAPTURE(seed);
      const BfsTreeReport report = verify(c, ranks, given, Feed::narrow, seed);
      CHECK_FALSE(report.ok);
      CHECK(report.rule == rule);
      CHECK(report.what == what);
    }
}

Case kronecker(int scale, std::uint64_t seed, bool directed) {
  const auto m = std::size_t{8} << scale;
  std::vector<Vertex> u(m), v(m);
  Kronecker(scale, {}, seed).fill(0, std::span(u), std::span(v));
  Pairs edges;
  for (std::size_t i = 0; i < m; ++i) edges.emplace_back(u[i], v[i]);
  return {Vertex{1} << scale, edges, directed, u[0]};
}

Pairs path(Vertex n) {
  Pairs edges;
  for (Vertex v = 0; v + 1 < n; ++v) edges.emplace_back(v, v + 1);
  return edges;
}

// 0 - 1 - 2 - 3, 0 - 4 - 5, 6 - 7 separate, a self-loop and a duplicate edge
Case small() { return {8, {{0, 1}, {2, 1}, {2, 3}, {4, 0}, {4, 5}, {6, 7}, {5, 5}, {1, 0}}, false, 0}; }

}  // namespace

TEST_CASE("a correct tree passes on any number of ranks and the edges of its component are counted") {
  for (const bool directed : {false, true}) {
    const Case c = kronecker(9, 5, directed);
    Edge edges = 0, loops = 0;
    Vertex reached = 0;
    std::int64_t depth = 0;
    for (const auto d : c.tree.depths)
      if (d != kUnreachable) ++reached, depth = std::max(depth, d);
    for (const auto& [u, v] : c.edges)
      if (c.tree.parents[static_cast<std::size_t>(u)] != kNoVertex) ++edges, loops += u == v;
    for (const Rank ranks : {1, 2, 3, 4, 5, 8})
      for (const Given given : {Given::parents, Given::depths})
        for (const Feed feed : {Feed::narrow, Feed::wide, Feed::callback})
          for (const std::uint64_t seed : {0, 3}) {
            const BfsTreeReport report = verify(c, ranks, given, feed, seed, ranks <= 2 ? 2 : 1);
            CAPTURE(report.what);
            CHECK(report.ok);
            CHECK(report.rule == 0);
            CHECK(report.edges_in_component == edges);
            CHECK(report.loops_in_component == loops);
            CHECK(report.reached == reached);
            CHECK(report.depth == depth);
          }
  }
}

TEST_CASE("a tree as deep as a long path passes, levels beyond a byte included") {
  const Case c(700, path(700), false, 3);
  for (const Rank ranks : {1, 2, 5, 8})
    for (const Given given : {Given::parents, Given::depths}) {
      const BfsTreeReport report = verify(c, ranks, given, Feed::narrow, 11);
      CHECK(report.ok);
      CHECK(report.depth == 696);
    }
}

TEST_CASE("flaws are also found in trees deeper than a byte of levels") {
  Pairs edges = path(700);
  edges.emplace_back(2, 701);
  Case c(702, edges, false, 0);
  c.tree.parents[701] = kNoVertex;
  c.tree.depths[701] = kUnreachable;
  expect(c, Given::parents, 4, "rule 4: edge 20 - 7010 leaves the tree: 20 is on level 2, 7010 was not reached");
  c.edges.back() = {300, 600};
  expect(c, Given::depths, 3, "rule 3: edge 3000 - 6000 joins the levels 300 and 600");
}

TEST_CASE("one vertex, and more ranks than vertices") {
  const Case one(1, {{0, 0}}, false, 0), two(2, {{0, 1}, {0, 1}}, false, 1), lonely(3, {}, false, 2);
  for (const Rank ranks : {1, 2, 8})
    for (const Given given : {Given::parents, Given::depths}) {
      CHECK(verify(one, ranks, given).loops_in_component == 1);
      CHECK(verify(two, ranks, given).edges_in_component == 2);
      CHECK(verify(lonely, ranks, given).ok);
      CHECK(verify(lonely, ranks, given).reached == 1);
    }
}

TEST_CASE("rule 1: a cycle is found and the lowest vertex that leads to it named") {
  Case c = small();
  c.tree.parents[2] = 3;  // 2 and 3 are each other's parent
  expect(c, Given::parents, 1, "rule 1: the parents of vertex 20 never lead to the root 0 (a cycle)");
  expect(c, Given::depths, 1, "rule 1: the parents of vertex 20 never lead to the root 0 (a cycle)");
}

TEST_CASE("rule 1: a long cycle over many ranks is found, whatever the given depths") {
  const Vertex n = 300;
  Pairs edges = path(n);
  edges.emplace_back(n - 1, 50);
  Case c(n, edges, false, 0);
  for (Vertex v = 50; v < n; ++v) c.tree.parents[static_cast<std::size_t>(v)] = v == 50 ? n - 1 : v - 1;
  expect(c, Given::parents, 1, "rule 1: the parents of vertex 500 never lead to the root 0 (a cycle)");
  expect(c, Given::depths, 1, "rule 1: the parents of vertex 500 never lead to the root 0 (a cycle)");
}

TEST_CASE("rule 1: the root, a second root, an unreached parent and a parent out of range") {
  Case c = small();
  c.tree.parents[0] = 1;
  expect(c, Given::parents, 1, "rule 1: the root 0 has 10 as parent (not itself)");
  c = small();
  c.tree.parents[0] = kNoVertex;
  expect(c, Given::parents, 1, "rule 1: the root 0 was not reached");
  c = small();
  c.tree.parents[6] = 6;
  expect(c, Given::depths, 1, "rule 1: vertex 60 is its own parent (the root is 0)");
  c = small();
  c.tree.parents[4] = kNoVertex;
  expect(c, Given::parents, 1, "rule 1: vertex 50 has the parent 40, which was not reached");
  expect(c, Given::depths, 1, "rule 1: vertex 50 has the parent 40, which was not reached");
  c = small();
  c.tree.parents[3] = 8;
  expect(c, Given::parents, 1, "rule 1: the parent of vertex 30 has number 8 (no vertex has it)");
}

TEST_CASE("rule 2: a depth that is not the tree's level is named") {
  Case c = small();
  c.tree.depths[5] = 3;
  expect(c, Given::depths, 2, "rule 2: vertex 50 with parent 40 has depth 3 (the tree puts it on level 2)");
  c = small();
  for (auto& d : c.tree.depths)
    if (d != kUnreachable) ++d;
  expect(c, Given::depths, 2, "rule 2: vertex 0 with parent 0 has depth 1 (the tree puts it on level 0)");
  c = small();
  c.tree.depths[6] = 4;
  expect(c, Given::depths, 2, "rule 2: vertex 60 has depth 4 but no parent");
}

TEST_CASE("rule 3: an edge over more than one level is named") {
  Pairs ring = path(8);
  ring.emplace_back(7, 0);
  Case c(8, ring, false, 0);
  for (Vertex v = 1; v < 8; ++v) {  // the long way round: a tree, but not a breadth-first one
    c.tree.parents[static_cast<std::size_t>(v)] = v - 1;
    c.tree.depths[static_cast<std::size_t>(v)] = v;
  }
  expect(c, Given::parents, 3, "rule 3: edge 70 - 0 joins the levels 7 and 0");
  expect(c, Given::depths, 3, "rule 3: edge 70 - 0 joins the levels 7 and 0");
}

TEST_CASE("rule 3, directed: only an edge that leads down too far is wrong") {
  Pairs edges = path(6);
  edges.emplace_back(5, 0);  // back over five levels: allowed
  Case c(6, edges, true, 0);
  for (const Rank ranks : {1, 2, 3, 5}) CHECK(verify(c, ranks, Given::parents).ok);
  edges.emplace_back(1, 4);
  c.edges = edges;  // the tree misses this shortcut
  expect(c, Given::parents, 3, "rule 3: edge 10 -> 40 joins the levels 1 and 4");
}

TEST_CASE("rule 4: a vertex of the component that was left out is named with its edge") {
  Case c = small();
  c.tree.parents[3] = kNoVertex;
  c.tree.depths[3] = kUnreachable;
  expect(c, Given::parents, 4, "rule 4: edge 20 - 30 leaves the tree: 20 is on level 2, 30 was not reached");
  expect(c, Given::depths, 4, "rule 4: edge 20 - 30 leaves the tree: 20 is on level 2, 30 was not reached");
  Case d(3, {{0, 1}, {2, 1}}, true, 0);  // directed: 2 is outside and may have an edge into the tree
  for (const Rank ranks : {1, 2, 3, 5}) CHECK(verify(d, ranks, Given::parents).ok);
  d.tree.parents[1] = kNoVertex;
  expect(d, Given::parents, 4, "rule 4: edge 0 -> 10 leaves the tree: 0 is on level 0, 10 was not reached");
}

TEST_CASE("rule 5: a parent without an edge is named") {
  Case c = small();
  c.tree.parents[5] = 1;  // the right level, but not joined by an edge
  expect(c, Given::parents, 5, "rule 5: no input edge joins vertex 50 and its parent 10");
  expect(c, Given::depths, 5, "rule 5: no input edge joins vertex 50 and its parent 10");
  Case d(3, {{0, 1}, {1, 2}, {0, 2}, {2, 1}}, true, 0);
  CHECK(verify(d, 2, Given::parents).ok);
  d.edges = {{1, 0}, {0, 2}, {2, 1}};  // 0 -> 1 is missing, 1 -> 0 is no substitute; the tree is 0 -> 2 and 0 -> 1
  d.tree.parents = {0, 0, 0};
  d.tree.depths = {0, 1, 1};
  expect(d, Given::parents, 5, "rule 5: no input edge joins vertex 10 and its parent 0");
}

TEST_CASE("any change of a single parent is found") {
  for (const bool directed : {false, true}) {
    const Case right = kronecker(5, 9, directed);
    std::set<std::pair<Vertex, Vertex>> joined;
    for (const auto& [u, v] : right.edges) {
      joined.emplace(u, v);
      if (!directed) joined.emplace(v, u);
    }
    const auto depth = [&](Vertex v) { return right.tree.depths[static_cast<std::size_t>(v)]; };
    Random random(77);
    for (int trial = 0; trial < 150; ++trial) {
      Case c = right;
      const auto v = static_cast<Vertex>(random.below(32)), p = static_cast<Vertex>(random.below(33)) - 1;
      auto& parent = c.tree.parents[static_cast<std::size_t>(v)];
      const bool reached = parent != kNoVertex;
      const bool still_right = p == parent || (reached && p >= 0 && v != c.root && depth(p) != kUnreachable &&
                                               depth(p) + 1 == depth(v) && joined.contains({p, v}));
      parent = p;
      CAPTURE(trial);
      CAPTURE(v);
      CAPTURE(p);
      const auto ranks = static_cast<Rank>(1 + trial % 5);
      CHECK(verify(c, ranks, Given::parents, Feed::wide, static_cast<std::uint64_t>(trial)).ok == still_right);
      CHECK(verify(c, ranks, Given::depths).ok == still_right);
    }
  }
}

TEST_CASE("sizes that do not match the blocks are rejected on every rank") {
  run_ranks(2, Plan{}, [](World& world) {
    const Blocks blocks({0, 2, 4});
    const std::vector<Vertex> parents(world.rank() == 0 ? 2 : 3, 0);
    const std::span<const Vertex> none;
    CHECK_THROWS_AS(verify_bfs_tree(world, {.blocks = &blocks, .root = 0, .parents = parents}, Tuples(none, none)),
                    InputError);
  });
}
