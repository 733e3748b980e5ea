// SPDX-License-Identifier: Apache-2.0
#include <atoll/algorithms/biconnected_components/preorder_forest.hpp>

namespace atl {
namespace {

constexpr std::size_t kPositions = 8192;
constexpr Local kNodesPerPause = 1 << 16;  // between two looks for an interrupt

}  // namespace

void PreorderForest::build(Team& team, const DisjointSets& sets) {
  list_neighbours(team, sets);
  Local next = 0;
  for (Local v = 0; v < size(); ++v)
    if (sets.is_root(v)) next = number(team, v, next);
  for (Local at = size() - 1; at >= 0; --at) {
    // All behind it are done, and their last positions are here.
    if (const Local above = parent_[at]; above >= 0) last_[above] = std::max(last_[above], last_[at]);
  }
  team.for_range(node_.size(), kPositions, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t at = a; at < b; ++at) interval_[node_[at]].last = last_[at];
  });
}

// Each thread counts and lists the neighbours of its own nodes, and reads all pairs for that: so nothing is atomic, and
// hubs are no worse than others.
void PreorderForest::list_neighbours(Team& team, const DisjointSets& sets) {
  const auto nodes = static_cast<std::size_t>(size());
  const auto for_ends = [&](int thread, auto&& f) {
    const auto [first, end] = team.share(thread, nodes, 64);
    const auto is_mine = [first = static_cast<Local>(first), end = static_cast<Local>(end)](Local v) {
      return v >= first && v < end;
    };
    sets.for_pairs([&](NodePair pair) {
      if (is_mine(pair.a)) f(pair.a, pair.b);
      if (is_mine(pair.b)) f(pair.b, pair.a);
    });
  };
  // Counts stand two entries behind their node, and are moved up by one by the sums and by one by the listing.
  std::fill(begin_.begin(), begin_.end(), 0);
  team.run([&](int thread) { for_ends(thread, [&](Local v, Local) { ++begin_[index(v) + 2]; }); });
  for (std::size_t v = 2; v < begin_.size(); ++v) begin_[v] += begin_[v - 1];
  team.run([&](int thread) { for_ends(thread, [&](Local v, Local u) { targets_[begin_[index(v) + 1]++] = u; }); });
}

// Numbers the tree from `next` on; returns the position behind it.
Local PreorderForest::number(Team& team, Local root, Local next) {
  std::size_t pushed = 0;
  stack_[pushed++] = {root, -1};
  while (pushed > 0) {
    const auto [v, above] = stack_[--pushed];
    const Local at = next++;
    if (at % kNodesPerPause == 0) team.cancellation_point();
    node_[at] = v;
    interval_[v].first = last_[at] = at;
    parent_[at] = above;
    top_[at] = above < 0 || parent_[above] < 0 ? at : top_[above];
    const Local before = above < 0 ? -1 : node_[above];
    for (std::uint32_t k = begin_[v]; k < begin_[index(v) + 1]; ++k)
      if (const Local u = targets_[k]; u != before) stack_[pushed++] = {u, at};
  }
  return next;
}

}  // namespace atl
