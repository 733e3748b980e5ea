// SPDX-License-Identifier: Apache-2.0
// Connected components by Afforest [1]: link a few neighbours of every vertex, find the tree that has most of them, and
// look at all edges only of the vertices outside it.
//
//   in the paper        here              meaning
//   pi                  parent_           a forest, parent <= vertex; roots point to themselves
//   Link, Compress      link, compress
//   neighbour rounds    start, then link_round: components_forest_rounds.cpp
//   c, sampled          giant             root of the largest tree so far
//
// Deviation: the first round is not linked but written, pi(v) = min(v, first neighbour). Lists are sorted by local
// number and the hubs have the smallest ones, so on skewed graphs a vertex's first neighbour is its largest hub, and
// the forest of one round has nearly everything in one tree: no compare-and-swap, no second round. Where the sample
// says otherwise (uniform graphs) one of the paper's rounds follows.
//
// [1] M. Sutton, T. Ben-Nun, A. Barak. "Optimizing parallel graph connectivity computation via subgraph sampling."
// IPDPS 2018.
#include <algorithm>
#include <atoll/algorithms/components/forest.hpp>
#include <tuple>
#include <utility>

namespace atl {
namespace {

// A tree with so large a part of the sample is worth skipping; below, another round is cheaper.
constexpr double kGiant = 0.5;

std::size_t index(Local v) { return static_cast<std::size_t>(v); }

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
      apart_(active_),
      near_(graph.active()),
      giants_(graph.world().size() == 1 ? 0 : static_cast<std::size_t>(graph.world().size()), -1) {
  read_columns();
}

void ComponentForest::link_sampled_neighbours() {
  aparts_ = 0;
  hung_ = 0;
  abroad_hang_ = mirrors_are_linked_ = scattered_ = false;
  trees_apart_ = 0;
  giant_ = -1;
  start();
  if (active_ == 0) return;
  auto [giant, share] = largest_tree();
  if (share < kGiant) {
    link_round();
    mirrors_are_linked_ = !giants_.empty();
    compress(active_);
    std::tie(giant, share) = largest_tree();
    scattered_ = giants_.empty() && share < kGiant;
  }
  giant_ = giant;
  collect_apart(scattered_ ? -1 : giant);
}

// The masters outside the giant look at all of their edges; then every tree's lowest.
void ComponentForest::settle(const VertexBits& in_giant) {
  if (!giants_.empty()) adopt(in_giant);
  if (active_ == 0) return;
  if (!giants_.empty()) hang(in_giant);
  finish(in_giant);
}

void ComponentForest::settle_all(const VertexBits& in_giant) {
  if (active_ == 0) return;
  detach(in_giant);
  finish(in_giant);
}

void ComponentForest::finish(const VertexBits& in_giant) {
  link_apart(in_giant);
  if (!giants_.empty()) join_giants(in_giant);
  giant_ = find(giant_);
  // Whoever hangs on a giant is in this rank's own, or in a tree apart.
  if (!giants_are_joined()) detach(in_giant);
  label_apart();
  lowest_[index(giant_)] = static_cast<Local>(first_natural_of(giant_, in_giant));
}

// An edge between the giant and the others is in a list of the other end, whatever its direction. On one rank whoever is
// seen in the giant's tree needs no look: if the other end is not in it, that one looks.
void ComponentForest::link_apart(const VertexBits& in_giant) {
  if (scattered_) return link_rest();
  const bool alone = giants_.empty();
  team_.for_range(aparts_, kGrain / 16, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t i = a; i < b; ++i)
      if (!alone || find(apart_[i]) != giant_) link_all(apart_[i], in_giant);
  });
}

// Every edge once: of an undirected one the higher end looks, and what the rounds have linked is left out.
void ComponentForest::link_rest() {
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
    Local end = 0;  // of the mirrors in a giant that v has joined: those of a rank are in a row
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
  // Rising: a parent is below its vertex, so most ways are one step.
  team_.for_range(vertices, kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) find(static_cast<Local>(v));
  });
}

std::size_t ComponentForest::memory_bytes() const {
  return (first_.size() + second_.size() + parent_.size() + lowest_.size() + apart_.size() + abroad_.size()) *
         sizeof(Local);
}

}  // namespace atl
