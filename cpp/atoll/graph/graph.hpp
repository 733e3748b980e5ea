// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/error.hpp>
#include <atoll/graph/partition/partition.hpp>
#include <map>
#include <memory>
#include <optional>

/// A graph distributed over the ranks of a World: each owns a block of vertices and the edges that leave (and enter)
/// them.
///
///     Graph graph = Graph::build(world, read_edges(world, "roads.gr"), {});     // collective
///     for (Local v = 0; v < graph.active(); ++v)
///       for (Local u : graph.out().neighbours(v)) ...
///
/// Four ways to name a vertex:
///   id      original id, any 64-bit number >= 0             in input and results
///   dense   0 .. n-1 over all ranks                          in messages; blocks().owner(dense) is its rank
///   owned   0 .. owned-1, dense minus the block's begin,     the owned index: the order of results
///           ascending by id
///   local   0 .. locals-1 on this rank                       in adjacency lists and bitmaps
/// Dense numbers ascend by id over all ranks too if the partition has blocks of ids (blocked, balanced). Local
/// vertices are masters first: hubs by falling degree, then the others by owned index, then those without edges
/// (GraphOptions can switch both off). Then come mirrors: vertices of other ranks that have an edge here, grouped by
/// owner, each group in its owner's local order and starting at a multiple of 64, so that bitmaps are sent as whole
/// words.
namespace atl {

/// Ids below this fit 32 bits with one value left for "none".
inline constexpr Vertex kNarrowIds = (Vertex{1} << 32) - 1;

/// The treatment of several edges between the same two vertices: keep them, or merge them to one edge with the minimum,
/// the maximum or the sum of their weights.
enum class Duplicates { keep, merge_min, merge_max, merge_sum };
/// Parses "keep", "min", "max" or "sum"; else InputError that lists these names.
Duplicates duplicates_named(std::string_view name);
enum class SelfLoops { keep, drop };
/// Whether masters without an edge are left out of lists and bitmaps, or treated as any other.
enum class Isolated { drop, keep };

struct GraphOptions {
  Duplicates duplicates = Duplicates::merge_min;
  SelfLoops self_loops = SelfLoops::keep;
  PartitionOptions placement = {};
  bool degree_sort = true;  ///< hubs first, by falling degree
  Isolated isolated = Isolated::drop;
};

/// Adjacency lists of this rank's vertices in compressed sparse row form. Lists are sorted by local number: hubs first.
struct Csr {
  Array<Edge> offsets;  ///< [local vertex], owned + 1
  Array<Local> targets;
  WeightColumn weights;  ///< none, or one per target

  Edge size() const { return offsets.empty() ? 0 : offsets[offsets.size() - 1]; }
  Edge degree(Local v) const {
    ATOLL_ASSERT(v >= 0 && index(v) + 1 < offsets.size());  // of the graph's own lists, a master's
    return offsets[index(v) + 1] - offsets[v];
  }
  std::span<const Local> neighbours(Local v) const {
    return {targets.data() + offsets[v], static_cast<std::size_t>(degree(v))};
  }
  /// Calls f(target, weight) for each edge of the list. The weight is a float or a double, as in `weights`; the int 1 if
  /// there are none.
  template <class F>
  void for_edges(Local v, F&& f) const {
    std::visit(
        [&](const auto& column) {
          for (Edge e = offsets[v]; e < offsets[index(v) + 1]; ++e) {
            if constexpr (std::is_same_v<std::decay_t<decltype(column)>, std::monostate>) {
              f(targets[e], 1);
            } else {
              f(targets[e], column[e]);
            }
          }
        },
        weights);
  }
  std::size_t memory_bytes() const;
};

/// The mirrors on this rank of other ranks' vertices, and which own masters other ranks mirror.
struct Mirrors {
  std::vector<Local> begin;  ///< [rank] first local number of the group; a multiple of 64
  std::vector<Local> count;  ///< [rank] mirrors of that rank's vertices
  /// [rank][word] bits of the own masters that the rank mirrors; the k-th set bit is the mirror at begin + k there.
  std::vector<Array<std::uint64_t>> known_by;
};

class VertexCut;
/// Whether the rows of a vertex-cut have the edges that leave a vertex or those that enter it.
enum class CutRows { sources, targets };

/// Time and memory of a build on this rank.
struct BuildReport {
  /// number, count, relabel, place, translate, sort, total; of a partition: degrees, fuse, cluster, split, refine,
  /// assign
  std::map<std::string, double> seconds;
  std::size_t peak_bytes = 0;   ///< edge list, lists and tables at the fullest moment
  std::size_t graph_bytes = 0;  ///< memory of the finished graph
};

class Graph {
 public:
  /// Collective. Frees the edges as early as it can.
  static Graph build(World& world, EdgeList&& edges, const GraphOptions& options = {});
  /// Collective. From edges that number() or assign() has made dense. GraphOptions::placement must be the partition
  /// that assign() has used, or blocked.
  static Graph build(World& world, const EdgeList& dense, IdMap ids, const GraphOptions& options = {});

  World& world() const { return *world_; }
  const std::string& name() const { return name_; }
  bool directed() const { return directed_; }
  bool weighted() const { return out_.weights.index() != 0; }
  /// Whether on any rank edges of different weights between the same two vertices were merged to the least weight.
  bool merged_to_least() const { return merged_to_least_; }
  Vertex vertices() const { return ids_.count(); }   ///< on all ranks
  Edge input_edges() const { return input_edges_; }  ///< on all ranks, as in the input
  Edge edges() const { return edges_; }              ///< on all ranks, after GraphOptions; undirected ones count once
  const Blocks& blocks() const { return ids_.blocks(); }
  /// The cut that vertex-cut algorithms use (partition/vertex_cut.hpp). out() and in() are always those of the
  /// edge-cut. On one rank the cut is Cut::edge.
  const CutRule& cut() const { return cut_; }
  /// The edges distributed by cut(), which is a vertex-cut. Made by the first call, collectively, and kept with the
  /// graph for all that run over it; they count its memory.
  const VertexCut& vertex_cut(CutRows rows) const;
  /// The same; null if cut() is Cut::edge.
  const VertexCut* vertex_cut_if_any(CutRows rows) const {
    return cut_.cut() == Cut::edge ? nullptr : &vertex_cut(rows);
  }
  const IdMap& ids() const { return ids_; }

  Local owned() const { return owned_; }    ///< masters on this rank
  Local active() const { return active_; }  ///< masters with an edge (Isolated::keep: all): local 0 .. active-1
  Local hubs() const { return hubs_; }      ///< masters of high degree, sorted by degree: local 0 .. hubs-1
  Local locals() const { return locals_; }  ///< one past the last mirror; a multiple of 64
  const Csr& out() const { return out_; }
  /// Entering edges; the same lists as out() if the graph is undirected.
  const Csr& in() const { return directed_ ? in_ : out_; }
  const Mirrors& mirrors() const { return mirrors_; }

  Local local_of(Vertex owned_index) const { return local_of_[owned_index]; }
  Vertex owned_index_of(Local master) const { return owned_index_of_[master]; }
  /// Original ids by local number, mirrors included; 32 bits wide when all of the graph's ids are below
  /// kNarrowIds.
  const IdColumn& id_column() const { return id_column_; }
  Vertex id_of(Local v) const {
    return std::visit([&](const auto& c) { return static_cast<Vertex>(c[v]); }, id_column_);
  }
  /// The rank that owns the vertex with this original id, and its owned index there. Collective; InputError that names
  /// the id if there is none.
  std::pair<Rank, Vertex> find(Vertex id) const;
  /// The local number of the vertex with this original id on the rank that owns it; empty on the others. Collective;
  /// InputError as find().
  std::optional<Local> master_of(Vertex id) const;

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
  Array<Local> local_of_, owned_index_of_;
  IdColumn id_column_;
  BuildReport report_;
  mutable std::shared_ptr<const VertexCut> vertex_cuts_[2];  // [rows]
};

}  // namespace atl
