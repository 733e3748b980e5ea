// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/spanning_forest/pieces.hpp>
#include <atoll/algorithms/spanning_forest/tree_parents.hpp>
#include <atoll/engine/fetch_values.hpp>
#include <limits>
#include <numeric>

namespace atl {
namespace {

// Merges the sorted parts that begin at each of these positions.
template <class T, class Before>
void merge_parts(std::vector<T>& values, std::vector<std::ptrdiff_t> begins, Before&& before) {
  begins.push_back(static_cast<std::ptrdiff_t>(values.size()));
  while (begins.size() > 2) {
    std::vector<std::ptrdiff_t> merged;
    for (std::size_t k = 0; k + 1 < begins.size(); k += 2) {
      merged.push_back(begins[k]);
      if (k + 2 < begins.size())
        std::inplace_merge(values.begin() + begins[k], values.begin() + begins[k + 1], values.begin() + begins[k + 2],
                           before);
    }
    merged.push_back(begins.back());
    begins = std::move(merged);
  }
}

// Indices of the pieces that edges name, in their order, and sets of them.
class PieceSets {
 public:
  template <class Key>
  explicit PieceSets(const std::vector<PieceEdge<Key>>& edges) {
    for (const PieceEdge<Key>& edge : edges) {
      names_.push_back(edge.piece_a);
      names_.push_back(edge.piece_b);
    }
    std::sort(names_.begin(), names_.end());
    names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
    set_.resize(names_.size());
    std::iota(set_.begin(), set_.end(), Local{0});
  }
  std::size_t size() const { return names_.size(); }
  /// -1: no edge names it.
  Local find(Vertex piece) const {
    const auto at = std::lower_bound(names_.begin(), names_.end(), piece);
    return at != names_.end() && *at == piece ? static_cast<Local>(at - names_.begin()) : -1;
  }
  /// The smallest of its set.
  Local set(Local piece) {
    while (set_[piece] != piece) piece = set_[piece] = set_[set_[piece]];
    return piece;
  }
  bool unite(Local a, Local b) {
    a = set(a);
    b = set(b);
    set_[std::max(a, b)] = std::min(a, b);
    return a != b;
  }

 private:
  std::vector<Vertex> names_;
  std::vector<Local> set_;
};

}  // namespace

template <class Key>
std::vector<PieceParent<Key>> forest_here(World& world, std::vector<PieceEdge<Key>> edges,
                                          std::span<const Vertex> pieces) {
  const auto before = [](const PieceEdge<Key>& x, const PieceEdge<Key>& y) { return x.order() < y.order(); };
  std::sort(edges.begin(), edges.end(), before);
  std::vector<Edge> counts;
  edges = world.all_gather_varying(std::span<const PieceEdge<Key>>(edges), &counts);
  std::vector<std::ptrdiff_t> begins(counts.size(), 0);
  for (std::size_t r = 1; r < counts.size(); ++r) begins[r] = begins[r - 1] + counts[r - 1];
  merge_parts(edges, std::move(begins), before);

  PieceSets sets(edges);
  std::vector<KeyedEdge<Key>> tree_edges;
  std::erase_if(edges, [&](const PieceEdge<Key>& edge) {
    const Local a = sets.find(edge.piece_a), b = sets.find(edge.piece_b);
    if (!sets.unite(a, b)) return true;
    tree_edges.push_back({edge.key, a, b});
    return false;
  });
  TreeParents<Key> trees(sets.size());
  trees.start(world.team(), tree_edges);
  for (std::size_t k = 0; k < sets.size(); ++k)
    if (const auto piece = static_cast<Local>(k); sets.set(piece) == piece) trees.set_root(piece);
  trees.find(world.team());
  std::vector<PieceParent<Key>> parents;
  for (const Vertex name : pieces) {
    const Local piece = sets.find(name);
    const bool is_root = piece < 0 || trees.is_root(piece);
    parents.push_back(is_root ? PieceParent<Key>{} : PieceParent<Key>{false, edges[trees.edge(piece)]});
  }
  return parents;
}

template <class Key>
std::vector<PieceParent<Key>> forest_over_ranks(World& world, const Blocks& blocks, std::vector<PieceEdge<Key>> edges,
                                                std::span<const Vertex> pieces) {
  const PieceForest<Key> forest = boruvka_over_ranks(world, blocks, edges);
  edges = {};
  const std::vector<PieceParent<Key>> parents = root_by_euler_tours(world, blocks, forest);
  return fetch_values<PieceParent<Key>>(
      world, blocks, pieces, [&](Vertex piece) { return parents[index(piece - blocks.begin(world.rank()))]; });
}

template std::vector<PieceParent<std::uint32_t>> forest_here(World&, std::vector<PieceEdge<std::uint32_t>>,
                                                             std::span<const Vertex>);
template std::vector<PieceParent<std::uint64_t>> forest_here(World&, std::vector<PieceEdge<std::uint64_t>>,
                                                             std::span<const Vertex>);
template std::vector<PieceParent<std::uint32_t>> forest_over_ranks(World&, const Blocks&,
                                                                   std::vector<PieceEdge<std::uint32_t>>,
                                                                   std::span<const Vertex>);
template std::vector<PieceParent<std::uint64_t>> forest_over_ranks(World&, const Blocks&,
                                                                   std::vector<PieceEdge<std::uint64_t>>,
                                                                   std::span<const Vertex>);

}  // namespace atl
