// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <vector>

/// The entering edges of a rank's masters, split by the degree of their sources: hubs, and the others (the tail).
///
/// A sum over neighbours is bound by its gathers. Hubs hold most edge endpoints, are addressed by 16 bits, and their
/// values fit the caches of a core: they are the first of the hubs that the relabelling has sorted on each rank,
/// kMostHubs on all ranks together. Tail rows are sorted by their number of hub neighbours, so that consecutive loops
/// have equal lengths and their exits are predicted.
///
///     position   0 .. own_hubs-1        own hubs by local number
///                own_hubs .. hubs-1     mirrors of remote hubs, by rank
///                hubs .. rows-1         the own tail; vertices without edges have no position
///                rows .. positions-1    mirrors of remote tail vertices, by rank
///
/// An edge from a tail vertex to a hub is stored only in tail_to_hub of the tail vertex's rank. A sum pushes along it
/// from there, and then reduces the values of mirrors of hubs to their masters.
namespace atl {

struct DegreeSplitCsr {
  using HubId = std::uint16_t;
  static constexpr Local kMostHubs = 1 << 16;
  /// Padding entries after the last list, which prefetches may read.
  static constexpr std::size_t kSlack = 64;

  /// Contiguous lists with 4-byte counts per row instead of 8-byte offsets; each chunk stores where its lists begin.
  template <class Id>
  struct Lists {
    Array<std::uint32_t> count;  ///< [row]
    Array<Id> ids;               ///< positions
  };
  /// A range of rows, and where its lists begin.
  struct Chunk {
    std::size_t begin = 0, end = 0;  ///< positions
    std::size_t hub_from = 0, tail_from = 0, hub_to = 0;
  };

  /// The mirrors of a rank's vertices. They are contiguous by local number too, hubs first.
  struct Group {
    Local local = 0;                       ///< local number of the first
    std::size_t hubs = 0, tail = 0;        ///< number of mirrored hubs and tail vertices
    std::size_t hubs_at = 0, tail_at = 0;  ///< positions of the first ones
  };

  std::size_t own_hubs = 0, hubs = 0, rows = 0, positions = 0;
  std::vector<Group> groups;    ///< one for each rank that has vertices mirrored here
  Array<Local> local_of;        ///< [position below rows]; -1: a mirror
  Lists<HubId> hub_from_hub;    ///< [own hub] entering edges from hubs
  Lists<HubId> tail_from_hub;   ///< [position - hubs] entering edges from hubs
  Lists<Local> tail_from_tail;  ///< [position - hubs] entering edges from the tail
  Lists<HubId>
      tail_to_hub;  ///< [position - hubs] leaving edges to hubs; empty if undirected: then equal to tail_from_hub
  std::vector<Chunk> hub_chunks, tail_chunks;

  /// Makes enough chunks of about equal work to balance the threads of `team`. Collective.
  DegreeSplitCsr(Team& team, const Graph& graph);
  std::size_t memory_bytes() const;
};

}  // namespace atl
