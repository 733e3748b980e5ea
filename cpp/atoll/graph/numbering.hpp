// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/edge_list.hpp>
#include <atoll/graph/partition/blocks.hpp>
#include <atoll/runtime/world.hpp>

/// Maps original ids to dense global numbers 0 .. n-1 and back. Dense numbers ascend by original id; each rank has a
/// block.
///
///     IdMap ids = number(world, edges);      // collective; edges.source and .target are dense afterwards
///     ids.id_of(7);                          // original id of the 8th vertex of this rank's block
///
/// A partition other than blocks of ids (partition/partition.hpp) renumbers: then ids ascend only within each rank's
/// block.
namespace atl {

class IdMap {
 public:
  IdMap() = default;
  /// Ids first, first + 1, ...: nothing to store.
  IdMap(Vertex first, Blocks blocks, Rank rank) : first_(first), blocks_(std::move(blocks)), rank_(rank) {}
  /// Whether ids ascend also from each block to the next.
  enum class Ascends : bool { within_blocks, throughout };
  /// This rank's block of ascending ids.
  IdMap(std::vector<Vertex> ids, Blocks blocks, Rank rank, Ascends ascends = Ascends::throughout)
      : table_(true),
        ascends_(ascends == Ascends::throughout),
        ids_(std::move(ids)),
        blocks_(std::move(blocks)),
        rank_(rank) {}

  const Blocks& blocks() const { return blocks_; }
  Vertex count() const { return blocks_.count(); }
  /// Original id of the k-th vertex of this rank's block.
  Vertex id_of(Vertex k) const { return table_ ? ids_[k] : first_ + blocks_.begin(rank_) + k; }
  /// Position of `id` in this rank's block, or -1 if it is not here.
  Vertex find_here(Vertex id) const;
  /// The number of vertices in this rank's block with smaller ids.
  Vertex lower_bound_here(Vertex id) const;
  bool ascends() const { return ascends_; }
  /// Whether ids are first() + dense number, so that no communication is needed to map them.
  bool is_range() const { return !table_; }
  Vertex first() const { return first_; }
  /// The largest original id on any rank.
  Vertex largest() const { return largest_; }
  void set_largest(Vertex id) { largest_ = id; }
  std::size_t memory_bytes() const { return ids_.capacity() * sizeof(Vertex); }

 private:
  bool table_ = false, ascends_ = true;
  Vertex first_ = 0;
  Vertex largest_ = -1;
  std::vector<Vertex> ids_;
  Blocks blocks_;
  Rank rank_ = 0;
};

/// Replaces the ids in `edges` by dense numbers, in place and as narrow as they fit. Collective. InputError, the same
/// on all ranks, where an id lies outside edges.range. Memory beyond the edges: n bits per rank where ids are nearly
/// compact, else a hash table of the distinct ids of this rank's slice.
IdMap number(World& world, EdgeList& edges);

}  // namespace atl
