// SPDX-License-Identifier: Apache-2.0
// Connected components over ranks, by Afforest [1], along the edge-cut: a vertex-cut's forms would have to look at every
// edge, which took 100 times as long on Kronecker 18. Each rank links a sample of its edges; the largest resulting tree
// is its giant component (the giant). Ranks broadcast one bit per vertex: whether it is in its owner's giant. The
// vertices outside the giant then link all of their edges, including those to remote giants. Every tree has a label: a
// giant's is its rank, that of any other tree is a larger number. Ranks broadcast the labels of vertices outside their
// giant, so the owner of one end of an edge knows which trees the edge joins. The few pairs of trees that are left are
// united over a tree of ranks; if the pairs exceed the memory of its root, the least label is propagated from tree to
// tree instead.
//
//   in the paper        here              meaning
//   pi, Link, Compress  forest_           trees of this rank's edges
//   c                   forest_.giant()   tree whose vertices skip most of their edges
//                       in_giant_         for every vertex, mirrors included: it is in its owner's giant after sampling
//                       labels_           which trees the edges between ranks join, by label; labels.cpp
// A vertex outside the giant component whose first edge reaches a remote giant is assumed finished. An edge between two
// such vertices is then linked by neither rank, so if some giants stay unconnected, all edges are linked after all.
//
// [1] M. Sutton, T. Ben-Nun, A. Barak. "Optimizing parallel graph connectivity computation via subgraph sampling."
// IPDPS 2018.
#include <atoll/algorithms/components/labels.hpp>
#include <atoll/engine/mirror_bits.hpp>
#include <optional>

namespace atl {

class Components::Search {
 public:
  explicit Search(const Graph& graph)
      : graph_(graph), forest_(graph), in_giant_(graph.world().size() == 1 ? 0 : graph.locals()) {
    if (graph.world().size() == 1) return;
    labels_.emplace(graph, forest_);
    mirror_bits_.emplace(graph);
  }

  void run(ComponentsResult& result) {
    forest_.link_sampled_neighbours();
    labels_ ? run_over_ranks(result) : run_alone(result);
  }

  std::size_t memory_bytes() const {
    return forest_.memory_bytes() + (labels_ ? labels_->memory_bytes() + mirror_bits_->memory_bytes() : 0);
  }

 private:
  void run_alone(ComponentsResult& result) {
    forest_.link_remaining(in_giant_);
    const Local giant = forest_.giant();
    const auto id = [&](Local root) { return graph_.ids().id_of(forest_.lowest(root)); };
    forest_.write(giant >= 0 ? id(giant) : kNoVertex, id, result.component);
    result.components = graph_.owned() - graph_.active() + (giant >= 0) + forest_.trees_outside_giant();
  }

  void run_over_ranks(ComponentsResult& result) {
    forest_.mark_giant(in_giant_);
    mirror_bits_->broadcast(in_giant_);
    forest_.link_remaining(in_giant_);
    join_trees();
    if (!labels_->giants_are_joined()) {
      labels_->reset();
      forest_.link_all_remaining(in_giant_);
      join_trees();
    }
    labels_->write(result);
  }

  void join_trees() {
    labels_->exchange(in_giant_);
    if (labels_->pair_bytes() <= static_cast<double>(graph_.world().plan().replicated_bytes)) {
      labels_->join_all();
    } else {
      labels_->join_giants();
      labels_->propagate();
      labels_->join_giants();
    }
  }

  const Graph& graph_;
  ComponentForest forest_;
  VertexBits in_giant_;
  // Over several ranks.
  std::optional<ComponentLabels> labels_;
  std::optional<MirrorBits> mirror_bits_;
};

Components::Components(const Graph& graph) : search_(std::make_unique<Search>(graph)) {}

Components::~Components() = default;

void Components::run(ComponentsResult& result) { search_->run(result); }

std::size_t Components::memory_bytes() const { return search_->memory_bytes(); }

}  // namespace atl
