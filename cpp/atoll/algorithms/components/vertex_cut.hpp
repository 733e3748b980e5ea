// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/components/components.hpp>
#include <atoll/engine/mirror_exchange.hpp>
#include <unordered_map>
#include <vector>

/// The form of class Components for a graph whose cut() is a vertex-cut. Memory beside the graph and the cut: 28 bytes
/// a local vertex.
namespace atl {

class VertexCutComponents {
 public:
  /// Collective.
  explicit VertexCutComponents(const Graph& graph);
  VertexCutComponents(const VertexCutComponents&) = delete;
  VertexCutComponents& operator=(const VertexCutComponents&) = delete;

  /// Collective.
  void run(ComponentsResult& result);
  std::size_t memory_bytes() const;

 private:
  /// Unsigned 64 bits: ids have 63 bits, and names of giants (ranks) come before those of ids.
  using Name = std::uint64_t;
  struct Pair {
    Name one, other;
    auto operator<=>(const Pair&) const = default;
  };

  void grow_trees();
  void link(Local u, Local v);
  Local largest_tree() const;
  Name name_of(Local root) const;
  std::vector<Pair> broadcast_names();
  void join(const std::vector<Pair>& pairs);
  void propagate();
  void receive_from_members();
  void send_to_members();
  void write(ComponentsResult& result);

  const Graph& graph_;
  World& world_;
  Team& team_;
  const VertexCut& cut_;
  MirrorExchange<Vertex, MinOf> exchange_;
  const std::size_t locals_;
  const Name ranks_;
  Array<Vertex> id_;     // [local]
  Array<Local> tree_;    // [local] root of its tree
  Array<Vertex> label_;  // [local] names of trees while they are broadcast; then least ids
  Array<Vertex> least_;  // [root] least id that the tree is known to be joined to
  VertexBits changed_;   // labels that changed since the last exchange
  Local giant_ = 0;      // root of this rank's largest tree
};

}  // namespace atl
