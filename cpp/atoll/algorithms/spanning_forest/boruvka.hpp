// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/algorithms/spanning_forest/weight_keys.hpp>
#include <atomic>
#include <bit>
#include <limits>
#include <utility>
#include <vector>

/// Boruvka's rounds over the threads of one rank. Used by class SpanningForest.
///
///     Boruvka<std::uint32_t, Order> rounds(team, n, begins, capacity, order, weighted);   // allocates buffers once
///     rounds.start();
///     rounds.choose(edge);                          // any thread: an edge that is known to be in the forest
///     rounds.run([](const auto& edge) { return true; }, [&](std::size_t segment, auto&& consider) {
///       consider(KeyedEdge<std::uint32_t>{key, a, b});            // every edge, each once; by segments
///     });
///     rounds.chosen();                              // edges of the forest
///     rounds.tree(v);                               // the vertex of its tree with the smallest number
///
/// A round: every tree finds its first edge to another tree, and is linked by it. `order(v)` ascends by the vertices'
/// ids and breaks ties of keys: then two trees that choose each other choose the same edge, and no cycle can arise, in
/// whatever order threads link. Trees are sets of a union-find whose roots are linked to smaller numbers by
/// compare-and-swap.
///
/// The edges that join two trees lie in segments, which threads take as they come and shorten in place. A tree's first
/// edge is the leading bits of its key and its position in one word, so that most edges are refused without a look at
/// the edge that is first so far.
namespace atl {

template <class Key, class Order>
class Boruvka {
 public:
  using Edge = KeyedEdge<Key>;

  /// Segment s has the positions from begins[s] to begins[s + 1] of `capacity`; there are begins.size() - 1.
  Boruvka(Team& team, std::size_t vertices, std::vector<std::size_t> begins, Order order, bool weighted)
      : team_(team),
        order_(std::move(order)),
        weighted_(weighted),
        order_shift_(std::max(0, static_cast<int>(std::bit_width(vertices)) - kPrefixBits)),
        parent_(vertices),
        first_(vertices),
        begins_(std::move(begins)),
        edges_(begins_.back()),
        threads_(static_cast<std::size_t>(team.size())) {}

  void start() {
    team_.for_range(parent_.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v) {
        parent_[v] = static_cast<Local>(v);
        first_[v] = kNone;
      }
    });
    ends_.assign(begins_.begin(), begins_.end() - 1);
    chosen_.clear();
  }

  bool choose(const Edge& edge) {
    if (!unite(edge.a, edge.b)) return false;
    threads_[Team::this_thread()].chosen.push_back(edge);
    return true;
  }

  /// Links trees by their first edges as long as may_link(edge). May be called again: then with the edges that are left
  /// and others, which must come after all that any call before has linked. An edge that may not link holds its trees
  /// up. So few may link in each of many rounds; then trees are left as they are.
  template <class MayLink, class ForEdges>
  void run(MayLink&& may_link, ForEdges&& for_edges) {
    compress(parent_.size(), [](std::size_t v) { return v; });
    reconsider(for_edges);
    roots_.clear();
    for (std::size_t v = 0; v < parent_.size(); ++v)
      if (first_[v] != kNone) roots_.push_back(static_cast<Local>(v));
    for (bool goes_on = true; goes_on && !roots_.empty();) {
      goes_on = link_trees(may_link) * kFewOf >= roots_.size();
      compress(roots_.size(), [&](std::size_t k) { return index(roots_[k]); });
      compress(parent_.size(), [](std::size_t v) { return v; });
      reconsider([](std::size_t, auto&&) {});
      std::erase_if(roots_, [&](Local v) { return first_[v] == kNone; });
    }
    for (const Local root : roots_) first_[root] = kNone;
    for (Thread& thread : threads_) {
      chosen_.insert(chosen_.end(), thread.chosen.begin(), thread.chosen.end());
      thread.chosen.clear();
    }
  }

  /// Puts two vertices into one tree that an edge from elsewhere joins. Not while run() does.
  void join(Local a, Local b) { unite(a, b); }

  std::size_t segments() const { return begins_.size() - 1; }
  const std::vector<Edge>& chosen() const { return chosen_; }
  /// After run(): the vertex of its tree with the smallest number.
  Local tree(Local v) const { return parent_[v]; }
  std::size_t memory_bytes() const {
    return parent_.size() * (sizeof(Local) + sizeof(std::uint64_t)) + edges_.size() * sizeof(Edge) +
           chosen_.capacity() * 2 * sizeof(Edge) + roots_.capacity() * sizeof(Local);
  }

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  static constexpr int kPrefixBits = 24, kPositionBits = 64 - kPrefixBits;
  static constexpr std::size_t kGrain = 8192;
  static constexpr std::size_t kFewOf = 16;  // trees of which one at least is linked in a round
  struct alignas(128) Thread {
    std::vector<Edge> chosen;
  };

  bool is_before(const Edge& x, const Edge& y) const {
    if (x.key != y.key) return x.key < y.key;
    return std::minmax<Local>(order_(x.a), order_(x.b)) < std::minmax<Local>(order_(y.a), order_(y.b));
  }

  std::uint64_t prefix_of(const Edge& edge) const {
    if (weighted_) return static_cast<std::uint64_t>(edge.key >> (8 * sizeof(Key) - kPrefixBits));
    return static_cast<std::uint64_t>(std::min(order_(edge.a), order_(edge.b))) >> order_shift_;
  }

  // Keeps the edge at `end` if it joins two trees, which may have it as their first.
  void consider(const Edge& edge, std::size_t& end) {
    const Local a = parent_[edge.a], b = parent_[edge.b];
    if (a == b) return;
    edges_[end] = edge;
    const std::uint64_t place = prefix_of(edge) << kPositionBits | end++;
    lower_first(a, place, edge);
    lower_first(b, place, edge);
  }

  void lower_first(Local root, std::uint64_t place, const Edge& edge) {
    const std::atomic_ref<std::uint64_t> first(first_[root]);
    std::uint64_t known = first.load(std::memory_order_acquire);
    do {
      const std::uint64_t mine = place >> kPositionBits, other = known >> kPositionBits;
      if (known != kNone && (other < mine || (other == mine && !is_before(edge, edges_[position(known)])))) return;
    } while (!first.compare_exchange_weak(known, place, std::memory_order_acq_rel));
  }
  static std::size_t position(std::uint64_t place) { return place & ((std::uint64_t{1} << kPositionBits) - 1); }

  // Keeps what still joins two trees of the edges that are left, and of those that for_edges has.
  template <class ForEdges>
  void reconsider(ForEdges&& for_edges) {
    team_.for_range(segments(), 1, [&](int, std::size_t first, std::size_t last) {
      for (std::size_t s = first; s < last; ++s) {
        std::size_t end = begins_[s];
        for (std::size_t k = end; k < ends_[s]; ++k) consider(Edge(edges_[k]), end);
        for_edges(s, [&](const Edge& edge) { consider(edge, end); });
        ends_[s] = end;
      }
    });
  }

  // Returns how many trees have been linked to another.
  template <class MayLink>
  std::size_t link_trees(MayLink&& may_link) {
    std::atomic<std::size_t> linked{0};
    team_.for_range(roots_.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
      std::size_t here = 0;
      for (std::size_t k = a; k < b; ++k) {
        const Edge& edge = edges_[position(std::exchange(first_[roots_[k]], kNone))];
        if (may_link(edge)) here += choose(edge);
      }
      linked += here;
    });
    return linked;
  }

  Local load(Local v) const { return std::atomic_ref(const_cast<Local&>(parent_[v])).load(std::memory_order_relaxed); }
  Local find(Local v) {
    for (Local parent = load(v); parent != v;) {
      const Local above = load(parent);
      if (above == parent) return parent;
      std::atomic_ref(parent_[v]).store(above, std::memory_order_relaxed);  // an ancestor, whoever stores meanwhile
      v = above;
      parent = load(v);
    }
    return v;
  }
  // Makes the root of its tree the parent of each vertex(k).
  template <class VertexAt>
  void compress(std::size_t count, VertexAt&& vertex) {
    team_.for_range(count, kGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t k = a; k < b; ++k) {
        const auto v = static_cast<Local>(vertex(k));
        std::atomic_ref(parent_[v]).store(find(v), std::memory_order_relaxed);
      }
    });
  }
  bool unite(Local a, Local b) {
    for (;;) {
      a = find(a);
      b = find(b);
      if (a == b) return false;
      Local root = std::max(a, b);
      if (std::atomic_ref(parent_[root]).compare_exchange_strong(root, std::min(a, b), std::memory_order_relaxed))
        return true;
    }
  }

  Team& team_;
  const Order order_;
  const bool weighted_;
  const int order_shift_;
  Array<Local> parent_;
  Array<std::uint64_t> first_;  // [root] its first edge in this round
  std::vector<std::size_t> begins_, ends_;
  Array<Edge> edges_;
  std::vector<Local> roots_;  // trees with an edge to another
  std::vector<Thread> threads_;
  std::vector<Edge> chosen_;
};

}  // namespace atl
