// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <optional>

/// For every vertex of one rank the neighbours with lower local numbers: the front of its list. Hubs have the lowest
/// numbers, by falling degree, so fronts are short lists of heavier neighbours, and no forward lists are built.
///
///     if (auto fronts = Fronts::of(graph))
///       for (const Local u : fronts->list[v]) ...         // ascending
///     fronts->record(v)[k], fronts->row(hub)[w]           // the same neighbours, in the forms in which they are searched
///
/// A hub's front is also stored as a row of bits, a short one also in a record of fixed size: on meshes and road networks
/// nearly all are short, and a record is one vector. Memory: 20 bytes a vertex, 16 or 32 more for its record, and at most
/// kMostRows^2 / 16 bytes.
namespace atl {

/// Triangles by vertex, of one thread.
struct Corners {
  Edge* count;            ///< [active]
  std::uint8_t* touched;  ///< [active / 64 + 1] whether any of 64 vertices has been added to

  void add(Local v, Edge n) const {
    count[v] += n;
    touched[static_cast<std::uint32_t>(v) / 64] = 1;
  }
};

struct Fronts {
  /// Maximum rows of bits; they take 17 MB, which fits a cache (kron:20: 8192 take 1.4 times as long, 32768 as long).
  static constexpr Local kMostRows = 16384;
  /// Maximum vertices of a short front.
  static constexpr std::size_t kShort = 8;
  /// Entries of a record: after the last vertex, the first one if the front does not fit, and all of record 0, which has
  /// no vertex and equals no entry of another one.
  static constexpr Local kNone = -1, kLong = -2, kAbsent = -3;

  struct List {
    const Local* first;
    std::size_t size;
    const Local* begin() const { return first; }
    const Local* end() const { return first + size; }
  };

  Array<List> list;            // [active]
  Array<Local> degree;         // [active] number of neighbours except itself
  Local rows = 0;              // hubs below have rows of bits
  Array<std::uint64_t> bits;   // concatenated; the row of hub u has u bits
  std::size_t width = 0;       // entries of a record: 4 or kShort
  Array<Local> records;        // [active][width]
  Array<std::uint64_t> small;  // bit v: the front fits a record, and has two vertices or more
  Array<std::uint64_t> large;  // bit v: it does not fit
  bool any_large = false;
  bool mixed_sizes = false;  // short fronts of two and of more are both frequent: no branch tells which it is
  bool scattered = false;    // lists of neighbours are not in a cache, and are prefetched

  /// Empty if the graph is distributed over several ranks, is directed, or has two edges between the same two vertices.
  static std::optional<Fronts> of(const Graph& graph);

  const Local* record(std::size_t v) const { return records.data() + v * width; }
  const std::uint64_t* row(Local u) const { return bits.data() + row_begin(u); }
  std::size_t memory_bytes() const {
    return list.size() * sizeof(List) + (degree.size() + records.size()) * sizeof(Local) +
           (bits.size() + small.size() + large.size()) * sizeof(std::uint64_t);
  }

 private:
  // The rows before it have 1, 2, ... words, 64 rows of each length.
  static std::size_t row_begin(Local u) {
    const auto block = static_cast<std::size_t>(u) / 64, within = static_cast<std::size_t>(u) % 64;
    return 32 * block * (block + 1) + within * (block + 1);
  }
  bool find_lists(const Graph& graph);
  void fill_rows(Team& team);
  void fill_records(Team& team);
};

}  // namespace atl
