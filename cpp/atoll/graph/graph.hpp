// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/partition/partition.hpp>
#include <map>

/// A graph spread over the ranks of a World: each owns a block of vertices and the edges that leave (and enter) them.
///
///     Graph graph = Graph::build(world, read_edges(world, "roads.gr"), {});     // collective
///     for (Local v = 0; v < graph.active(); ++v)
///       for (Local u : graph.out().neighbours(v)) ...
///
/// Four ways to name a vertex:
///   id      original id, any 64-bit number >= 0             what users give and get
///   dense   0 .. n-1 over all ranks                          what travels; blocks().owner(dense) has it
///   natural 0 .. owned-1, dense minus the block's begin,     the order of results
///           ascending by id
///   local   0 .. locals-1 on this rank                       what adjacency lists and bitmaps use
/// Dense numbers ascend by id over all ranks too where the partition has blocks of ids (blocked, balanced). Local
/// vertices: masters first (hubs by falling degree, then the others in natural order, then those without edges;
/// GraphOptions can switch both off), then mirrors: the other ranks' vertices that an edge here names, grouped by
/// owner, each group in its owner's local order and starting at a multiple of 64, so that bitmaps travel as whole
/// words.
namespace atl {

/// Ids below this fit 32 bits with one value left for "none".
inline constexpr Vertex kNarrowIds = (Vertex{1} << 32) - 1;

/// What to do with several edges between the same two vertices: merged ones have the least, the greatest or the sum of
/// their weights.
enum class Duplicates { keep, merge_min, merge_max, merge_sum };
/// Of "keep", "min", "max", "sum"; InputError with these names.
Duplicates duplicates_named(std::string_view name);
enum class SelfLoops { keep, drop };
/// Masters without an edge: left out of lists and bitmaps, or treated as any other.
enum class Isolated { drop, keep };

struct GraphOptions {
  Duplicates duplicates = Duplicates::merge_min;
  SelfLoops self_loops = SelfLoops::keep;
  PartitionOptions placement = {};
  bool degree_sort = true;  ///< hubs in front, by falling degree
  Isolated isolated = Isolated::drop;
};

/// The edges of this rank's vertices, by vertex. Lists are sorted by local number: hubs first.
struct Csr {
  Array<Edge> offsets;  ///< [local vertex], owned + 1
  Array<Local> targets;
  WeightColumn weights;  ///< none, or one per target

  Edge size() const { return offsets.empty() ? 0 : offsets[offsets.size() - 1]; }
  Edge degree(Local v) const { return offsets[static_cast<std::size_t>(v) + 1] - offsets[static_cast<std::size_t>(v)]; }
  std::span<const Local> neighbours(Local v) const {
    return {targets.data() + offsets[static_cast<std::size_t>(v)], static_cast<std::size_t>(degree(v))};
  }
  std::size_t memory_bytes() const;
};

/// The other ranks' vertices that this rank knows, and which of its own the others know.
struct Mirrors {
  std::vector<Local> begin;  ///< [rank] first local number of the group; a multiple of 64
  std::vector<Local> count;  ///< [rank] mirrors of that rank's vertices
  /// [rank][word] the own masters that the rank mirrors, in local order: bit k of them is its begin + k'th mirror.
  std::vector<Array<std::uint64_t>> known_by;
};

/// How a build went, on this rank.
struct BuildReport {
  /// number, count, relabel, place, translate, sort, total; of a partition: degrees, fuse, cluster, split, refine,
  /// assign
  std::map<std::string, double> seconds;
  std::size_t peak_bytes = 0;   ///< edge list, lists and tables at the fullest moment
  std::size_t graph_bytes = 0;  ///< what stays
};

class Graph {
 public:
  /// Collective. The rvalue form frees the edges as early as it can; the other leaves them dense (number()ed).
  static Graph build(World& world, EdgeList&& edges, const GraphOptions& options = {});
  /// GraphOptions::placement is what assign() has used on them, or blocked.
  static Graph build(World& world, const EdgeList& dense, IdMap ids, const GraphOptions& options = {});

  World& world() const { return *world_; }
  const std::string& name() const { return name_; }
  bool directed() const { return directed_; }
  bool weighted() const { return out_.weights.index() != 0; }
  /// On any rank, edges of different weights between the same two vertices became one with the least of them.
  bool merged_to_least() const { return merged_to_least_; }
  Vertex vertices() const { return ids_.count(); }   ///< of all ranks
  Edge input_edges() const { return input_edges_; }  ///< of all ranks, as they came
  Edge edges() const { return edges_; }              ///< of all ranks, after GraphOptions; undirected ones count once
  const Blocks& blocks() const { return ids_.blocks(); }
  /// Where algorithms that run over a vertex-cut (graph/vertex_cut.hpp) shall have the edges; the lists here are those
  /// of the edge-cut below it. On one rank that is Cut::edge.
  const CutRule& cut() const { return cut_; }
  const IdMap& ids() const { return ids_; }

  Local owned() const { return owned_; }    ///< masters on this rank
  Local active() const { return active_; }  ///< masters with an edge (Isolated::keep: all): local 0 .. active-1
  Local hubs() const { return hubs_; }      ///< masters that the relabelling has sorted by degree: local 0 .. hubs-1
  Local locals() const { return locals_; }  ///< one past the last mirror; a multiple of 64
  const Csr& out() const { return out_; }
  /// Entering edges: of an undirected graph the same lists.
  const Csr& in() const { return directed_ ? in_ : out_; }
  const Mirrors& mirrors() const { return mirrors_; }

  Local local_of(Vertex natural) const { return local_of_[static_cast<std::size_t>(natural)]; }
  Vertex natural_of(Local master) const { return natural_of_[static_cast<std::size_t>(master)]; }
  /// Original ids by local number, mirrors included; 32 bits wide when all of the graph's ids are below
  /// kNarrowIds.
  const IdColumn& id_column() const { return id_column_; }
  Vertex id_of(Local v) const {
    return std::visit([&](const auto& c) { return static_cast<Vertex>(c[static_cast<std::size_t>(v)]); }, id_column_);
  }
  /// The rank that owns the vertex of this original id and its natural number there. Collective; InputError that names
  /// the id if there is none.
  std::pair<Rank, Vertex> find(Vertex id) const;

  const BuildReport& report() const { return report_; }
  std::size_t memory_bytes() const;

 private:
  friend class GraphBuilder;
  World* world_ = nullptr;
  std::string name_;
  bool directed_ = false, merged_to_least_ = false;
  Edge input_edges_ = 0, edges_ = 0;
  CutRule cut_{Cut::edge, 1};
  IdMap ids_;
  Local owned_ = 0, active_ = 0, hubs_ = 0, locals_ = 0;
  Csr out_, in_;
  Mirrors mirrors_;
  Array<Local> local_of_, natural_of_;
  IdColumn id_column_;
  BuildReport report_;
};

}  // namespace atl
