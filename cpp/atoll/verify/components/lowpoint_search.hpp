// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/base/types.hpp>
#include <span>
#include <utility>
#include <vector>

namespace atl {

/// Blocks by one depth-first search of one thread [1]: neighbours(v) is the list of a node.
///
///     LowpointSearch search(n, neighbours);
///     for (Local v : by_ascending_id) search.from(v);     // nodes that an earlier call has visited are passed over
///     search.block(v), search.blocks()[..].head
///
/// The block of a node is that towards the node that the search of its connected component began with. Memory: 40 bytes
/// a node, and 32 a block.
///
/// [1] J. Hopcroft, R. Tarjan. "Algorithm 447: efficient algorithms for graph manipulation." Commun. ACM 16(6), 1973.
template <class Neighbours>
class LowpointSearch {
 public:
  struct Block {
    Local head;
    std::vector<Local> others;
  };

  LowpointSearch(std::size_t nodes, Neighbours neighbours)
      : neighbours_(std::move(neighbours)), number_(nodes, 0), low_(nodes), block_(nodes, -1) {}

  void from(Local root) {
    if (number_[root] > 0) return;
    visit(root);
    while (!path_.empty()) {
      Step& step = path_.back();
      const std::span<const Local> list = neighbours_(step.node);
      if (step.next < list.size()) {
        const Local u = list[step.next++];
        if (number_[u] > 0) {
          low_[step.node] = std::min(low_[step.node], number_[u]);
        } else {
          visit(u);
        }
        continue;
      }
      const Local child = step.node;
      path_.pop_back();
      if (path_.empty()) break;
      const Local parent = path_.back().node;
      low_[parent] = std::min(low_[parent], low_[child]);
      if (low_[child] >= number_[parent]) close(parent, child);
    }
    open_.clear();
  }

  /// -1: a node that a search began with.
  Local block(Local node) const { return block_[node]; }
  const std::vector<Block>& blocks() const { return blocks_; }

 private:
  struct Step {
    Local node;
    std::size_t next;
  };

  void visit(Local v) {
    number_[v] = low_[v] = ++visited_;
    open_.push_back(v);
    path_.push_back({v, 0});
  }
  void close(Local head, Local child) {
    const auto first = std::find(open_.rbegin(), open_.rend(), child).base() - 1;
    for (auto v = first; v != open_.end(); ++v) block_[*v] = static_cast<Local>(blocks_.size());
    blocks_.push_back({head, {first, open_.end()}});
    open_.erase(first, open_.end());
  }

  Neighbours neighbours_;
  std::vector<Local> number_, low_, block_;
  std::vector<Step> path_;
  std::vector<Local> open_;  // visited, and in no block yet
  std::vector<Block> blocks_;
  Local visited_ = 0;
};

}  // namespace atl
