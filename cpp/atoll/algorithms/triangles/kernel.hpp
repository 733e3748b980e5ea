// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/triangles/fronts.hpp>
#include <atoll/base/isa/isa.hpp>
#include <functional>
#include <optional>

/// Triangles of an undirected graph on one rank, by vertex.
///
///     if (auto counts = LocalTriangles::of(graph)) {
///       counts->count([&](int) { counts->at(v), counts->degree(v) ... });     // any number of times
///     }
///
/// A vertex's triangles are those in which it has the highest local number. For a vertex with a short front (fronts.hpp)
/// all pairs of that are tested. For another one and a hub on its list, the hub's row is intersected with the vertex's
/// bits, 64 at a time; the list of any other neighbour is looked up in the vertex's marks. Memory: that of the fronts,
/// and 8 bytes a vertex for each thread.
namespace atl {

class LocalTriangles {
 public:
  /// Empty if the graph is distributed over several ranks, is directed, or has two edges between the same two vertices.
  static std::optional<LocalTriangles> of(const Graph& graph);

  /// Calls then(thread) on each thread once all have counted: in one region, since on small graphs to wake the threads
  /// takes as long as to count.
  void count(const std::function<void(int)>& then);

  /// Triangles that an active vertex is in, since count().
  Edge at(Local v) const {
    Edge triangles = 0;
    for (const Thread& t : threads_) triangles += t.count[v];
    return triangles;
  }
  /// False if neither it nor the 63 vertices beside it are in any.
  bool any_near(Local v) const {
    bool any = false;
    for (const Thread& t : threads_) any |= t.touched[static_cast<std::size_t>(v) / 64];
    return any;
  }
  /// Number of neighbours except itself.
  Local degree(Local v) const { return fronts_.degree[v]; }

  /// Intersects `row` with `count` words of `bits`; the k-th corresponds to the row's words[k]. Increments the counter
  /// in `tally` (64 for each k) of each common bit; returns the number of common bits.
  using MatchRow = int (*)(const std::uint64_t* row, const std::uint32_t* words, const std::uint64_t* bits,
                           std::size_t count, std::uint8_t* tally);
  /// Writes the vertices of `list` whose bit is set in `marks` to `found`, which has 16 spare entries; returns their
  /// number.
  using MatchList = std::size_t (*)(const std::uint32_t* marks, const Local* list, std::size_t size, Local* found);
  /// close_short_fronts() for one width of records.
  using CloseShort = void (*)(const Fronts& fronts, std::size_t a, std::size_t b, const Corners& corners);
  struct Kernels {
    MatchRow match_row;
    MatchList match_list;
    CloseShort close_4, close_8;
  };
  static Kernels kernels(Isa isa);
  std::size_t memory_bytes() const;

 private:
  struct alignas(128) Thread {
    Array<Edge> count;                 // [active] triangles
    Array<std::uint8_t> touched;       // [active / 64 + 1]
    Array<std::uint32_t> marks;        // one bit per vertex: the current list
    std::vector<std::uint32_t> words;  // for the hubs in it: indices of non-zero words, and the words
    std::vector<std::uint64_t> bits;
    std::vector<std::uint8_t> tally;  // [words][64]
    std::vector<Local> found;

    Corners corners() { return {count.data(), touched.data()}; }
    void clear();
  };

  LocalTriangles(Team& team, Fronts&& fronts);
  void close_large(Thread& mine, std::size_t word);
  void close_by_rows(Thread& mine, Local v, std::size_t in_rows);
  void close_by_marks(Thread& mine, Local v, std::size_t in_rows);
  template <class F>
  void for_lists_of(Local v, F&& f) const;
  void take_tally(Thread& mine, const Local* list, std::size_t size);

  Team* team_;
  Kernels kernels_;
  Fronts fronts_;
  std::vector<Thread> threads_;
};

#if defined(__x86_64__)
LocalTriangles::Kernels triangle_kernels_avx2();
LocalTriangles::Kernels triangle_kernels_avx512();
#endif

}  // namespace atl
