// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/spanning_forest/pieces.hpp>
#include <atoll/engine/fetch_values.hpp>
#include <limits>
#include <numeric>
#include <tuple>

namespace atl {
namespace {

template <class Key>
class RankedBoruvka {
 public:
  RankedBoruvka(World& world, const Blocks& blocks, std::span<const Vertex> smallest)
      : world_(world),
        blocks_(blocks),
        smallest_(smallest),
        begin_(blocks.begin(world.rank())),
        first_(index(blocks.size(world.rank())), Offer{{}, kNoVertex, kNoVertex}),
        up_(first_.size()) {
    for (std::size_t c = 0; c < up_.size(); ++c) up_[c] = begin_ + static_cast<Vertex>(c);
  }

  PieceForest<Key> run(const std::vector<PieceEdge<Key>>& edges) {
    for (const PieceEdge<Key>& edge : edges) edges_.push_back({edge, edge.piece_a, edge.piece_b});
    while (world_.any(!edges_.empty())) {
      offer();
      hook();
      jump(trees_);
      rename();
    }
    return {std::move(forest_), roots()};
  }

 private:
  // An edge, and the trees that its ends are in: each is called by one of its pieces.
  struct TreeEdge {
    PieceEdge<Key> edge;
    Vertex a, b;
  };
  // The first edge of a tree, of a rank or of all, and the tree at its other end.
  struct Offer {
    PieceEdge<Key> edge;
    Vertex tree, other;
  };
  Offer& first(Vertex tree) { return first_[index(tree - begin_)]; }
  Vertex& up(Vertex tree) { return up_[index(tree - begin_)]; }

  // Owners of trees take the first of the edges that ranks have.
  void offer() {
    std::vector<Offer> offers;
    for (const TreeEdge& edge : edges_) {
      offers.push_back({edge.edge, edge.a, edge.b});
      offers.push_back({edge.edge, edge.b, edge.a});
    }
    std::sort(offers.begin(), offers.end(), [](const Offer& x, const Offer& y) {
      return std::tuple(x.tree, x.edge.order()) < std::tuple(y.tree, y.edge.order());
    });
    std::vector<std::vector<Offer>> outgoing(static_cast<std::size_t>(world_.size()));
    Vertex before = kNoVertex;
    for (const Offer& offer : offers)
      if (std::exchange(before, offer.tree) != offer.tree) outgoing[blocks_.owner(offer.tree)].push_back(offer);
    for (const Vertex tree : trees_) first(tree).tree = kNoVertex;
    trees_.clear();
    for (const auto& part : world_.exchange(std::move(outgoing)))
      for (const Offer& offer : part) {
        Offer& known = first(offer.tree);
        if (known.tree == kNoVertex) trees_.push_back(offer.tree);
        if (known.tree == kNoVertex || offer.edge.order() < known.edge.order()) known = offer;
      }
  }

  // A tree is put below the one at the other end of its first edge; of two that have chosen each other, the edge is the
  // same, and the one with the smaller name stays on top.
  void hook() {
    std::vector<Vertex> others;
    for (const Vertex tree : trees_) others.push_back(first(tree).other);
    const auto back = fetch_values<Vertex>(world_, blocks_, others, [&](Vertex tree) { return first(tree).other; });
    for (std::size_t k = 0; k < trees_.size(); ++k) {
      const Vertex tree = trees_[k];
      if (back[k] == tree && tree < others[k]) continue;
      up(tree) = others[k];
      forest_.push_back(first(tree).edge);
    }
  }

  // Until each of these points to one on top.
  void jump(std::vector<Vertex> below) {
    std::erase_if(below, [&](Vertex tree) { return up(tree) == tree; });
    while (world_.any(!below.empty())) {
      std::vector<Vertex> parents;
      for (const Vertex tree : below) parents.push_back(up(tree));
      const auto above = fetch_values<Vertex>(world_, blocks_, parents, [&](Vertex tree) { return up(tree); });
      std::size_t left = 0;
      for (std::size_t k = 0; k < below.size(); ++k)
        if (above[k] != parents[k]) {
          up(below[k]) = above[k];
          below[left++] = below[k];
        }
      below.resize(left);
    }
  }

  // Edges take the names of the trees that theirs have joined; of those between the same two, the first is left.
  void rename() {
    std::vector<Vertex> names;
    for (const TreeEdge& edge : edges_) {
      names.push_back(edge.a);
      names.push_back(edge.b);
    }
    names = fetch_values<Vertex>(world_, blocks_, names, [&](Vertex tree) { return up(tree); });
    for (std::size_t e = 0; e < edges_.size(); ++e)
      std::tie(edges_[e].a, edges_[e].b) = std::minmax({names[2 * e], names[2 * e + 1]});
    std::erase_if(edges_, [](const TreeEdge& edge) { return edge.a == edge.b; });
    std::sort(edges_.begin(), edges_.end(), [](const TreeEdge& x, const TreeEdge& y) {
      return std::tuple(x.a, x.b, x.edge.order()) < std::tuple(y.a, y.b, y.edge.order());
    });
    edges_.erase(std::unique(edges_.begin(), edges_.end(),
                             [](const TreeEdge& x, const TreeEdge& y) { return x.a == y.a && x.b == y.b; }),
                 edges_.end());
  }

  // For each of this rank's pieces the one with the smallest vertex of its tree.
  std::vector<Vertex> roots() {
    std::vector<Vertex> all(up_.size());
    std::iota(all.begin(), all.end(), begin_);
    jump(std::move(all));
    struct Member {
      Vertex tree, smallest, piece;
      auto operator<=>(const Member&) const = default;
    };
    std::vector<Member> members;
    for (std::size_t k = 0; k < up_.size(); ++k)
      members.push_back({up_[k], smallest_[k], begin_ + static_cast<Vertex>(k)});
    std::sort(members.begin(), members.end());
    std::vector<std::vector<Member>> outgoing(static_cast<std::size_t>(world_.size()));
    Vertex before = kNoVertex;
    for (const Member& member : members)
      if (std::exchange(before, member.tree) != member.tree) outgoing[blocks_.owner(member.tree)].push_back(member);
    std::vector<Member> first(up_.size(), Member{kNoVertex, std::numeric_limits<Vertex>::max(), kNoVertex});
    for (const auto& part : world_.exchange(std::move(outgoing)))
      for (const Member& member : part)
        if (Member& known = first[index(member.tree - begin_)]; member.smallest < known.smallest) known = member;
    return fetch_values<Vertex>(world_, blocks_, up_, [&](Vertex tree) { return first[index(tree - begin_)].piece; });
  }

  World& world_;
  const Blocks& blocks_;
  const std::span<const Vertex> smallest_;  // [piece of this rank]
  const Vertex begin_;
  std::vector<TreeEdge> edges_;
  std::vector<Offer> first_;   // [piece of this rank]
  std::vector<Vertex> up_;     // [piece of this rank] the tree that it has joined; itself: on top
  std::vector<Vertex> trees_;  // called by pieces of this rank, that have an edge to another in this round
  std::vector<PieceEdge<Key>> forest_;
};

}  // namespace

template <class Key>
PieceForest<Key> boruvka_over_ranks(World& world, const Blocks& blocks, std::span<const Vertex> smallest,
                                    const std::vector<PieceEdge<Key>>& edges) {
  return RankedBoruvka<Key>(world, blocks, smallest).run(edges);
}

template PieceForest<std::uint32_t> boruvka_over_ranks(World&, const Blocks&, std::span<const Vertex>,
                                                       const std::vector<PieceEdge<std::uint32_t>>&);
template PieceForest<std::uint64_t> boruvka_over_ranks(World&, const Blocks&, std::span<const Vertex>,
                                                       const std::vector<PieceEdge<std::uint64_t>>&);

}  // namespace atl
