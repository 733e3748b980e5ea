// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <span>
#include <tuple>
#include <vector>

/// Spanning forests of pieces over ranks. Used by class SpanningForest. A piece is a tree that one rank has found, a
/// part of the forest. Pieces are numbered over the ranks, those of a rank one after another (`blocks`); each has a
/// smallest vertex. Vertices are called by their positions in the order of all ids.
///
///     const auto parents = forest_on_first_rank<Key>(world, smallest, edges);          // collective: where all fit
///     const auto parents = forest_over_ranks<Key>(world, blocks, smallest, edges);     // collective: where they do not
///
/// Both find the forest of the edges of all ranks, of which several may have the same edge. They root each of its trees
/// at the piece of its smallest vertex, and return for each of this rank's pieces the edge to its parent.
namespace atl {

/// An edge between vertices a and b of two pieces.
template <class Key>
struct PieceEdge {
  Key key;
  Vertex a, b, piece_a, piece_b;
  auto order() const { return std::tuple(key, std::min(a, b), std::max(a, b)); }
};

template <class Key>
struct PieceParent {
  bool is_root = true;
  PieceEdge<Key> edge = {};  ///< of no meaning for a root
};

/// Every rank sorts its edges; rank 0 gathers them, finds the forest by Kruskal's algorithm, and tells each rank the
/// parents of its pieces. Memory on rank 0: 80 bytes for each edge, and 90 for each piece, of all ranks. At most 2^31
/// pieces.
template <class Key>
std::vector<PieceParent<Key>> forest_on_first_rank(World& world, std::span<const Vertex> smallest,
                                                   std::vector<PieceEdge<Key>> edges);

/// Boruvka's rounds over ranks, then Euler tours. The number of exchanges grows with the logarithm of the number of
/// pieces, not with the depth of a tree. Memory: 150 bytes an edge of this rank, and some 300 bytes a piece.
template <class Key>
std::vector<PieceParent<Key>> forest_over_ranks(World& world, const Blocks& blocks, std::span<const Vertex> smallest,
                                                const std::vector<PieceEdge<Key>>& edges);

/// The parts of forest_over_ranks().
template <class Key>
struct PieceForest {
  std::vector<PieceEdge<Key>> edges;  ///< this rank's part: each edge of the forest is on one rank
  std::vector<Vertex> root;           ///< [piece of this rank] the piece of its tree's smallest vertex
};
/// The owner of a tree's name takes the first of the edges that ranks offer, and trees find the name of the tree they
/// have joined by pointer jumping. Collective.
template <class Key>
PieceForest<Key> boruvka_over_ranks(World& world, const Blocks& blocks, std::span<const Vertex> smallest,
                                    const std::vector<PieceEdge<Key>>& edges);
/// Each tree becomes a list of its edges in both directions, its Euler tour [1]; the distance to the end of the list,
/// by pointer jumping, says which of the two goes down. Collective.
///
/// [1] R. E. Tarjan, U. Vishkin. "An efficient parallel biconnectivity algorithm." SIAM J. Comput. 14(4), 1985.
template <class Key>
std::vector<PieceParent<Key>> root_by_euler_tours(World& world, const Blocks& blocks, const PieceForest<Key>& forest);

}  // namespace atl
