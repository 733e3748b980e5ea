// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/engine/vertex_bits.hpp>
#include <atoll/graph/graph.hpp>
#include <atomic>

/// The trees of one rank's edges by Afforest: what class Components is made of.
///
///     ComponentForest forest(graph);           // buffers are made once
///     forest.link_sampled_neighbours();                         // a giant: a tree that has most vertices by a few edges of each
///     forest.tell_giant(bits);                 // the masters that are in it
///     forest.settle(bits);                     // these look at all of their edges
///     for (Local v : forest.apart()) ...       // masters with an edge that are in no giant, as far as this rank sees
///     forest.giant();                          // its root
///     forest.tree(v);                          // root of the tree of any local vertex, mirrors included
///
/// Over several ranks the mirrors whose masters were in their rank's giant, those with a bit, are one tree for each rank
/// from the start: only the first of them is looked up. It is joined to this rank's giant where any edge does so. What
/// nobody here looks at are the edges between this rank's giant and the other mirrors: their masters look at those. Masters
/// whose neighbours are all of other ranks, those remote_only, are in no tree until they have looked at an edge. Memory: 20 to
/// 24 bytes a master, 4 a mirror, beside the graph.
namespace atl {

class ComponentForest {
 public:
  explicit ComponentForest(const Graph& graph);
  ComponentForest(const ComponentForest&) = delete;
  ComponentForest& operator=(const ComponentForest&) = delete;

  void link_sampled_neighbours();
  /// After link_sampled_neighbours(): sets the bits of masters in the giant, clears those of the others; those of mirrors stay.
  void tell_giant(VertexBits& bits) const;
  /// `in_giant` has the mirrors' bits, by local number; on one rank it is not looked at.
  void settle(const VertexBits& in_giant);
  /// After settle(), where ranks' giants are left that nothing has joined: as it is, but all vertices apart look at all of
  /// their edges. Else those that a first look finds in a giant are believed to be done.
  void settle_all(const VertexBits& in_giant);

  Local giant() const { return giant_; }  ///< -1: no master has an edge
  /// After settle(): the first of the mirrors of that rank's vertices that have a bit; -1: none has.
  Local giant_of(std::size_t rank) const { return giants_[rank]; }
  std::span<const Local> apart() const { return {apart_.data(), aparts_.load(std::memory_order_relaxed)}; }
  /// Not of a mirror with a bit: giant_of() its rank is in the tree that it is in.
  Local tree(Local v) { return find(v); }
  /// Smallest natural number of the masters in the tree of this root.
  Local lowest(Local root) const { return lowest_[static_cast<std::size_t>(root)]; }
  /// Trees apart that have masters.
  Vertex trees_apart() const { return trees_apart_; }

  /// component[natural]: the giant's is `giant`, that of masters apart label_of(root of their tree), of masters without
  /// edges their own id.
  template <class F>
  void write(Vertex giant, F&& label_of, Array<Vertex>& component);
  std::size_t memory_bytes() const;

 private:
  static constexpr std::size_t kGrain = 8192;

  void read_columns();
  void start();
  void link_round();
  void compress(std::size_t vertices);
  std::pair<Local, double> largest_tree();
  void collect_apart(Local giant);
  void adopt(const VertexBits& in_giant);
  void join_giants(const VertexBits& in_giant);
  void link_all(Local v, const VertexBits& in_giant);
  void link_rest();
  bool hangs(Local remote_only, const VertexBits& in_giant) const {
    return in_giant.test(second_[static_cast<std::size_t>(remote_only)]);
  }
  void hang(const VertexBits& in_giant);
  void detach(const VertexBits& in_giant);
  std::size_t owner(Local mirror) const;
  Local giant_at(Local mirror) const { return giants_[owner(mirror)]; }
  bool giants_are_joined();
  void link_apart(const VertexBits& in_giant);
  void finish(const VertexBits& in_giant);
  void label_apart();
  void write_giant(Vertex giant, Array<Vertex>& component) const;
  Vertex first_natural_of(Local giant, const VertexBits& in_giant);

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
  const std::size_t active_;
  const std::size_t first_mirror_;      // to the end
  Array<Local> first_;                  // [active] the smaller of it and its first neighbours
  Array<Local> second_;                 // [active] its second neighbour, or itself; where the first is a mirror, that
  mutable Array<Local> parent_;         // [local] in the tree: never above the vertex itself
  Array<Local> lowest_;                 // [root] smallest natural number of the tree
  Array<Local> apart_;                  // active vertices outside the largest tree
  std::vector<Local> abroad_;           // masters without a neighbour here
  VertexBits near_;                     // the other active ones
  bool hangs_on_hubs_ = false;          // nearly all vertices have a hub as first neighbour
  bool mirrors_are_linked_ = false;     // some, by a neighbour round
  bool scattered_ = false;              // one rank, and no tree has most vertices: all are apart
  std::atomic<std::size_t> aparts_{0};  // how many
  std::size_t hung_ = 0;                // as many behind them hang on a mirror in a giant
  bool abroad_hang_ = false;            // so do those remote_only that are not among them
  Local giant_ = -1;
  std::vector<Local> giants_;  // [rank] first mirror of its giant; -1: none
  Vertex trees_apart_ = 0;
};

template <class F>
void ComponentForest::write(Vertex giant, F&& label_of, Array<Vertex>& component) {
  write_giant(giant, component);
  team_.for_range(aparts_, kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t i = a; i < b; ++i)
      component[static_cast<std::size_t>(graph_.natural_of(apart_[i]))] = label_of(load(apart_[i]));
  });
}

inline Local ComponentForest::root_of(Local v) const {
  for (Local above; (above = load(v)) != v;) v = above;
  return v;
}

// The root of v's tree; the way there is shortened. Others may link roots and shorten meanwhile: what is written is an
// ancestor, and only while the number is above it: an ancestor below it would become its own descendant.
inline Local ComponentForest::find(Local v) {
  const Local parent = load(v), root = root_of(parent);
  for (Local p = parent; p > root; p = load(v)) {
    store(v, root);
    v = p;
  }
  return root;
}

// Joins the trees of u and v by Rem's algorithm [1]: of the two, that with the higher parent is hung on the other's, and
// its old parent is the next one to join. So ways get shorter while they are walked. Of two threads that hang the same
// vertex elsewhere each goes on to join what it was taken from, so plain stores do; a root is hung once.
// [1] M. M. A. Patwary, J. Blair, F. Manne. "Experiments on union-find algorithms for the disjoint-set data structure."
// SEA 2010.
inline void ComponentForest::link(Local u, Local v) {
  Local p = load(u), q = load(v);
  while (p != q) {
    // Without a branch: which is higher is a matter of chance.
    const Local swap = -static_cast<Local>(p < q), ends = (u ^ v) & swap, parents = (p ^ q) & swap;
    u ^= ends;
    v ^= ends;
    p ^= parents;
    q ^= parents;
    if (p == u) {
      if (std::atomic_ref(parent_[static_cast<std::size_t>(u)]).compare_exchange_strong(p, q)) return;
    } else {
      store(u, q);
      u = p;
      p = load(u);
    }
  }
}

}  // namespace atl
