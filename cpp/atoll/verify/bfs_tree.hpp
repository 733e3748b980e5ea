// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/types.hpp>
#include <functional>
#include <span>
#include <string>
#include <variant>

/// Whether parents (and depths) are a breadth-first tree of the INPUT edges: the five rules of the Graph500
/// specification, section "Validation". Never calls the algorithm.
///
///     BfsTreeReport report = verify_bfs_tree(
///         world, {.blocks = blocks, .root = root, .parents = parents},    // this rank's parents, dense numbers
///         Tuples(source, target));                                       // this rank's slice of the input
///     if (!report.ok) throw VerificationError(report.what);
///
///     rule 1  the parents are a tree from the root: no cycle, no second root
///     rule 2  a tree edge joins levels that differ by one (given depths are compared with the tree's own levels)
///     rule 3  an input edge joins levels that differ by at most one, or vertices that are both outside;
///             directed: u -> v with u inside has level[v] <= level[u] + 1
///     rule 4  the tree spans the root's component: no input edge leaves it
///     rule 5  a vertex and its parent are joined by an input edge
///
/// Of several flaws the one of the lowest rule is named, then the lowest vertices: the same whatever the number of
/// ranks. Levels are computed from the parents by pointer jumping over ranks, ceil(log2 depth) + 1 rounds, unless the
/// given depths prove them in one. Then each input edge takes at most two hops, to the owner of one end and on to that
/// of the other. Memory: about 10 bytes per owned vertex; nothing is replicated.
namespace atl {

class World;

/// This rank's slice of the input edges as dense numbers; any rank may hold any edge, each once. Refers to the
/// caller's memory.
class Tuples {
 public:
  /// Fills source and target (of one size) with the tuples first, first + 1, ..; called by any thread.
  using Read = std::function<void(std::size_t first, std::span<Vertex> source, std::span<Vertex> target)>;

  template <class Id>
  struct Columns {
    std::span<const Id> source, target;
  };

  Tuples(std::span<const std::uint32_t> source, std::span<const std::uint32_t> target)
      : size_(source.size()), from_(Columns<std::uint32_t>{source, target}) {}
  Tuples(std::span<const Vertex> source, std::span<const Vertex> target)
      : size_(source.size()), from_(Columns<Vertex>{source, target}) {}
  Tuples(std::size_t size, Read read) : size_(size), from_(std::move(read)) {}

  std::size_t size() const { return size_; }
  const auto& from() const { return from_; }

 private:
  std::size_t size_;
  std::variant<Columns<std::uint32_t>, Columns<Vertex>, Read> from_;
};

struct BfsTree {
  std::span<const Vertex> blocks;        ///< [P+1]: rank r owns the dense numbers blocks[r] .. blocks[r+1]-1
  Vertex root = 0;                       ///< dense
  std::span<const Vertex> parents;       ///< this rank's, in order; dense; kNoVertex where not reached
  std::span<const std::int64_t> depths = {};  ///< the same, kUnreachable where not reached; empty: none were computed
  bool directed = false;                 ///< the tuples go from source to target only
  /// Original id of a vertex that this rank owns, for messages; none: the dense number.
  std::function<Vertex(Vertex)> original = {};
};

/// The same on every rank.
struct BfsTreeReport {
  bool ok = true;
  int rule = 0;      ///< that is broken; 0 if ok
  std::string what;  ///< names the edge or vertex by original ids
  /// Input tuples inside the component (directed: that start in it): multi-edges and self-loops each count, a
  /// tuple once. What the Graph500 specification divides by the time.
  Edge edges_in_component = 0;
  Edge loops_in_component = 0;  ///< the self-loops among them
  Vertex reached = 0;
  std::int64_t depth = 0;  ///< the greatest level
};

/// Collective.
BfsTreeReport verify_bfs_tree(World& world, const BfsTree& tree, const Tuples& tuples);

}  // namespace atl
