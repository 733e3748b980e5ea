// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/components.hpp>
#include <atomic>

/// Connected components on one rank: what class Components does there. Memory: 20 bytes a vertex beside the graph.
namespace atl {

class ComponentsLocal {
 public:
  /// InputError if the graph is spread over several ranks.
  explicit ComponentsLocal(const Graph& graph);
  ComponentsLocal(const ComponentsLocal&) = delete;
  ComponentsLocal& operator=(const ComponentsLocal&) = delete;

  void run(ComponentsResult& result);
  std::size_t memory_bytes() const;

 private:
  void start();
  void link_round();
  void compress(std::size_t vertices);
  /// The root of the largest tree, as a sample shows it, and its share of the sample.
  std::pair<Local, double> largest_tree();
  void collect_apart(Local giant);
  void link_apart(Local giant);
  Vertex label_apart(Local root);
  Vertex first_natural_of(Local giant) const;
  void write(Local root, Array<Vertex>& component);

  Local load(Local v) const {
    return std::atomic_ref(parent_[static_cast<std::size_t>(v)]).load(std::memory_order_relaxed);
  }
  void store(Local v, Local p) {
    std::atomic_ref(parent_[static_cast<std::size_t>(v)]).store(p, std::memory_order_relaxed);
  }
  Local root_of(Local v) const;
  Local find(Local v);
  void link(Local u, Local v);

  const Graph& graph_;
  Team& team_;
  Array<Local> first_;                  // [active] the smaller of it and its first neighbours
  Array<Local> second_;                 // [active] its second neighbour, or itself
  mutable Array<Local> parent_;         // [active] in the tree: never above the vertex itself
  Array<Local> lowest_;                 // [root] smallest natural number of the tree
  Array<Local> apart_;                  // active vertices outside the largest tree
  bool hangs_on_hubs_ = false;          // nearly all vertices have a hub as first neighbour
  std::atomic<std::size_t> aparts_{0};  // how many
};

}  // namespace atl
