// SPDX-License-Identifier: Apache-2.0
// The rules: Graph500 specification 2.0, 2017, section "Validation".
//
//   in the specification        here
//   1, a tree with this root    check_parents(); levels.cpp
//   2, levels differ by one     levels.cpp; where depths are given, in find_flaw()
//   3, 4, 5                     edges.cpp
#include <atoll/verify/bfs/edges.hpp>
#include <atoll/verify/dense.hpp>

namespace atl {
namespace bfs_tree {
namespace {

constexpr std::size_t kTreeGrain = 1 << 14;

/// The rules that can be checked at each vertex alone.
Finding check_parents(World& world, const BfsTree& tree, const Ownership& blocks) {
  Findings findings(world);
  world.team().for_range(blocks.count(), kTreeGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t i = a; i < b; ++i) {
      const Vertex v = blocks.first() + static_cast<Vertex>(i), p = tree.parents[i];
      if (v == tree.root) {
        if (p != v) findings.note({Flaw::root_parent, v, p});
      } else if (p < kNoVertex || p >= blocks.n()) {
        findings.note({Flaw::outside, v, p});
      } else if (p == v) {
        findings.note({Flaw::second_root, v, p});
      }
    }
  });
  return findings.worst();
}

Finding find_flaw(World& world, const BfsTree& tree, const Ownership& blocks, const Tuples& tuples,
                  BfsTreeReport& report) {
  if (const Finding f = check_parents(world, tree, blocks); f.flaw != Flaw::none) return f;

  const std::size_t n = blocks.count();
  Array<std::int32_t> level;
  const bool given = world.any(!tree.depths.empty());
  world.agree(!given || tree.depths.size() == n,
              "some ranks gave depths, others none (they are checked on all ranks). Give them on all or on none.");
  if (given && depths_hold(world, tree, blocks)) {
    level = Array<std::int32_t>(n);
    world.team().for_range(n, kTreeGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t i = a; i < b; ++i)
        level[i] = tree.depths[i] == kUnreachable ? kOutside : static_cast<std::int32_t>(tree.depths[i]);
    });
  } else {
    if (const Finding f = find_levels(world, tree, blocks, level); f.flaw != Flaw::none) return f;
    if (given) {
      Findings findings(world);
      for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t l = level[i] == kOutside ? kUnreachable : level[i];
        if (tree.depths[i] != l)
          findings.note({Flaw::depth, blocks.first() + static_cast<Vertex>(i), tree.parents[i], tree.depths[i], l});
      }
      return findings.worst();  // there is a flaw, or the depths would have held
    }
  }

  std::int64_t depth = 0;
  Vertex reached = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const bool inside = level[i] != kOutside;
    reached += inside;
    depth = std::max<std::int64_t>(depth, inside ? level[i] : 0);
  }
  report.depth = world.max(depth);
  report.reached = world.sum(reached);
  return check_edges(world, tree, blocks, tuples, std::move(level), report.depth, report);
}

}  // namespace
}  // namespace bfs_tree

BfsTreeReport verify_bfs_tree(World& world, const BfsTree& tree, const Tuples& tuples) {
  const bfs_tree::Ownership blocks(*tree.blocks, world.rank());
  world.collective_try([&] {
    check(tree.blocks->ranks() == world.size(),
          "there are blocks for {} ranks (the world has {}). Use the blocks of this world.", tree.blocks->ranks(),
          world.size());
    check(tree.parents.size() == blocks.count(), "rank {} gave {} parents (it owns {} vertices). Give one for each.",
          world.rank(), tree.parents.size(), blocks.count());
    check(tree.depths.empty() || tree.depths.size() == blocks.count(),
          "rank {} gave {} depths (it owns {} vertices). Give one for each, or none.", world.rank(), tree.depths.size(),
          blocks.count());
    check(tree.root >= 0 && tree.root < blocks.n(),
          "the root's number is {} (there are {} vertices). Give that of a vertex.", tree.root, blocks.n());
  });
  BfsTreeReport report;
  const bfs_tree::Finding finding = bfs_tree::find_flaw(world, tree, blocks, tuples, report);
  report.ok = finding.flaw == bfs_tree::Flaw::none;
  report.rule = bfs_tree::rule_of(finding.flaw);
  report.what = bfs_tree::describe(world, tree, blocks, finding);
  return report;
}

BfsTreeReport verify_bfs(const Graph& graph, Vertex source, std::span<const Vertex> parents,
                         std::span<const Vertex> depths, const Tuples& tuples, TupleKind kind) {
  World& world = graph.world();
  const Vertex begin = graph.blocks().begin(world.rank());
  const auto [owner, owned_index] = graph.find(source);
  const Array<Vertex> dense = dense_of(world, graph.ids(), parents);
  return verify_bfs_tree(world,
                         {.blocks = &graph.blocks(),
                          .root = graph.blocks().begin(owner) + owned_index,
                          .parents = std::span<const Vertex>(dense.data(), dense.size()),
                          .depths = depths,
                          .tuples = kind,
                          .original = [&](Vertex v) { return graph.ids().id_of(v - begin); }},
                         tuples);
}

BfsTreeReport verify_bfs(const Graph& graph, Vertex source, std::span<const Vertex> parents,
                         std::span<const Vertex> depths) {
  const DenseLists lists(graph);
  return verify_bfs(graph, source, parents, depths, lists.tuples(),
                    graph.directed() ? TupleKind::directed : TupleKind::both_ways);
}

}  // namespace atl
