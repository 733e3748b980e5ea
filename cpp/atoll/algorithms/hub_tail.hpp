// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <vector>

/// The lists of a one-rank graph, split by where their ends stand: at a hub or in the tail.
///
/// A sum over neighbours is bound by the gathers. The first kMostHubs of the hubs that the relabelling has sorted have
/// most of the ends, 16 bits name one, and their values fit the caches near a core. The others, the tail, are sorted by
/// their number of hub ends, so that loops of equal length follow each other and their ends are predicted.
///
///     position   0 .. hubs-1: the hubs by local number; then the tail; vertices without edges have none
namespace atl {

struct HubTail {
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

  std::size_t hubs = 0, positions = 0;
  Array<Local> local_of;        ///< [position]
  Lists<HubId> hub_from_hub;    ///< [hub] entering edges from hubs
  Lists<HubId> tail_from_hub;   ///< [position - hubs] entering edges from hubs
  Lists<Local> tail_from_tail;  ///< [position - hubs] entering edges from the tail
  Lists<HubId> tail_to_hub;     ///< [position - hubs] leaving edges to hubs; undirected: none, it is tail_from_hub
  std::vector<Chunk> hub_chunks, tail_chunks;

  /// As many chunks of about equal work as `team` shares out well. The graph's World has one rank.
  HubTail(Team& team, const Graph& graph);
  std::size_t memory_bytes() const;
};

}  // namespace atl
