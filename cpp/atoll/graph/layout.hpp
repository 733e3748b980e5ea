// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>

/// Copies of parts of a graph in the order in which a kernel reads them. An algorithm that needs one builds it once,
/// before its searches.
namespace atl {

/// The first two neighbours of local vertices, column-major as in the ELLPACK format: most vertices find their parent
/// there, and the first neighbours of 16 vertices are one vector. Ids are copied beside them, so that a search writes
/// original ids without a lookup.
template <class Id>
struct EllPrefix {
  static constexpr int kColumns = 2;
  Array<Local> vertex[kColumns];  ///< [local]; or `none`, a bit that is never set
  Array<Id> id[kColumns];         ///< [local] original id of vertex[c]
  Array<std::uint64_t> more;      ///< [word] bit of each vertex with more than kColumns neighbours

  /// Takes the lists of the vertices below `rows`.
  EllPrefix(Team& team, const Csr& csr, Local rows, Local none, const Array<Id>& ids);
  std::size_t memory_bytes() const;
};

/// The map from local order back to owned indices, for streaming: the tail has the same order in both, hubs are looked
/// up.
struct OwnedIndexOrder {
  Array<std::uint64_t> tail, hub;  ///< [owned index / 64] bit of each tail vertex, each hub
  Array<Local> first_tail,
      first_hub;          ///< [owned index / 64] local number of its first tail vertex; position in hub_list
  Array<Local> hub_list;  ///< local numbers of the hubs, by owned index

  OwnedIndexOrder(Team& team, const Graph& graph);
  std::size_t memory_bytes() const;
};

}  // namespace atl
