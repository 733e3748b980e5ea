// SPDX-License-Identifier: Apache-2.0
// Connected components over ranks: each finds a tree with most of its vertices, its giant, by a few edges of each [1].
// A bit for each mirror says whether its master is in its rank's giant: so the vertices apart, when they look at all of
// their edges, join those of all ranks. Every tree has a name: a giant's is its rank's number; of any other, a number
// above those. A rank tells the others the names of its vertices that are in no giant: so all ranks together know which
// trees an edge joins. The few pairs that are left to join are united over a tree of ranks; were they too many for the one
// at its top, the trees pass the least name on, from tree to tree.
//
//   in the paper        here              meaning
//   pi, Link, Compress  forest_           trees of this rank's edges
//   c                   forest_.giant()   tree whose vertices do not look at all of their edges
//                       in_giant_         of every vertex, mirrors included: it is in its rank's giant, and was early
//                       names_            which trees the edges between ranks join, by name; components_names.cpp
// A vertex apart that hangs on a giant of another rank by its first edge is believed to be done. An edge between two such
// is then seen by neither rank: where giants are left that nothing has joined, all edges are looked at after all.
//
// [1] M. Sutton, T. Ben-Nun, A. Barak. "Optimizing parallel graph connectivity computation via subgraph sampling."
// IPDPS 2018.
#include <atoll/algorithms/components/labels.hpp>
#include <atoll/algorithms/components/vertex_cut.hpp>
#include <atoll/engine/mirror_bits.hpp>

namespace atl {

class Components::Search {
 public:
  virtual ~Search() = default;
  virtual void run(ComponentsResult& result) = 0;
  virtual std::size_t memory_bytes() const = 0;
};

class Components::OneRank final : public Search {
 public:
  explicit OneRank(const Graph& graph) : graph_(graph), forest_(graph) {}

  void run(ComponentsResult& result) override {
    forest_.link_sampled_neighbours();
    forest_.settle(none_);
    const Local giant = forest_.giant();
    const auto id = [&](Local root) { return graph_.ids().id_of(forest_.lowest(root)); };
    forest_.write(giant >= 0 ? id(giant) : kNoVertex, id, result.component);
    result.components = graph_.owned() - graph_.active() + (giant >= 0) + forest_.trees_apart();
  }
  std::size_t memory_bytes() const override { return forest_.memory_bytes(); }

 private:
  const Graph& graph_;
  ComponentForest forest_;
  const VertexBits none_{0};  // no mirrors
};

class Components::OnVertexCut final : public Search {
 public:
  explicit OnVertexCut(const Graph& graph) : cut_(graph) {}
  void run(ComponentsResult& result) override { cut_.run(result); }
  std::size_t memory_bytes() const override { return cut_.memory_bytes(); }

 private:
  ComponentsCut cut_;
};

class Components::Distributed final : public Search {
 public:
  explicit Distributed(const Graph& graph)
      : graph_(graph),
        world_(graph.world()),
        forest_(graph),
        names_(graph, forest_),
        mirror_bits_(graph),
        in_giant_(graph.locals()) {}

  void run(ComponentsResult& result) override {
    forest_.link_sampled_neighbours();
    forest_.tell_giant(in_giant_);
    mirror_bits_.broadcast(in_giant_);
    forest_.settle(in_giant_);
    join_trees();
    if (!names_.giants_are_joined()) {
      names_.forget();
      forest_.settle_all(in_giant_);
      join_trees();
    }
    names_.write(result);
  }

  std::size_t memory_bytes() const override {
    return forest_.memory_bytes() + names_.memory_bytes() + mirror_bits_.memory_bytes();
  }

 private:
  void join_trees() {
    names_.learn(in_giant_);
    if (names_.pair_bytes() <= static_cast<double>(world_.plan().replicated_bytes)) {
      names_.join_all();
    } else {
      names_.join_giants();
      names_.pass_on();
      names_.join_giants();
    }
  }

  const Graph& graph_;
  World& world_;
  ComponentForest forest_;
  ComponentLabels names_;
  MirrorBits mirror_bits_;
  VertexBits in_giant_;
};

Components::Components(const Graph& graph) {
  if (graph.world().size() == 1) {
    search_ = std::make_unique<OneRank>(graph);
  } else if (graph.cut().cut() != Cut::edge) {
    search_ = std::make_unique<OnVertexCut>(graph);
  } else {
    search_ = std::make_unique<Distributed>(graph);
  }
}

Components::~Components() = default;

void Components::run(ComponentsResult& result) { search_->run(result); }

std::size_t Components::memory_bytes() const { return search_->memory_bytes(); }

}  // namespace atl
