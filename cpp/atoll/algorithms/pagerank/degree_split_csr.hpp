// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <vector>

/// The entering edges of a rank's masters, split by where their sources stand: at a hub or in the tail.
///
/// A sum over neighbours is bound by the gathers. The first of the hubs that the relabelling has sorted on each rank,
/// kMostHubs on all ranks together, have most of the ends, 16 bits name one, and their values fit the caches near a core.
/// The others, the tail, are sorted by their number of hub ends, so that loops of equal length follow each other and
/// their ends are predicted.
///
///     position   0 .. own_hubs-1        own hubs by local number
///                own_hubs .. hubs-1     mirrors of others' hubs, by rank
///                hubs .. rows-1         the own tail; vertices without edges have no position
///                rows .. positions-1    mirrors of others' tails, by rank
///
/// An edge from the tail to a hub is in tail_to_hub of the tail's rank alone: whoever adds up pushes it from there, and
/// sends what its mirrors of hubs have got to their masters.
namespace atl {

struct DegreeSplitCsr {
  using HubId = std::uint16_t;
  static constexpr Local kMostHubs = 1 << 16;
  /// Entries that may be read, not used, after the last of a list.
  static constexpr std::size_t kSlack = 64;

  /// Lists one after the other: 4 bytes a row are read instead of an offset's 8; where each chunk begins is stored.
  template <class Id>
  struct Lists {
    Array<std::uint32_t> count;  ///< [row]
    Array<Id> ids;               ///< positions
  };
  /// A run of rows, and where its lists begin.
  struct Chunk {
    std::size_t begin = 0, end = 0;  ///< positions
    std::size_t hub_from = 0, tail_from = 0, hub_to = 0;
  };

  /// The mirrors of a rank's vertices: they lie in a row by local number too, its hubs in front.
  struct Group {
    Local local = 0;                       ///< of the first
    std::size_t hubs = 0, tail = 0;        ///< how many
    std::size_t hubs_at = 0, tail_at = 0;  ///< positions of the first ones
  };

  std::size_t own_hubs = 0, hubs = 0, rows = 0, positions = 0;
  std::vector<Group> groups;    ///< of mirrors, none that is empty
  Array<Local> local_of;        ///< [position below rows]; -1: a mirror
  Lists<HubId> hub_from_hub;    ///< [own hub] entering edges from hubs
  Lists<HubId> tail_from_hub;   ///< [position - hubs] entering edges from hubs
  Lists<Local> tail_from_tail;  ///< [position - hubs] entering edges from the tail
  Lists<HubId> tail_to_hub;     ///< [position - hubs] leaving edges to hubs; undirected: none, it is tail_from_hub
  std::vector<Chunk> hub_chunks, tail_chunks;

  /// As many chunks of about equal work as `team` shares out well. Collective.
  DegreeSplitCsr(Team& team, const Graph& graph);
  std::size_t memory_bytes() const;
};

}  // namespace atl
