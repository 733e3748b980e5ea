// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/types.hpp>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The tree of communication domains, as a value: which ranks are close to each other, and how far apart two ranks are.
///
///     Hierarchy h = Hierarchy::parse("2x4");      // 2 nodes of 4 ranks
///     h.level_between(0, 3);                      // 0: in one leaf domain
///     h.level_between(0, 4);                      // 1: across nodes
///
/// There may be any number of levels, and domains of unequal size. Levels count from the leaves: level 0 is inside a
/// leaf domain, level depth()-1 crosses the top. Each rank is in exactly one leaf.
namespace atl {

/// A domain has either children, or, as a leaf, ranks.
struct Domain {
  std::string kind;  ///< "system", "switch", "node", "package", "numa", "l3", "core"
  std::string name;
  std::vector<Domain> children;
  std::vector<Rank> ranks;
};

class Hierarchy {
 public:
  /// Throws InputError unless every rank 0 .. n-1 is in exactly one leaf and all leaves are equally deep.
  explicit Hierarchy(Domain root);
  /// All ranks in one domain.
  static Hierarchy flat(Rank ranks);
  /// "2x4": sizes from the top, the last being ranks per leaf domain; "3+2": leaf domains of unequal size.
  static Hierarchy parse(std::string_view text);
  static Hierarchy from_json(const nlohmann::json& j);
  nlohmann::json to_json() const;
  /// Restricts the hierarchy to ranks 0 .. ranks-1, with the same depth; empty domains are dropped. 1 <= ranks <=
  /// size().
  Hierarchy first(Rank ranks) const;
  /// The same domains of renumbered ranks: rank r is where rank places[r] is here. `places` is a permutation of all
  /// ranks.
  Hierarchy of_places(std::span<const Rank> places) const;

  const Domain& root() const { return root_; }
  Rank size() const { return static_cast<Rank>(leaf_.size()); }
  /// Number of levels that a message can cross; 1 if flat.
  int depth() const { return depth_; }
  /// Kind ("node", ..) of the domains inside which a message at this level stays.
  std::string_view kind_at(int level) const { return kinds_[level]; }
  /// 0 if both are in one leaf domain, plus one for each level of domains that separates them.
  int level_between(Rank a, Rank b) const;
  /// Index of the leaf domain, in tree order.
  int leaf_of(Rank rank) const { return leaf_[rank]; }

 private:
  Domain root_;
  int depth_ = 1;
  std::vector<std::string> kinds_;        // [level], from the leaves
  std::vector<int> leaf_;                 // [rank]
  std::vector<std::vector<int>> parent_;  // [level][domain at that level] -> domain one level up
};

}  // namespace atl
