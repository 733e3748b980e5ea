// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/biconnected_components/preorder_forest.hpp>
#include <atoll/engine/vertex_bits.hpp>
#include <atoll/graph/graph.hpp>

namespace atl {

/// The blocks of an undirected graph, by FAST-BCC. Used by class BiconnectedComponents.
///
///     BlockSearch search(graph);                 // collective
///     search.run();                              // collective
///     search.block(v), search.head(block)
///
/// Nodes are local numbers on one rank, so that hubs are the roots; over several ranks dense numbers, and every rank has
/// the forest and the blocks of all nodes. A block is called by one of its nodes; all but its head name it.
class BlockSearch {
 public:
  explicit BlockSearch(const Graph& graph);

  void run();

  std::size_t nodes() const { return block_.size(); }
  /// Returns the node of a vertex with a local number here.
  Local node_of(Local v) const { return dense_.empty() ? v : dense_[v]; }
  Vertex id_of(Local node) const { return ids_.empty() ? graph_.id_of(node) : ids_[node]; }
  /// The block towards the smallest id of the node's connected component; -1 of that one.
  Local block(Local node) const { return block_[node]; }
  Local head(Local block) const { return head_[block]; }
  /// The node of smallest id in the block, except its head.
  Local least(Local block) const { return least_[block]; }
  /// Nodes of the block except its head; 0 of a node by which no block is called.
  Local others(Local block) const { return others_[block]; }
  /// Blocks that hold the node.
  Local blocks(Local node) const { return blocks_[node]; }
  std::size_t memory_bytes() const;

 private:
  static constexpr std::size_t kGrain = 4096;
  // The nodes that an edge of each node of a subtree reaches lie between the two; positions.
  struct Reach {
    Local low, high;
  };

  void link_forest();
  void find_reach();
  void gather_reach();
  void find_fences();
  void link_skeleton();
  template <class Joins>
  void link_edges(Joins&& joins);
  template <class Joins>
  void link_after_sampling(Joins&& joins);
  std::span<const Local> sampled(Local v) const;
  std::pair<Local, std::size_t> largest_set();
  void name_blocks();
  void turn_to_least_ids();
  void count_blocks();
  void lower_to(Local& known, Local node) const;
  template <class F>
  void for_nodes(F&& f);
  template <class F>
  void for_trees(F&& f);

  const Graph& graph_;
  World& world_;
  Team& team_;
  const std::size_t active_;  // masters that have lists
  Array<Local> dense_;        // [local] over several ranks
  std::vector<Vertex> ids_;   // [node] over several ranks
  DisjointSets sets_;
  PreorderForest forest_;
  Array<Reach> reach_;                  // [position]
  VertexBits is_fenced_;                // [position]
  Array<Local> block_;                  // [node]
  Array<Local> head_, least_, others_;  // [block]
  Array<Local> blocks_;                 // [node]
};

}  // namespace atl
