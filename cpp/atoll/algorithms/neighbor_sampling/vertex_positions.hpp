// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/base/random.hpp>
#include <atoll/base/types.hpp>
#include <bit>
#include <vector>

namespace atl {

/// A hash table from vertices to their positions in a list, with linear probing.
///
///     positions.clear(expected);
///     const std::int64_t at = positions.find_or_add(vertex, list.size());   // list.size(): it was not there
///
/// Memory: 16 bytes a slot, twice as many slots as vertices at least.
class VertexPositions {
 public:
  void clear(std::size_t expected) {
    slots_.assign(std::max(slots_.size(), std::bit_ceil(2 * expected + 2)), {kNoVertex, 0});
    used_ = 0;
  }
  void prefetch(Vertex v) const { __builtin_prefetch(&slots_[slot_of(v)]); }
  std::int64_t find_or_add(Vertex v, std::int64_t position) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[probe(v)];
    if (slot.vertex == kNoVertex) {
      slot = {v, position};
      ++used_;
    }
    return slot.position;
  }
  std::size_t memory_bytes() const { return slots_.capacity() * sizeof(Slot); }

 private:
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

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

}  // namespace atl
