// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/spanning_forest/pieces.hpp>
#include <atoll/algorithms/spanning_forest/tree_parents.hpp>
#include <atoll/engine/first_rank.hpp>
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

// Sets of pieces that edges have joined.
class PieceSets {
 public:
  explicit PieceSets(std::size_t pieces) : up_(pieces) { std::iota(up_.begin(), up_.end(), Local{0}); }
  Local set(Local piece) {
    while (up_[piece] != piece) piece = up_[piece] = up_[up_[piece]];
    return piece;
  }
  bool unite(Local a, Local b) {
    a = set(a);
    b = set(b);
    up_[std::max(a, b)] = std::min(a, b);
    return a != b;
  }

 private:
  std::vector<Local> up_;
};

// The parents of all pieces. `edges` are sorted from each of `begins` on.
template <class Key>
std::vector<PieceParent<Key>> parents_of_all(Team& team, const std::vector<Vertex>& smallest,
                                             std::vector<PieceEdge<Key>> edges, std::vector<std::ptrdiff_t> begins) {
  merge_parts(edges, std::move(begins), [](const auto& x, const auto& y) { return x.order() < y.order(); });
  const auto pieces = static_cast<Local>(smallest.size());
  PieceSets sets(index(pieces));
  std::vector<KeyedEdge<Key>> tree_edges;
  std::erase_if(edges, [&](const PieceEdge<Key>& edge) {
    const auto a = static_cast<Local>(edge.piece_a), b = static_cast<Local>(edge.piece_b);
    if (!sets.unite(a, b)) return true;
    tree_edges.push_back({edge.key, a, b});
    return false;
  });
  TreeParents<Key> trees(index(pieces));
  trees.start(team, tree_edges);
  std::vector<Local> root(index(pieces), -1);  // [set]
  for (Local piece = 0; piece < pieces; ++piece) {
    Local& known = root[sets.set(piece)];
    if (known < 0 || smallest[piece] < smallest[known]) known = piece;
  }
  for (const Local piece : root)
    if (piece >= 0) trees.set_root(piece);
  trees.find(team);
  std::vector<PieceParent<Key>> parents;
  for (Local piece = 0; piece < pieces; ++piece)
    parents.push_back(trees.is_root(piece) ? PieceParent<Key>{} : PieceParent<Key>{false, edges[trees.edge(piece)]});
  return parents;
}

}  // namespace

template <class Key>
std::vector<PieceParent<Key>> forest_on_first_rank(World& world, std::span<const Vertex> smallest,
                                                   std::vector<PieceEdge<Key>> edges) {
  std::sort(edges.begin(), edges.end(), [](const auto& x, const auto& y) { return x.order() < y.order(); });
  std::vector<Vertex> smallest_of_all;
  std::vector<std::ptrdiff_t> first_pieces, begins;
  for (const auto& part : on_first_rank(world, std::vector<Vertex>(smallest.begin(), smallest.end()))) {
    first_pieces.push_back(static_cast<std::ptrdiff_t>(smallest_of_all.size()));
    smallest_of_all.insert(smallest_of_all.end(), part.begin(), part.end());
  }
  std::vector<PieceEdge<Key>> all;
  for (const auto& part : on_first_rank(world, std::move(edges))) {
    begins.push_back(static_cast<std::ptrdiff_t>(all.size()));
    all.insert(all.end(), part.begin(), part.end());
  }
  std::vector<PieceParent<Key>> parents;
  world.collective_try(
      [&] { parents = parents_of_all<Key>(world.team(), smallest_of_all, std::move(all), std::move(begins)); });
  return from_first_rank(world, first_pieces, parents);
}

template <class Key>
std::vector<PieceParent<Key>> forest_over_ranks(World& world, const Blocks& blocks, std::span<const Vertex> smallest,
                                                const std::vector<PieceEdge<Key>>& edges) {
  return root_by_euler_tours(world, blocks, boruvka_over_ranks(world, blocks, smallest, edges));
}

template std::vector<PieceParent<std::uint32_t>> forest_on_first_rank(World&, std::span<const Vertex>,
                                                                      std::vector<PieceEdge<std::uint32_t>>);
template std::vector<PieceParent<std::uint64_t>> forest_on_first_rank(World&, std::span<const Vertex>,
                                                                      std::vector<PieceEdge<std::uint64_t>>);
template std::vector<PieceParent<std::uint32_t>> forest_over_ranks(World&, const Blocks&, std::span<const Vertex>,
                                                                   const std::vector<PieceEdge<std::uint32_t>>&);
template std::vector<PieceParent<std::uint64_t>> forest_over_ranks(World&, const Blocks&, std::span<const Vertex>,
                                                                   const std::vector<PieceEdge<std::uint64_t>>&);

}  // namespace atl
