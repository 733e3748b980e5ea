// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <memory>
#include <span>

/// Biconnected components, articulation points and bridges of an undirected graph over any number of ranks.
///
///     BiconnectedComponents search(graph);          // collective: buffers
///     BiconnectedComponentsResult r;                // its arrays are reused
///     search.run(r);                                // collective; r.blocks[i] by owned index
///
/// A biconnected component, a block, is a largest set of edges of which any two lie on a cycle that passes no vertex
/// twice, with the ends of these edges; an edge on no such cycle is a block by itself, a bridge. A vertex of two blocks
/// or more is an articulation point: without it there are more connected components.
///
/// From the smallest id of its connected component each vertex is reached through one block, whatever the path. The
/// result names that block for each vertex by `block`, and the vertex of it that comes first on these paths by
/// `head`; every block has one head, which it names nowhere else. So n numbers tell the blocks of all edges: ends with
/// the same block are joined in it, and of two others one is the head of the other (edge_blocks()).
///
/// The answer is the same for any number of ranks and threads. Self-loops and weights do not matter; where the graph
/// keeps parallel edges, they are no bridges. FAST-BCC [1]: the blocks are the connected components of a part of the
/// edges that any spanning forest selects (block_search.hpp). Time does not depend on the depth of the graph.
///
/// Memory: 85 bytes a vertex. Over ranks, for any cut, each rank sends a spanning forest of its own edges, and all have
/// that of the graph: 95 bytes on each rank for every vertex of the graph. Edges stay where they are.
///
/// [1] X. Dong, L. Wang, Y. Gu, Y. Sun. "Provably fast and space-efficient parallel biconnectivity." PPoPP 2023.
namespace atl {

struct BiconnectedComponentsResult {
  Array<Vertex> blocks;        ///< [owned index] blocks that hold the vertex; 0: it has no edge to another
  Array<Vertex> articulation;  ///< 1 of an articulation point, which two blocks or more hold; else 0
  Array<Vertex> bridge;        ///< 1 where the edge to `head` is a bridge, each of which has one such end; else 0
  /// Smallest id, its head's left out, of the block towards the smallest id of the connected component; -1 of that one.
  Array<Vertex> block;
  /// Id of that block's vertex nearest to the smallest id of the connected component; -1 of that one.
  Array<Vertex> head;
  Vertex components = 0;           ///< blocks on all ranks
  Vertex bridges = 0;              ///< blocks of one edge
  Vertex articulation_points = 0;  ///< on all ranks
  Vertex largest = 0;              ///< vertices of the largest block
};

class BlockSearch;

class BiconnectedComponents {
 public:
  /// Collective. InputError, the same on all ranks, if the graph is directed, or of several ranks and has 2^31 vertices
  /// or more.
  explicit BiconnectedComponents(const Graph& graph);
  ~BiconnectedComponents();
  BiconnectedComponents(const BiconnectedComponents&) = delete;
  BiconnectedComponents& operator=(const BiconnectedComponents&) = delete;

  /// Collective.
  void run(BiconnectedComponentsResult& result);
  std::size_t memory_bytes() const;

 private:
  const Graph& graph_;
  std::unique_ptr<BlockSearch> search_;
};

/// Once. Collective.
BiconnectedComponentsResult biconnected_components(const Graph& graph);

/// The `block` of each of this rank's edges, in the order of for_each_edge() (edge_order.hpp). A self-loop has its
/// vertex's. `block` and `head`: as in the result. Collective.
Array<Vertex> edge_blocks(const Graph& graph, std::span<const Vertex> block, std::span<const Vertex> head);

}  // namespace atl
