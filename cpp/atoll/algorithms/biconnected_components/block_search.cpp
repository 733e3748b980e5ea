// SPDX-License-Identifier: Apache-2.0
// Biconnected components by FAST-BCC [1]. Nodes are numbered in the preorder of any spanning forest. A tree edge is a
// fence if no edge leads from the child's subtree out of the parent's. The blocks, without their heads, are the
// connected components of a skeleton: the tree edges that are no fences, and all edges none of whose ends is an ancestor
// of the other. A block's head is the parent of its topmost nodes.
//
//   in the paper            here                 meaning
//   First-CC                link_forest()        any spanning forest, from a union-find
//   first(v), last(v)       position, last       a subtree's positions
//   low(v), high(v)         reach_               the least and the greatest position that edges of v's subtree reach
//   fence(u, v)             is_fenced_           by the position of the child
//   in-skeleton, Last-CC    link_skeleton()      the same union-find
//
// Deviations: the root is a tree's smallest local number, a hub if it has one. For a node below a child of
// the root, one edge that leaves the child's subtree settles all fences up to there, so the rest of its list is not
// read; children of the root read nothing. On graphs with hubs that is nearly all of the edges. Both forests are of
// sampled edges first, and of all edges only of the nodes outside the largest set [2]. At the end the tree of blocks is
// turned so that its root is the smallest id of the component, whatever the forest was.
//
// Over ranks, ranks unite the forests of their own edges, gather the reach of each other's nodes, and unite the skeleton
// in the same way as the forest. All the rest each rank does for all nodes.
//
// [1] X. Dong, L. Wang, Y. Gu, Y. Sun. "Provably fast and space-efficient parallel biconnectivity." PPoPP 2023.
// [2] M. Sutton, T. Ben-Nun, A. Barak. "Optimizing parallel graph connectivity computation via subgraph sampling."
// IPDPS 2018.
#include <algorithm>
#include <atoll/algorithms/biconnected_components/block_search.hpp>
#include <atoll/base/random.hpp>
#include <atoll/graph/mirror_values.hpp>
#include <limits>

namespace atl {
namespace {

// Neighbours of each node that are linked before the largest set is sought, and nodes that are asked for it.
constexpr std::size_t kSampledNeighbours = 2, kSampledNodes = 1024;

std::size_t nodes_of(const Graph& graph) {
  if (graph.world().size() == 1) return index(graph.active());
  check(graph.vertices() < std::numeric_limits<Local>::max(),
        "biconnected components: {} has {} vertices (over ranks, each rank holds a spanning forest of less than 2^31). "
        "Use one rank.",
        graph.name(), graph.vertices());
  return index(graph.vertices());
}

}  // namespace

BlockSearch::BlockSearch(const Graph& graph)
    : graph_(graph),
      world_(graph.world()),
      team_(world_.team()),
      active_(index(graph.active())),
      sets_(nodes_of(graph)),
      forest_(sets_.size()),
      reach_(sets_.size()),
      is_fenced_(sets_.size()),
      block_(sets_.size()),
      head_(sets_.size()),
      least_(sets_.size()),
      others_(sets_.size()),
      blocks_(sets_.size()) {
  if (world_.size() == 1) return;
  const std::vector<Vertex> dense = dense_numbers(graph);
  dense_ = Array<Local>(dense.size());
  for (std::size_t v = 0; v < dense.size(); ++v) dense_[v] = static_cast<Local>(dense[v]);
  std::vector<Vertex> own(index(graph.owned()));
  for (std::size_t k = 0; k < own.size(); ++k) own[k] = graph.ids().id_of(static_cast<Vertex>(k));
  ids_ = world_.all_gather_varying(std::span<const Vertex>(own));
}

void BlockSearch::run() {
  link_forest();
  forest_.build(team_, sets_);
  find_reach();
  if (world_.size() > 1) gather_reach();
  find_fences();
  link_skeleton();
  name_blocks();
  turn_to_least_ids();
  count_blocks();
}

template <class F>
void BlockSearch::for_nodes(F&& f) {
  team_.for_range(nodes(), kGrain, [&](int, std::size_t a, std::size_t b) {
    for (auto v = static_cast<Local>(a); v < static_cast<Local>(b); ++v) f(v);
  });
}

// Calls f(position of the root) for each tree.
template <class F>
void BlockSearch::for_trees(F&& f) {
  for (Local root = 0; root < static_cast<Local>(nodes()); root = forest_.last(root) + 1) f(root);
}

void BlockSearch::link_forest() {
  sets_.start(team_);
  link_edges([](Local, Local) { return true; });
}

// Links the two ends of each edge that joins(a, b) has, on all ranks.
template <class Joins>
void BlockSearch::link_edges(Joins&& joins) {
  if (world_.size() == 1) return link_after_sampling(joins);
  team_.for_range(active_, kGrain / 16, [&](int, std::size_t a, std::size_t b) {
    for (auto v = static_cast<Local>(a); v < static_cast<Local>(b); ++v)
      for (const Local u : graph_.out().neighbours(v)) {
        const Local one = node_of(v), other = node_of(u);
        if (one < other && joins(one, other)) sets_.unite(one, other);
      }
  });
  sets_.unite_over_ranks(world_);
}

// On one rank both ends list an edge: what is in the largest set already leaves its edges to the others.
template <class Joins>
void BlockSearch::link_after_sampling(Joins&& joins) {
  if (nodes() == 0) return;
  const auto link = [&](Local v, std::span<const Local> list) {
    for (const Local u : list)
      if (joins(v, u)) sets_.unite(v, u);
  };
  if (largest_set().second < kSampledNodes / 2) for_nodes([&](Local v) { link(v, sampled(v)); });
  const Local largest = largest_set().first;
  team_.for_range(nodes(), kGrain / 16, [&](int, std::size_t a, std::size_t b) {
    for (auto v = static_cast<Local>(a); v < static_cast<Local>(b); ++v)
      if (sets_.find(v) != sets_.find(largest)) link(v, graph_.out().neighbours(v));
  });
}

// The neighbours of most edges, if some are hubs; else those of the nearest lower numbers, so that trees go along memory.
std::span<const Local> BlockSearch::sampled(Local v) const {
  const std::span<const Local> list = graph_.out().neighbours(v);
  if (list.empty() || list[0] < graph_.hubs()) return list.first(std::min(list.size(), kSampledNeighbours));
  const auto lower = static_cast<std::size_t>(std::lower_bound(list.begin(), list.end(), v) - list.begin());
  const std::size_t count = std::min(lower, kSampledNeighbours);
  return list.subspan(lower - count, count);
}

// Returns a node of the largest set, as far as a sample of nodes says, and how many of these are in it.
std::pair<Local, std::size_t> BlockSearch::largest_set() {
  std::vector<Local> sample;
  for (std::size_t k = 0; k < kSampledNodes; ++k)
    sample.push_back(sets_.find(static_cast<Local>(random_at(1, k) % nodes())));
  std::sort(sample.begin(), sample.end());
  std::pair<Local, std::size_t> largest{sample[0], 0};
  for (std::size_t k = 0, same = 0; k < sample.size(); ++k) {
    same = k > 0 && sample[k] == sample[k - 1] ? same + 1 : 1;
    if (same > largest.second) largest = {sample[k], same};
  }
  return largest;
}

// The reach of each node by its own edges.
void BlockSearch::find_reach() {
  for_nodes([&](Local at) { reach_[at] = {at, at}; });
  team_.for_range(active_, kGrain / 16, [&](int, std::size_t a, std::size_t b) {
    for (auto v = static_cast<Local>(a); v < static_cast<Local>(b); ++v) {
      const Local at = forest_.position(node_of(v)), top = forest_.top(at);
      if (top == at) continue;  // the edge to a root, or none
      const Local last = forest_.last(top);
      Reach reach{at, at};
      for (const Local u : graph_.out().neighbours(v)) {
        const Local to = forest_.position(node_of(u));
        reach.low = std::min(reach.low, to);
        reach.high = std::max(reach.high, to);
        if (to < top || to > last) break;
      }
      reach_[at] = reach;
    }
  });
}

// Dense numbers go by ranks, so the ranks' parts in their order are those of all nodes in theirs.
void BlockSearch::gather_reach() {
  const auto begin = static_cast<Local>(graph_.blocks().begin(world_.rank()));
  std::vector<Reach> own(index(graph_.owned()));
  for (std::size_t k = 0; k < own.size(); ++k) own[k] = reach_[forest_.position(begin + static_cast<Local>(k))];
  const std::vector<Reach> all = world_.all_gather_varying(std::span<const Reach>(own));
  for_nodes([&](Local v) { reach_[forest_.position(v)] = all[v]; });
}

// A subtree's reach is complete when all behind its root have been added. The edge to a root is always a fence.
void BlockSearch::find_fences() {
  is_fenced_.clear();
  for (auto at = static_cast<Local>(nodes()) - 1; at >= 0; --at) {
    const Local above = forest_.parent(at);
    if (above < 0) continue;
    const auto [low, high] = reach_[at];
    if (low >= above && high <= forest_.last(above)) is_fenced_.set_unsynchronized(index(at));
    reach_[above].low = std::min(reach_[above].low, low);
    reach_[above].high = std::max(reach_[above].high, high);
  }
}

void BlockSearch::link_skeleton() {
  sets_.start(team_);
  for_nodes([&](Local at) {
    if (!forest_.is_root(at) && !is_fenced_.test(index(at)))
      sets_.unite(forest_.node(at), forest_.node(forest_.parent(at)));
  });
  link_edges([&](Local a, Local b) {
    const auto one = forest_.interval(a), other = forest_.interval(b);
    return one.last < other.first || other.last < one.first;
  });
}

void BlockSearch::name_blocks() {
  for_nodes([&](Local v) { block_[v] = sets_.find(v); });
  for_trees([&](Local root) { block_[forest_.node(root)] = -1; });
  for_nodes([&](Local at) {
    if (forest_.is_root(at)) return;
    const Local block = block_[forest_.node(at)], above = forest_.node(forest_.parent(at));
    // The topmost nodes of a block all have the same parent.
    if (block_[above] != block) std::atomic_ref(head_[block]).store(above, std::memory_order_relaxed);
  });
}

// Keeps the node of the smaller id; several threads may lower the same.
void BlockSearch::lower_to(Local& known, Local node) const {
  const std::atomic_ref<Local> shared(known);
  Local before = shared.load(std::memory_order_relaxed);
  while ((before < 0 || id_of(node) < id_of(before)) &&
         !shared.compare_exchange_weak(before, node, std::memory_order_relaxed)) {
  }
}

// Turns each tree of blocks: on the way from the smallest id to the old root, each vertex becomes the head of the block
// that it was below, and comes below the block that it was the head of.
void BlockSearch::turn_to_least_ids() {
  for_nodes([&](Local at) { least_[at] = -1; });
  // Trees lie one after another; a thread takes parts of them.
  team_.for_range(nodes(), kGrain, [&](int, std::size_t a, std::size_t b) {
    for (auto at = static_cast<Local>(a); at < static_cast<Local>(b);) {
      const Local root = forest_.root(at), end = std::min(static_cast<Local>(b), forest_.last(root) + 1);
      Local least = forest_.node(at);
      for (++at; at < end; ++at)
        if (const Local v = forest_.node(at); id_of(v) < id_of(least)) least = v;
      lower_to(least_[root], least);
    }
  });
  for_trees([&](Local root) {
    Local v = least_[root];
    for (Local block = std::exchange(block_[v], -1); block >= 0;) {
      const Local above = std::exchange(head_[block], v);
      block = std::exchange(block_[above], block);
      v = above;
    }
  });
}

void BlockSearch::count_blocks() {
  for_nodes([&](Local v) {
    least_[v] = -1;
    others_[v] = 0;
    blocks_[v] = block_[v] >= 0;
  });
  // Nodes of the same block mostly follow each other: one atomic operation for all of them.
  const auto add = [](Local& count, Local more) { std::atomic_ref(count).fetch_add(more, std::memory_order_relaxed); };
  team_.for_range(nodes(), kGrain, [&](int, std::size_t a, std::size_t b) {
    for (auto v = static_cast<Local>(a); v < static_cast<Local>(b);) {
      const Local block = block_[v], first = v;
      Local least = v;
      for (++v; v < static_cast<Local>(b) && block_[v] == block; ++v)
        if (id_of(v) < id_of(least)) least = v;
      if (block < 0) continue;
      add(others_[block], v - first);
      lower_to(least_[block], least);
    }
  });
  for_nodes([&](Local block) {
    if (others_[block] > 0) add(blocks_[head_[block]], 1);
  });
}

std::size_t BlockSearch::memory_bytes() const {
  return sets_.memory_bytes() + forest_.memory_bytes() + nodes() * (sizeof(Reach) + 5 * sizeof(Local)) +
         is_fenced_.words() * sizeof(std::uint64_t) + dense_.size() * sizeof(Local) + ids_.size() * sizeof(Vertex);
}

}  // namespace atl
