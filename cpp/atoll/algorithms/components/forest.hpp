// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/engine/vertex_bits.hpp>
#include <atoll/graph/graph.hpp>
#include <atomic>

/// A union-find forest over one rank's edges, built by Afforest; used by class Components.
///
///     ComponentForest forest(graph);            // allocates buffers once
///     forest.link_sampled_neighbours();         // links a few edges of each vertex; the largest tree is the giant
///     forest.mark_giant(bits);                  // sets the bits of masters in the giant
///     forest.link_remaining(bits);              // the other masters link all of their edges
///     for (Local v : forest.outside_giant()) ...// masters with an edge that were not in the giant after sampling
///     forest.giant();                           // root of the giant
///     forest.tree(v);                           // root of the tree of any local vertex, mirrors included
///
/// Over several ranks, the mirrors whose masters are in their owner's giant (those with a bit) form one tree for each
/// owner from the start, represented by the first of them. It is linked to this rank's giant where an edge joins the
/// two. This rank does not link edges between its giant and other mirrors: their masters, being outside their giant,
/// link those edges. Masters whose neighbours are all remote (remote_only_) are in no tree until they have linked an
/// edge. Memory: 20 to 24 bytes a master, 4 a mirror, beside the graph.
namespace atl {

class ComponentForest {
 public:
  explicit ComponentForest(const Graph& graph);
  ComponentForest(const ComponentForest&) = delete;
  ComponentForest& operator=(const ComponentForest&) = delete;

  void link_sampled_neighbours();
  /// After link_sampled_neighbours(): sets the bits of masters in the giant and clears those of other masters. Bits of
  /// mirrors stay.
  void mark_giant(VertexBits& bits) const;
  /// `in_giant` has the mirrors' bits, by local number; unused on one rank.
  void link_remaining(const VertexBits& in_giant);
  /// For use after link_remaining() if giants of some ranks are still unconnected. link_remaining() assumes that a
  /// vertex whose first edge reaches a remote giant is finished; this one links all edges of those vertices too.
  void link_all_remaining(const VertexBits& in_giant);

  Local giant() const { return giant_; }  ///< -1: no master has an edge
  /// After link_remaining(): the first mirror of that rank's vertices whose bit is set; -1: there is none.
  Local giant_of(std::size_t rank) const { return giants_[rank]; }
  std::span<const Local> outside_giant() const {
    return {outside_giant_.data(), outside_count_.load(std::memory_order_relaxed)};
  }
  /// Not for a mirror whose bit is set: use tree(giant_of(its owner)).
  Local tree(Local v) { return find(v); }
  /// Smallest owned index of the masters in the tree of this root.
  Local lowest(Local root) const { return lowest_[root]; }
  /// Number of trees other than the giant whose root is a master.
  Vertex trees_outside_giant() const { return trees_outside_giant_; }

  /// Writes component[owned index]: `giant` for masters in the giant, label_of(root of their tree) for masters outside
  /// it, their own id for masters without edges.
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
  void collect_outside_giant(Local giant);
  void merge_giant_mirrors(const VertexBits& in_giant);
  void join_giants(const VertexBits& in_giant);
  void link_all(Local v, const VertexBits& in_giant);
  void link_every_edge();
  bool touches_remote_giant(Local remote_only, const VertexBits& in_giant) const {
    return in_giant.test(second_[remote_only]);
  }
  void attach(const VertexBits& in_giant);
  void detach(const VertexBits& in_giant);
  std::size_t owner(Local mirror) const;
  Local giant_at(Local mirror) const { return giants_[owner(mirror)]; }
  bool giants_are_joined();
  void link_outside_giant(const VertexBits& in_giant);
  void finish(const VertexBits& in_giant);
  void label_outside_giant();
  void write_giant(Vertex giant, Array<Vertex>& component) const;
  Vertex first_owned_index_of(Local giant, const VertexBits& in_giant);

  Local load(Local v) const { return std::atomic_ref(parent_[v]).load(std::memory_order_relaxed); }
  void store(Local v, Local p) { std::atomic_ref(parent_[v]).store(p, std::memory_order_relaxed); }
  Local root_of(Local v) const;
  Local find(Local v);
  void link(Local u, Local v);

  const Graph& graph_;
  Team& team_;
  const std::size_t active_;
  const std::size_t first_mirror_;   // mirrors are the local vertices from here to the end
  Array<Local> first_;               // [active] min(v, first neighbour)
  Array<Local> second_;              // [active] second neighbour, or v itself; the first neighbour if that is a mirror
  mutable Array<Local> parent_;      // [local] parent in the tree; parent <= vertex
  Array<Local> lowest_;              // [root] smallest owned index in the tree
  Array<Local> outside_giant_;       // active vertices outside the giant; then attached_ more
  std::vector<Local> remote_only_;   // active masters whose neighbours are all remote
  VertexBits has_local_neighbour_;   // the other active masters
  bool first_is_hub_ = false;        // most vertices have a hub as first neighbour
  bool mirrors_are_linked_ = false;  // link_round() has linked some mirrors
  bool no_giant_ = false;            // one rank, and no tree has most vertices: all are outside
  std::atomic<std::size_t> outside_count_{0};  // size of outside_giant_
  std::size_t attached_ = 0;                   // vertices behind those whose first edge reaches a remote giant
  bool remote_only_attached_ = false;          // so are the remote_only_ vertices that are not in outside_giant_
  Local giant_ = -1;
  std::vector<Local> giants_;  // [rank] first mirror of its giant; -1: none
  Vertex trees_outside_giant_ = 0;
};

template <class F>
void ComponentForest::write(Vertex giant, F&& label_of, Array<Vertex>& component) {
  write_giant(giant, component);
  team_.for_range(outside_count_, kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t i = a; i < b; ++i)
      component[graph_.owned_index_of(outside_giant_[i])] = label_of(load(outside_giant_[i]));
  });
}

inline Local ComponentForest::root_of(Local v) const {
  for (Local above; (above = load(v)) != v;) v = above;
  return v;
}

// The root of v's tree, with path compression. Other threads may link and compress at the same time. So find() only
// stores an ancestor that is smaller than the vertex: storing a larger one could close a cycle.
inline Local ComponentForest::find(Local v) {
  const Local parent = load(v), root = root_of(parent);
  for (Local p = parent; p > root; p = load(v)) {
    store(v, root);
    v = p;
  }
  return root;
}

// Unites the trees of u and v by Rem's algorithm [1]: the vertex with the larger parent gets the other's parent, and
// its old parent is the next to unite. So paths are compressed while they are walked. Two threads that change the same
// parent each go on to unite the parent they replaced, so plain stores suffice; a root is linked by compare-and-swap.
// [1] M. M. A. Patwary, J. Blair, F. Manne. "Experiments on union-find algorithms for the disjoint-set data structure."
// SEA 2010.
inline void ComponentForest::link(Local u, Local v) {
  Local p = load(u), q = load(v);
  while (p != q) {
    // Branch-free: which parent is larger is unpredictable.
    const Local swap = -static_cast<Local>(p < q), ends = (u ^ v) & swap, parents = (p ^ q) & swap;
    u ^= ends;
    v ^= ends;
    p ^= parents;
    q ^= parents;
    if (p == u) {
      if (std::atomic_ref(parent_[u]).compare_exchange_strong(p, q)) return;
    } else {
      store(u, q);
      u = p;
      p = load(u);
    }
  }
}

}  // namespace atl
