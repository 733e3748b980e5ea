// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/partition/blocks.hpp>
#include <atoll/verify/tuples.hpp>
#include <string>

/// Whether parents (and depths) are a breadth-first tree of the INPUT edges: the five rules of the Graph500
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
/// Of several flaws the one of the lowest rule is named, then the lowest vertices: the same whatever the number of
/// ranks. Levels are computed from the parents by pointer jumping over ranks, ceil(log2 depth) + 1 rounds, unless the
/// given depths prove them in one. Then each input edge takes at most two hops, to the owner of one end and on to that
/// of the other. Memory: about 10 bytes per owned vertex; nothing is replicated.
namespace atl {

class Graph;
class World;

/// What a tuple (u, v) stands for. both_ways: an undirected edge that comes as (u, v) and as (v, u), a self-loop once.
enum class TupleKind { undirected, directed, both_ways };

struct BfsTree {
  const Blocks* blocks = nullptr;             ///< who owns which dense numbers
  Vertex root = 0;                            ///< dense
  std::span<const Vertex> parents;            ///< this rank's, in order; dense; kNoVertex where not reached
  std::span<const std::int64_t> depths = {};  ///< the same, kUnreachable where not reached; empty: none were computed
  TupleKind tuples = TupleKind::undirected;
  /// Original id of a vertex that this rank owns, for messages; none: the dense number.
  std::function<Vertex(Vertex)> original = {};
};

/// The same on every rank.
struct BfsTreeReport {
  bool ok = true;
  int rule = 0;      ///< that is broken; 0 if ok
  std::string what;  ///< names the edge or vertex by original ids
  /// Input edges inside the component (directed: that start in it), multi-edges and self-loops included, each once:
  /// what the Graph500 specification divides by the time.
  Edge edges_in_component = 0;
  Edge loops_in_component = 0;  ///< the self-loops among them
  Vertex reached = 0;
  std::int64_t depth = 0;  ///< the greatest level
};

/// Collective.
BfsTreeReport verify_bfs_tree(World& world, const BfsTree& tree, const Tuples& tuples);

/// The same for what bfs() returns: original ids, in natural order; depths may be empty. Collective; InputError, the same
/// on all ranks, if no vertex has the id `source`. Ids are translated first: P = 1 or ids in a row cost a pass over the
/// parents, else each parent is asked for at its owner.
BfsTreeReport verify_bfs(const Graph& graph, Vertex source, std::span<const Vertex> parents,
                         std::span<const Vertex> depths, const Tuples& tuples, TupleKind kind);
/// Against the graph's own lists: of use where the input is gone; it cannot see what the build of the graph did wrong.
BfsTreeReport verify_bfs(const Graph& graph, Vertex source, std::span<const Vertex> parents,
                         std::span<const Vertex> depths);

}  // namespace atl
