// SPDX-License-Identifier: Apache-2.0
// Connected components by Afforest [1]: link a few neighbours of every vertex, find the tree that has most of them, and
// look at all edges only of the vertices outside it.
//
//   in the paper        here              meaning
//   pi                  parent_           a forest, parent <= vertex; roots point to themselves
//   Link, Compress      link, compress
//   neighbour rounds    start, then link_round: forest_rounds.cpp
//   c, sampled          giant             root of the largest tree so far
//
// Deviation: the first round stores pi(v) = min(v, first neighbour) instead of linking. Lists are sorted by local
// number and hubs have the smallest numbers, so on skewed graphs a vertex's first neighbour is its largest hub, and
// one round without compare-and-swap puts nearly all vertices into one tree. If the sample shows otherwise (uniform
// graphs), one of the paper's rounds follows.
//
// [1] M. Sutton, T. Ben-Nun, A. Barak. "Optimizing parallel graph connectivity computation via subgraph sampling."
// IPDPS 2018.
#include <algorithm>
#include <atoll/algorithms/components/forest.hpp>
#include <tuple>
#include <utility>

namespace atl {
namespace {

// The giant must have at least this fraction of the sample for skipping its edges to pay; below, another round is
// cheaper.
constexpr double kGiant = 0.5;

}  // namespace

ComponentForest::ComponentForest(const Graph& graph)
    : graph_(graph),
      team_(graph.world().team()),
      active_(index(graph.active())),
      first_mirror_(graph.world().size() == 1 ? active_ : index(graph.mirrors().begin[0])),
      first_(active_),
      second_(active_),
      parent_(graph.world().size() == 1 ? active_ : index(graph.locals())),
      lowest_(active_),
      outside_giant_(active_),
      has_local_neighbour_(graph.active()),
      giants_(graph.world().size() == 1 ? 0 : static_cast<std::size_t>(graph.world().size()), -1) {
  read_columns();
}

void ComponentForest::link_sampled_neighbours() {
  outside_count_ = 0;
  attached_ = 0;
  remote_only_attached_ = mirrors_are_linked_ = no_giant_ = false;
  trees_outside_giant_ = 0;
  giant_ = -1;
  start();
  if (active_ == 0) return;
  auto [giant, share] = largest_tree();
  if (share < kGiant) {
    link_round();
    mirrors_are_linked_ = !giants_.empty();
    compress(active_);
    std::tie(giant, share) = largest_tree();
    no_giant_ = giants_.empty() && share < kGiant;
  }
  giant_ = giant;
  collect_outside_giant(no_giant_ ? -1 : giant);
}

// The masters outside the giant link all of their edges; then finds the smallest owned index of every tree.
void ComponentForest::link_remaining(const VertexBits& in_giant) {
  if (!giants_.empty()) merge_giant_mirrors(in_giant);
  if (active_ == 0) return;
  if (!giants_.empty()) attach(in_giant);
  finish(in_giant);
}

void ComponentForest::link_all_remaining(const VertexBits& in_giant) {
  if (active_ == 0) return;
  detach(in_giant);
  finish(in_giant);
}

void ComponentForest::finish(const VertexBits& in_giant) {
  link_outside_giant(in_giant);
  if (!giants_.empty()) join_giants(in_giant);
  giant_ = find(giant_);
  // Afterwards a vertex attached to a remote giant is in this rank's giant, or is listed in outside_giant_.
  if (!giants_are_joined()) detach(in_giant);
  label_outside_giant();
  lowest_[giant_] = static_cast<Local>(first_owned_index_of(giant_, in_giant));
}

// Every edge between the giant and another vertex is in one of that vertex's lists, whatever its direction, so vertices
// outside the giant suffice. On one rank a vertex that has joined the giant meanwhile is skipped: if the other end of
// one of its edges is outside, that end links the edge.
void ComponentForest::link_outside_giant(const VertexBits& in_giant) {
  if (no_giant_) return link_every_edge();
  const bool one_rank = giants_.empty();
  team_.for_range(outside_count_, kGrain / 16, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t i = a; i < b; ++i)
      if (!one_rank || find(outside_giant_[i]) != giant_) link_all(outside_giant_[i], in_giant);
  });
}

// Links every edge once: an undirected edge from its larger end, without the edges that the rounds have linked.
void ComponentForest::link_every_edge() {
  team_.for_range(active_, kGrain / 16, [&](int, std::size_t a, std::size_t b) {
    for (auto v = static_cast<Local>(a); v < static_cast<Local>(b); ++v) {
      const std::span<const Local> list = graph_.out().neighbours(v);
      if (graph_.directed()) {
        for (const Local u : list) link(v, u);
      } else {
        for (std::size_t i = 2; i < list.size() && list[i] < v; ++i) link(v, list[i]);
      }
    }
  });
}

void ComponentForest::link_all(Local v, const VertexBits& in_giant) {
  const auto link_list = [&](std::span<const Local> list) {
    Local end = 0;  // of the mirrors of the rank whose giant v has joined last; a rank's mirrors are contiguous
    for (const Local u : list) {
      if (index(u) < first_mirror_ || !in_giant.test(u)) {
        link(v, u);
      } else if (u >= end) {
        const std::size_t rank = owner(u);
        link(v, giants_[rank]);
        end = graph_.mirrors().begin[rank] + graph_.mirrors().count[rank];
      }
    }
  };
  link_list(graph_.out().neighbours(v));
  if (graph_.directed()) link_list(graph_.in().neighbours(v));
}

void ComponentForest::compress(std::size_t vertices) {
  // In ascending order: parents are smaller and compressed already, so most paths have one step.
  team_.for_range(vertices, kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) find(static_cast<Local>(v));
  });
}

std::size_t ComponentForest::memory_bytes() const {
  return (first_.size() + second_.size() + parent_.size() + lowest_.size() + outside_giant_.size() +
          remote_only_.size()) *
         sizeof(Local);
}

}  // namespace atl
