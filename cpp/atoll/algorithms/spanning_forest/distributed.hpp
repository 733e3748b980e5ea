// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <vector>

/// The parts of class SpanningForest that run over ranks, where not every rank can hold the whole forest. Vertices are
/// numbered in the order of their ids; `blocks` says which rank has the state of each.
///
///     const RankedForest<Key> forest = boruvka_over_ranks(world, blocks, edges);      // collective
///     const std::vector<ParentEdge<Key>> parents = root_over_ranks(world, blocks, forest);      // collective
///
/// Both take a number of exchanges that grows with the logarithm of n, not with the depth of a tree.
namespace atl {

template <class Key>
struct RankedEdge {
  Key key;
  Vertex a, b;
};

template <class Key>
struct RankedForest {
  std::vector<RankedEdge<Key>> edges;  ///< this rank's part: each edge of the forest is on one rank
  std::vector<Vertex> root;            ///< [vertex of this rank's block] the smallest vertex of its tree
};

/// Returns the spanning forest of all ranks' edges. Boruvka's rounds: the owner of a tree's name takes the first of the edges that ranks offer, and trees find the name of the tree
/// they have joined by pointer jumping. Memory: 40 bytes an edge, at most as many again for what is sent, and 50 bytes a
/// vertex of the block.
template <class Key>
RankedForest<Key> boruvka_over_ranks(World& world, const Blocks& blocks, const std::vector<RankedEdge<Key>>& edges);

/// The edge from a vertex to its parent; a root's parent is itself.
template <class Key>
struct ParentEdge {
  Vertex parent;
  Key key;
};

/// Returns the parents of the vertices of this rank's block. By Euler tours [1]: each tree becomes a list of its edges in both directions, and the distance to the end of the list, by
/// pointer jumping, says which of the two goes down. Memory: some 150 bytes a vertex of the block at the fullest moment.
///
/// [1] R. E. Tarjan, U. Vishkin. "An efficient parallel biconnectivity algorithm." SIAM J. Comput. 14(4), 1985.
template <class Key>
std::vector<ParentEdge<Key>> root_over_ranks(World& world, const Blocks& blocks, const RankedForest<Key>& forest);

}  // namespace atl
