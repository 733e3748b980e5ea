// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/world.hpp>
#include <span>
#include <unordered_map>
#include <vector>

/// Union-find over labels (numbers). Each rank joins the pairs it knows; unite() merges the sets of all ranks over a
/// tree.
///
///     DistributedUnionFind labels;
///     labels.join(5, 7);                 // on this rank
///     labels.unite(world, 4);            // collective
///     labels.top(7);                     // the least label that 7 is joined to on any rank
///
/// On the way up, a rank sends its parent each label that its subtree has joined to another, once; on the way down, it
/// receives the representative of each set that it sent. So a rank learns only about sets of its own subtree and about
/// labels below a bound. The tree follows the domains of the route, so that it crosses slow links as rarely as
/// possible; on a direct route it is binomial.
namespace atl {

class DistributedUnionFind {
 public:
  using Label = std::uint64_t;

  void clear() { parent_.clear(); }
  void join(Label a, Label b);
  Label top(Label name);
  /// Afterwards top() is right for labels that this rank has joined to others and for labels below `common`. Each rank
  /// receives 8 bytes for each of these.
  void unite(World& world, Label common);

 private:
  struct Group {
    Label top;
    std::vector<Label> others;
  };
  std::vector<Group> groups();
  std::unordered_map<Label, Label> parent_;  // of labels that are joined to a smaller one
};

}  // namespace atl
