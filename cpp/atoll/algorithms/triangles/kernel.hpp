// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/isa/isa.hpp>
#include <atoll/graph/graph.hpp>
#include <memory>
#include <optional>

/// Triangles of an undirected graph on one rank, by vertex.
///
///     if (auto counts = LocalTriangles::of(graph)) {
///       counts->count();                                    // any number of times
///       counts->at(v), counts->degree(v)
///     }
///
/// Vertices are ordered by local number: hubs come first, by falling degree, so the front of a sorted list is a short
/// list of heavier neighbours, and no forward lists are built. A hub's front is also stored as a row of bits. For a
/// vertex and a hub on its list, the hub's row is intersected with the vertex's bits, 64 at a time; the list of any
/// other neighbour is looked up in the vertex's marks, or where the vertex has few in these. Memory: 20 bytes a vertex,
/// 8 more for each thread, and at most kRows^2 / 16 bytes.
namespace atl {

class LocalTriangles {
 public:
  /// Maximum rows of bits; they take 17 MB, which fits a cache (kron:20: 8192 take 1.4 times as long, 32768 as long).
  static constexpr Local kRows = 16384;

  /// Empty if the graph is distributed over several ranks, is directed, or has two edges between the same two vertices.
  static std::optional<LocalTriangles> of(const Graph& graph);

  void count();

  /// Triangles that an active vertex is in, since count().
  Edge at(Local v) const;
  /// Number of neighbours except itself.
  Local degree(Local v) const { return degree_[v]; }

  /// Intersects `row` with `count` words of `bits`; the k-th corresponds to the row's words[k]. Increments the counter
  /// in `tally` (64 for each k) of each common bit; returns the number of common bits.
  using MatchRow = int (*)(const std::uint64_t* row, const std::uint32_t* words, const std::uint64_t* bits,
                           std::size_t count, std::uint8_t* tally);
  /// Writes the vertices of `list` whose bit is set in `marks` to `found`, which has 16 spare entries; returns their
  /// number.
  using MatchList = std::size_t (*)(const std::uint32_t* marks, const Local* list, std::size_t size, Local* found);
  struct Kernels {
    MatchRow match_row;
    MatchList match_list;
  };
  static Kernels kernels(Isa isa);
  std::size_t memory_bytes() const;

 private:
  // Neighbours with lower numbers.
  struct Front {
    const Local* begin;
    std::size_t size;
  };
  struct alignas(128) Thread {
    Array<Edge> corners;               // [active]
    Array<std::uint32_t> marks;        // one bit per vertex: the current list
    std::vector<std::uint32_t> words;  // for the hubs in it: indices of non-zero words, and the words
    std::vector<std::uint64_t> bits;
    std::vector<std::uint8_t> tally;  // [words][64]
    std::vector<Local> found;
  };

  explicit LocalTriangles(const Graph& graph);
  bool find_fronts();
  void fill_rows();
  void close(Thread& mine, Local v);
  void close_few(Thread& mine, Local v);
  void close_by_rows(Thread& mine, Local v, std::size_t in_rows);
  void close_by_marks(Thread& mine, Local v, std::size_t in_rows);
  template <class F>
  void for_lists_of(std::size_t v, F&& f) const;
  void take_tally(Thread& mine, const Local* list, std::size_t size);
  std::uint64_t* row(Local u) {
    // The rows before it have 1, 2, ... words, 64 rows of each length.
    const auto block = static_cast<std::size_t>(u) / 64, within = static_cast<std::size_t>(u) % 64;
    return rows_.data() + 32 * block * (block + 1) + within * (block + 1);
  }

  const Graph* graph_;
  Team* team_;
  Kernels kernels_;
  std::size_t active_;
  Local hubs_;                 // number of rows
  Array<Front> fronts_;        // [active]
  Array<Local> degree_;        // [active]
  Array<std::uint64_t> rows_;  // concatenated; the row of hub u has u bits
  bool can_have_any_ = false;  // some front has two vertices
  bool scattered_ = false;     // lists do not fit a cache, and are prefetched
  std::vector<Thread> threads_;
};

#if defined(__x86_64__)
LocalTriangles::Kernels triangle_kernels_avx2();
LocalTriangles::Kernels triangle_kernels_avx512();
#endif

}  // namespace atl
