// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/components/components.hpp>
#include <atoll/algorithms/components/distributed_union_find.hpp>
#include <atoll/algorithms/components/forest.hpp>
#include <atoll/engine/mirror_exchange.hpp>

/// The names of a rank's trees, and which trees the edges between ranks join: what class Components does over several
/// ranks once each has its forest.
///
///     ComponentLabels names(graph, forest);      // collective, as are all that follow
///     names.learn(in_giant);               // which trees the mirrors of this rank are in, there and here
///     names.pair_bytes();                  // the pairs of names that are left to join, on all ranks
///     names.join_all();                    // every tree is known by the least name of its component ...
///     names.join_giants();                 // ... or the giants only; the small trees then by
///     names.pass_on();                     //     telling each other, from tree to tree
///     names.write(result);
///
/// A giant's name is its rank's number; that of any other tree is above those, and in the order of least ids. Memory: 8
/// bytes a local vertex, 1 a master, and the pairs.
namespace atl {

class ComponentLabels {
 public:
  ComponentLabels(const Graph& graph, ComponentForest& forest);
  ComponentLabels(const ComponentLabels&) = delete;
  ComponentLabels& operator=(const ComponentLabels&) = delete;

  /// `in_giant` has a bit for every vertex, mirrors included, that is in its rank's giant, and was early.
  void learn(const VertexBits& in_giant);
  double pair_bytes() const;
  void join_all();
  void join_giants();
  void pass_on();
  /// Whether all giants are one; the same on all ranks.
  bool giants_are_joined() const;
  /// The vertices apart have their rank's name again, as they had before learn().
  void forget();
  void write(ComponentsResult& result);
  std::size_t memory_bytes() const;

 private:
  /// Unsigned: ids have 63 bits, and ranks are counted below them.
  using Name = DistributedUnionFind::Name;
  struct Pair {
    Name one, other;
    auto operator<=>(const Pair&) const = default;
  };
  /// A mirror in a small tree of this rank.
  struct Hanging {
    Local mirror, root;
    Name name;  // of its master's tree
  };
  struct LeastId {
    Name name;
    Vertex id;
  };
  // Of a small tree: it is beside others of other ranks; it has a name that those have not heard of.
  static constexpr std::uint8_t kTrees = 1, kChanged = 2;

  Name own_rank() const { return static_cast<Name>(world_.rank()); }
  bool is_giant(Name name) const { return name < ranks_; }
  Name& name(Local v) { return name_[static_cast<std::size_t>(v)]; }
  std::uint8_t& beside(Local root) { return beside_[static_cast<std::size_t>(root)]; }
  Vertex least_id(Local root) const { return graph_.ids().id_of(forest_.lowest(root)); }
  Name own_name(Local root) const { return ranks_ + static_cast<Name>(least_id(root)); }
  // A mirror that nothing was told about is in its rank's giant, early or late.
  Name name_of_mirror(Local m, Name rank) { return told_.test(m) ? name(m) : rank; }
  template <class F>
  void for_small_trees(F&& f);

  void tell_names();
  void look_across(const VertexBits& in_giant);
  void look_at(Local mirror, Local root, Name there);
  void settle_hanging();
  bool hear(Local root, Name there);

  const Graph& graph_;
  World& world_;
  ComponentForest& forest_;
  MirrorExchange<Name, MinOf> exchange_;
  const std::size_t locals_;
  // [local] a root's: the least name that its tree is known to be joined to; a mirror's: the same of its master's tree
  Array<Name> name_;
  Array<std::uint8_t> beside_;  // [root]
  VertexBits told_;
  const Name ranks_;
  DistributedUnionFind names_;
  std::vector<Name> group_;   // [rank] least giant that its giant is joined to
  std::vector<Pair> joined_;  // giants that are joined, as seen here
  std::vector<Hanging> hanging_;
  std::vector<Pair> between_;  // small trees beside others of other ranks, and what else these are beside
};

}  // namespace atl
