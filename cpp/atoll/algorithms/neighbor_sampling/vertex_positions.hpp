// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/base/random.hpp>
#include <atoll/base/types.hpp>
#include <bit>
#include <vector>

namespace atl {

/// Positions of vertices in a list.
///
///     VertexPositions positions(bound);                                     // all vertices are below the bound
///     positions.clear(expected);
///     const std::int64_t at = positions.find_or_add(vertex, list.size());   // list.size(): it was not there
///
/// Up to kTableBound it is a table of all vertices, 8 bytes each; else a hash table with linear probing, 16 bytes a slot,
/// twice as many slots as vertices at least.
class VertexPositions {
 public:
  /// A table of 8 MiB. Below it samples of [15, 10] from 7,650 vertices took a tenth less than with the hash and answers
  /// that were joined first; larger tables were not measured.
  static constexpr Vertex kTableBound = Vertex{1} << 20;

  explicit VertexPositions(Vertex bound) {
    if (bound <= kTableBound) table_.assign(static_cast<std::size_t>(bound), kNowhere);
  }
  void clear(std::size_t expected) {
    if (!table_.empty()) {
      for (const Vertex v : added_) table_[static_cast<std::size_t>(v)] = kNowhere;
      added_.clear();
      return;
    }
    slots_.assign(std::max(slots_.size(), std::bit_ceil(2 * expected + 2)), {kNoVertex, 0});
    used_ = 0;
  }
  void prefetch(Vertex v) const {
    if (table_.empty()) __builtin_prefetch(&slots_[slot_of(v)]);
  }
  std::int64_t find_or_add(Vertex v, std::int64_t position) {
    if (!table_.empty()) {
      std::int64_t& at = table_[static_cast<std::size_t>(v)];
      if (at == kNowhere) {
        at = position;
        added_.push_back(v);
      }
      return at;
    }
    if (2 * (used_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[probe(v)];
    if (slot.vertex == kNoVertex) {
      slot = {v, position};
      ++used_;
    }
    return slot.position;
  }
  std::size_t memory_bytes() const {
    return slots_.capacity() * sizeof(Slot) + table_.capacity() * sizeof(std::int64_t) +
           added_.capacity() * sizeof(Vertex);
  }

 private:
  static constexpr std::int64_t kNowhere = -1;
  struct Slot {
    Vertex vertex;
    std::int64_t position;
  };
  std::size_t slot_of(Vertex v) const { return mix64(static_cast<std::uint64_t>(v)) & (slots_.size() - 1); }
  std::size_t probe(Vertex v) const {
    std::size_t k = slot_of(v);
    while (slots_[k].vertex != kNoVertex && slots_[k].vertex != v) k = (k + 1) & (slots_.size() - 1);
    return k;
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size(), {kNoVertex, 0});
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.vertex != kNoVertex) slots_[probe(slot.vertex)] = slot;
  }

  std::vector<std::int64_t> table_;  // [vertex]; empty: the slots have all
  std::vector<Vertex> added_;        // those in the table
  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

}  // namespace atl
