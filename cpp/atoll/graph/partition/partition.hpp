// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/numbering.hpp>
#include <atoll/graph/partition/cut.hpp>
#include <atoll/topology/cost.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

/// Which rank owns which vertex (docs/partitions.md).
///
///     IdMap ids = number(world, edges);                          // dense by id, in blocks
///     ids = assign(world, edges, std::move(ids), {Partition::hierarchy});   // collective; renumbers
///     Graph graph = Graph::build(world, edges, ids, options);    // Graph::build of an EdgeList&& does all three
///
/// A partition assigns a rank to each vertex. With any partition, the dense numbers of a rank's vertices are
/// consecutive and ascend by id.
namespace atl {

enum class Partition {
  blocked,    ///< equal blocks of consecutive ids; costs nothing
  balanced,   ///< blocks of consecutive ids with equal vertices + edges (Gemini's rule with alpha = 1)
  hashed,     ///< by a hash of the id
  hierarchy,  ///< clusters of neighbours, along the tree of domains [1, section 6.3]
};
// [1] TuCOMM: Communication Hierarchy-aware Graph Engine for Distributed Model Training.

const std::vector<std::string>& partition_names();
/// UsageError that lists the names.
Partition partition_named(std::string_view name);

struct PartitionOptions {
  Partition partition = Partition::blocked;
  /// hierarchy: first fuse neighbours of low degree to super-vertices, which are assigned as one.
  bool fusion = true;
  Cut cut = Cut::edge;        ///< which rank has which edge; over several ranks
  Edge heavy = kHeavyDegree;  ///< hybrid: in-degree from which on a vertex is heavy
};

/// Returns the costs of messages on the levels of `machine`, which may not be the job's own: as this job's machine has
/// them, or the preset's where that has fewer levels.
Cost cost_for(const World& world, const Hierarchy& machine);

/// Returns the rank of the k-th vertex of this rank's block if the graph were partitioned for `machine`, which may be
/// larger than this job. `edges` must be dense (number()). The result does not depend on the ranks that compute it.
/// Collective; adds the seconds of its steps.
std::vector<Rank> owners_of(World& world, const EdgeList& edges, const IdMap& ids, const Hierarchy& machine,
                            const PartitionOptions& placement, std::map<std::string, double>* seconds = nullptr);

/// Renumbers the vertices so that each rank's block has the vertices that the partition assigns to it; overwrites the
/// edges' columns. Collective.
IdMap assign(World& world, EdgeList& edges, IdMap ids, const PartitionOptions& placement,
             std::map<std::string, double>* seconds = nullptr);

/// Weights of vertices for load balance: 1 + degree, as an edge counts at both ends.
std::vector<Edge> weights_of(World& world, const EdgeList& edges, const Blocks& blocks);

}  // namespace atl
