// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/world.hpp>
#include <span>
#include <unordered_map>
#include <vector>

/// Names that are joined, each known by the least that it is joined to; over a tree of ranks joined for all.
///
///     DistributedUnionFind names;
///     names.join(5, 7);                  // what this rank knows
///     names.unite(world, 4);             // collective
///     names.top(7);                      // the least name that 7 is joined to on any rank
///
/// Up the tree go the names that a rank's part of it has joined to others, once each; down, what became of each group that
/// came up. So a rank hears of its own part's groups only, and of the names below a bound. The tree is that of the route's
/// domains, which crosses each wall as rarely as can be; a binomial one where records go in one hop.
namespace atl {

class DistributedUnionFind {
 public:
  using Name = std::uint64_t;

  void clear() { above_.clear(); }
  void join(Name one, Name other);
  Name top(Name name);
  /// Afterwards top() is right for names that this rank has joined to others, and for those below `common`; 8 bytes travel
  /// to each rank for each of these.
  void unite(World& world, Name common);

 private:
  struct Group {
    Name top;
    std::vector<Name> others;
  };
  std::vector<Group> groups();
  std::unordered_map<Name, Name> above_;  // of those that are joined to a lesser one
};

}  // namespace atl
