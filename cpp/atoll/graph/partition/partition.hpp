// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/numbering.hpp>
#include <atoll/graph/partition/cut.hpp>
#include <atoll/topology/hierarchy.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

/// Which rank owns which vertex (docs/partitions.md).
///
///     IdMap ids = number(world, edges);                          // dense by id, in blocks
///     ids = assign(world, edges, std::move(ids), {Partition::hierarchy});   // collective; numbers anew
///     Graph graph = Graph::build(world, edges, ids, options);    // Graph::build of an EdgeList&& does all three
///
/// A partition is a rank for each vertex. Whatever it is, the vertices of a rank are numbered in a row, by ascending
/// id.
namespace atl {

enum class Partition {
  blocked,    ///< as many ids in a row on each rank: costs nothing
  balanced,   ///< ids in a row, cut so that vertices + edges are even (Gemini's rule with alpha = 1)
  hashed,     ///< by a hash of the id
  hierarchy,  ///< clusters of neighbours, along the tree of domains [1, section 6.3]
};
// [1] TuCOMM: Communication Hierarchy-aware Graph Engine for Distributed Model Training.

const std::vector<std::string>& partition_names();
/// UsageError that lists the names.
Partition partition_named(std::string_view name);

struct PartitionOptions {
  Partition partition = Partition::blocked;
  /// hierarchy: neighbours of low degree become super-vertices first, which are placed as one.
  bool fusion = true;
  Cut cut = Cut::edge;        ///< who has the edges; over several ranks
  Edge heavy = kHeavyDegree;  ///< hybrid: entering edges from which on a vertex is heavy
};

/// [k] the rank of the k-th vertex of this rank's block, were the graph spread over `machine`, which may be larger than
/// this job. `edges` are number()ed. The same however many ranks compute it. Collective; adds the seconds of its steps.
std::vector<Rank> owners_of(World& world, const EdgeList& edges, const IdMap& ids, const Hierarchy& machine,
                            const PartitionOptions& placement, std::map<std::string, double>* seconds = nullptr);

/// Numbers the vertices anew so that each rank's block holds what the partition gives it: overwrites the edges'
/// columns. Collective.
IdMap assign(World& world, EdgeList& edges, IdMap ids, const PartitionOptions& placement,
             std::map<std::string, double>* seconds = nullptr);

/// What an edge and a vertex weigh in the balance of ranks: one each, an edge at either end.
std::vector<Edge> weights_of(World& world, const EdgeList& edges, const Blocks& blocks);

}  // namespace atl
