// SPDX-License-Identifier: Apache-2.0
// Parents by Euler tours over ranks [1, in the header]. The vertices of the paper are pieces here.
//
//   in the paper       here               meaning
//   arc (u, v)         Arc                an edge in one direction, on the rank that has u
//   (v, u)             twin               the same edge in the other direction
//   successor          next               in the tour: after (u, v) the arc of v behind (v, u), cyclically
//   number             left               arcs from here to the end of the tour, by pointer jumping
//
// The tour of a tree begins with the root's first arc and ends before it. It goes down an edge before it goes up again,
// so of an arc and its twin the one with more arcs left goes down.
#include <algorithm>
#include <atoll/algorithms/spanning_forest/pieces.hpp>
#include <atoll/engine/fetch_values.hpp>
#include <tuple>

namespace atl {
namespace {

constexpr Vertex kEnd = -1;

template <class Key>
class EulerTours {
 public:
  EulerTours(World& world, const Blocks& blocks, const PieceForest<Key>& forest)
      : world_(world), blocks_(blocks), begin_(blocks.begin(world.rank())) {
    collect(forest.edges);
    link(forest.root);
    rank();
  }

  std::vector<PieceParent<Key>> parents() const {
    std::vector<PieceParent<Key>> parents(index(blocks_.size(world_.rank())));
    std::vector<Vertex> twins;
    for (const Arc& arc : arcs_) twins.push_back(arc.twin);
    const auto left = fetch_values<Vertex>(world_, arc_blocks_, twins, [&](Vertex arc) { return left_of(arc); });
    for (std::size_t k = 0; k < arcs_.size(); ++k)
      if (left[k] > arcs_[k].left) parents[index(arcs_[k].from - begin_)] = {false, arcs_[k].edge};
    return parents;
  }

 private:
  struct Arc {
    Vertex from, to;
    PieceEdge<Key> edge;
    Vertex twin = kEnd, next = kEnd, left = 0;
    auto ends() const { return std::tuple(from, to); }
  };
  Vertex left_of(Vertex arc) const { return arcs_[index(arc - first_arc_)].left; }

  void collect(const std::vector<PieceEdge<Key>>& edges) {
    std::vector<std::vector<PieceEdge<Key>>> outgoing(static_cast<std::size_t>(world_.size()));
    for (const PieceEdge<Key>& edge : edges) {
      outgoing[blocks_.owner(edge.piece_a)].push_back(edge);
      outgoing[blocks_.owner(edge.piece_b)].push_back({edge.key, edge.b, edge.a, edge.piece_b, edge.piece_a});
    }
    for (const auto& part : world_.exchange(std::move(outgoing)))
      for (const PieceEdge<Key>& edge : part) arcs_.push_back({.from = edge.piece_a, .to = edge.piece_b, .edge = edge});
    std::sort(arcs_.begin(), arcs_.end(), [](const Arc& x, const Arc& y) { return x.ends() < y.ends(); });
    std::vector<Vertex> first{0};
    for (const Vertex count : world_.all_gather(static_cast<Vertex>(arcs_.size())))
      first.push_back(first.back() + count);
    arc_blocks_ = Blocks(std::move(first));
    first_arc_ = arc_blocks_.begin(world_.rank());
  }

  // The rank that has (v, u) knows what follows (u, v).
  void link(const std::vector<Vertex>& root) {
    struct Link {
      Vertex from, to, twin, next;
    };
    std::vector<std::vector<Link>> outgoing(static_cast<std::size_t>(world_.size()));
    for (std::size_t k = 0, first = 0; k < arcs_.size(); ++k) {
      const Arc& arc = arcs_[k];
      if (arcs_[first].from != arc.from) first = k;
      const bool is_last = k + 1 == arcs_.size() || arcs_[k + 1].from != arc.from;
      const bool ends = is_last && root[index(arc.from - begin_)] == arc.from;
      const Vertex next = ends ? kEnd : first_arc_ + static_cast<Vertex>(is_last ? first : k + 1);
      outgoing[blocks_.owner(arc.to)].push_back({arc.to, arc.from, first_arc_ + static_cast<Vertex>(k), next});
    }
    for (const auto& part : world_.exchange(std::move(outgoing)))
      for (const Link& link : part) {
        Arc& arc = *std::lower_bound(arcs_.begin(), arcs_.end(), std::tuple(link.from, link.to),
                                     [](const Arc& x, const auto& ends) { return x.ends() < ends; });
        arc.twin = link.twin;
        arc.next = link.next;
        arc.left = link.next == kEnd ? 0 : 1;
      }
  }

  void rank() {
    struct Step {
      Vertex next, left;
    };
    std::vector<std::size_t> walking;
    for (std::size_t k = 0; k < arcs_.size(); ++k)
      if (arcs_[k].next != kEnd) walking.push_back(k);
    while (world_.any(!walking.empty())) {
      std::vector<Vertex> nexts;
      for (const std::size_t k : walking) nexts.push_back(arcs_[k].next);
      const auto steps = fetch_values<Step>(world_, arc_blocks_, nexts, [&](Vertex arc) {
        return Step{arcs_[index(arc - first_arc_)].next, left_of(arc)};
      });
      for (std::size_t i = 0; i < walking.size(); ++i) {
        arcs_[walking[i]].next = steps[i].next;
        arcs_[walking[i]].left += steps[i].left;
      }
      std::erase_if(walking, [&](std::size_t k) { return arcs_[k].next == kEnd; });
    }
  }

  World& world_;
  const Blocks& blocks_;
  const Vertex begin_;
  std::vector<Arc> arcs_;  // of the vertices of this rank's block, in their order
  Blocks arc_blocks_;      // numbers of arcs, over the ranks
  Vertex first_arc_ = 0;
};

}  // namespace

template <class Key>
std::vector<PieceParent<Key>> root_by_euler_tours(World& world, const Blocks& blocks, const PieceForest<Key>& forest) {
  return EulerTours<Key>(world, blocks, forest).parents();
}

template std::vector<PieceParent<std::uint32_t>> root_by_euler_tours(World&, const Blocks&,
                                                                     const PieceForest<std::uint32_t>&);
template std::vector<PieceParent<std::uint64_t>> root_by_euler_tours(World&, const Blocks&,
                                                                     const PieceForest<std::uint64_t>&);

}  // namespace atl
