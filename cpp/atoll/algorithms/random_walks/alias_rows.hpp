// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/random.hpp>
#include <atoll/engine/id_ordered_rows.hpp>

namespace atl {

/// Alias tables [1], one for each adjacency list: draws a neighbour in proportion to the edges' weights in constant time.
///
///     const AliasRows alias(team, rows);
///     alias.at(rows.begin(v) + slot).drawn(fraction);          // of a slot drawn uniformly
///
/// Memory: 16 bytes an edge. [1] M. D. Vose. "A linear algorithm for generating random numbers with a given
/// distribution." IEEE Trans. Software Eng. 17(9), 1991.
class AliasRows {
 public:
  struct Slot {
    double keep;  // chance of `kept`
    Local kept, other;
    Local drawn(double fraction) const { return fraction < keep ? kept : other; }
  };
  AliasRows() = default;
  /// The rows have weights. A list whose weights are all 0 has slots with -1, no vertex.
  AliasRows(Team& team, const Graph& graph, const IdOrderedRows& rows);

  bool empty() const { return slots_.empty(); }
  const Slot& at(Edge e) const { return slots_[index(e)]; }
  std::size_t memory_bytes() const { return slots_.size() * sizeof(Slot); }

 private:
  Array<Slot> slots_;
};

}  // namespace atl
