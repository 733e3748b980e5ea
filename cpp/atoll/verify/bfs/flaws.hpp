// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/parallel.hpp>
#include <atoll/runtime/world.hpp>
#include <atoll/verify/bfs/tree.hpp>
#include <tuple>

/// The flaws of a tree, and the choice of the one to report, which does not depend on ranks or threads.
///
///     Findings findings(world);
///     findings.note({Flaw::orphan, v, parent});         // any thread
///     const Finding worst = findings.worst();           // collective
///     describe(world, tree, blocks, worst);             // collective; the sentence, with original ids
namespace atl::bfs_tree {

/// The flaws, in the order in which they are reported.
enum class Flaw : int {
  root_parent,   // rule 1
  outside,       // rule 1: the parent is no vertex
  second_root,   // rule 1
  orphan,        // rule 1: the parent is not in the tree
  cycle,         // rule 1
  depth,         // rule 2
  long_edge,     // rule 3
  leaving_edge,  // rule 4
  no_edge,       // rule 5
  none
};

struct Finding {
  Flaw flaw = Flaw::none;
  Vertex a = kNoVertex, b = kNoVertex;  // the edge, or the vertex and its parent
  std::int64_t x = 0, y = 0;            // the levels or depths involved

  bool operator<(const Finding& other) const { return std::tie(flaw, a, b) < std::tie(other.flaw, other.a, other.b); }
  void note(const Finding& other) {
    if (other < *this) *this = other;
  }
};

/// Which vertices a rank owns.
class Ownership {
 public:
  Ownership(const Blocks& blocks, Rank rank) : blocks_(blocks), first_(blocks.begin(rank)), count_(blocks.size(rank)) {}
  Vertex n() const { return blocks_.count(); }
  Vertex first() const { return first_; }
  std::size_t count() const { return static_cast<std::size_t>(count_); }
  bool owns(Vertex v) const { return static_cast<std::uint64_t>(v - first_) < static_cast<std::uint64_t>(count_); }
  std::uint32_t here(Vertex v) const { return static_cast<std::uint32_t>(v - first_); }
  Rank owner(Vertex v) const { return blocks_.owner(v); }
  std::uint32_t at(Rank owner, Vertex v) const { return static_cast<std::uint32_t>(v - blocks_.begin(owner)); }

 private:
  const Blocks& blocks_;
  const Vertex first_, count_;
};

/// The worst finding of each thread, on separate cache lines.
class Findings {
 public:
  explicit Findings(World& world) : world_(world), mine_(static_cast<std::size_t>(world.team().size())) {}
  void note(const Finding& finding) { mine_[Team::this_thread()].finding.note(finding); }
  /// The worst one on all ranks. Collective.
  Finding worst() {
    Finding least;
    for (const Padded& p : mine_) least.note(p.finding);
    return world_.fold(least, [](const Finding& a, const Finding& b) { return b < a ? b : a; });
  }

 private:
  struct alignas(128) Padded {
    Finding finding;
  };
  World& world_;
  std::vector<Padded> mine_;
};

/// The number of the rule in the specification; 0: no flaw.
int rule_of(Flaw flaw);
/// Collective.
std::string describe(World& world, const BfsTree& tree, const Ownership& blocks, const Finding& finding);

}  // namespace atl::bfs_tree
