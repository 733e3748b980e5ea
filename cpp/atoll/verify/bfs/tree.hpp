// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/partition/blocks.hpp>
#include <atoll/verify/tuples.hpp>
#include <string>

/// Checks that parents (and depths) are a breadth-first tree of the input edges, by the five rules of the Graph500
/// specification, section "Validation". Never calls the algorithm.
///
///     BfsTreeReport report = verify_bfs_tree(
///         world, {.blocks = &blocks, .root = root, .parents = parents},   // this rank's parents, dense numbers
///         Tuples(source, target));                                       // this rank's slice of the input
///     if (!report.ok) throw VerificationError(report.what);
///
///     rule 1  the parents are a tree from the root: no cycle, no second root
///     rule 2  a tree edge joins levels that differ by one (given depths are compared with the tree's own levels)
///     rule 3  an input edge joins levels that differ by at most one, or vertices that are both outside;
///             directed: u -> v with u inside has level[v] <= level[u] + 1
///     rule 4  the tree spans the root's component: no input edge leaves it
///     rule 5  a vertex and its parent are joined by an input edge
///
/// Of several flaws, the one of the lowest rule is named, then the one at the lowest vertices, whatever the number of
/// ranks. Levels are computed from the parents by pointer jumping over ranks in ceil(log2 depth) + 1 rounds, unless the
/// given depths prove them in one. Then each input edge takes at most two hops, to the owner of one endpoint and on to
/// that of the other. Memory: about 10 bytes per owned vertex; nothing is replicated.
namespace atl {

class Graph;
class World;

/// The meaning of a tuple (u, v). both_ways: an undirected edge is listed as (u, v) and as (v, u), a self-loop once.
enum class TupleKind { undirected, directed, both_ways };

struct BfsTree {
  const Blocks* blocks = nullptr;             ///< who owns which dense numbers
  Vertex root = 0;                            ///< dense
  std::span<const Vertex> parents;            ///< this rank's, in order; dense; kNoVertex if not reached
  std::span<const std::int64_t> depths = {};  ///< likewise, kUnreachable if not reached; empty: not computed
  TupleKind tuples = TupleKind::undirected;
  /// Original id of a vertex that this rank owns, for messages; none: the dense number.
  std::function<Vertex(Vertex)> original = {};
};

/// The same on all ranks.
struct BfsTreeReport {
  bool ok = true;
  int rule = 0;      ///< the broken rule; 0 if ok
  std::string what;  ///< names the edge or vertex by original ids
  /// Input edges inside the component (directed: that start in it), each once, multi-edges and self-loops included: the
  /// number that the Graph500 specification divides by the time.
  Edge edges_in_component = 0;
  Edge loops_in_component = 0;  ///< the self-loops among them
  Vertex reached = 0;
  std::int64_t depth = 0;  ///< the greatest level
};

/// Collective.
BfsTreeReport verify_bfs_tree(World& world, const BfsTree& tree, const Tuples& tuples);

/// The same for the result of bfs(): original ids, in the order of owned indices; depths may be empty. Collective;
/// throws InputError, the same on all ranks, if no vertex has the id `source`. Ids are translated first: with one rank
/// or consecutive ids by a pass over the parents, else by asking each parent's owner.
BfsTreeReport verify_bfs(const Graph& graph, Vertex source, std::span<const Vertex> parents,
                         std::span<const Vertex> depths, const Tuples& tuples, TupleKind kind);
/// Checks against the graph's own lists, if the input is not available; this cannot detect errors in building the
/// graph.
BfsTreeReport verify_bfs(const Graph& graph, Vertex source, std::span<const Vertex> parents,
                         std::span<const Vertex> depths);

}  // namespace atl
