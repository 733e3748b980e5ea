// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <vector>

namespace atl {

/// Trussness of the edges of a simple graph by peeling, over the threads of one rank. Used by class TrussNumbers.
///
///     TrussPeeling peeling(team, n, lists);          // sorted lists of both ends; self-loops and repeats are left out
///     peeling.run();
///     peeling.truss(a, b)                            // of an edge
///
/// Nodes of high degree should have low numbers: an edge is numbered with its lower end, in the order of the upper ends.
/// Memory: 37 bytes an edge, and for each thread 4 bytes a node. Fewer than 2^32 edges.
class TrussPeeling {
 public:
  /// InputError if there are too many edges; `name` is the graph's.
  TrussPeeling(Team& team, std::size_t nodes, const Csr& lists, std::string_view name);

  void run();
  /// After run(): 2 or more; 0 of a self-loop.
  Local truss(Local a, Local b) const;
  std::size_t memory_bytes() const;

 private:
  using EdgeNumber = std::uint32_t;
  enum class State : std::uint8_t { left, current, removed };
  struct Entry {
    Local node;
    EdgeNumber edge;
  };
  struct alignas(128) Thread {
    Array<EdgeNumber> mark;  // [node] one more than the number of the edge to the marked node's list
    std::vector<EdgeNumber> left, found,
        next;  // edges not removed; those at the level; those that have come down to it
    Local least = 0;
  };
  static constexpr std::size_t kGrain = 256;

  void number_edges(const Csr& lists, std::string_view name);
  void fill_lists();
  void count_triangles();
  void scan(Local level);
  void remove(Local level);
  void lower(Thread& mine, EdgeNumber edge, Local level);
  void take_away(Thread& mine, std::size_t first, std::size_t end, Local level);
  void take_triangle(Thread& mine, EdgeNumber gone, EdgeNumber one, EdgeNumber other, Local level);
  void drop_removed();
  EdgeNumber edge_between(Local low, Local high) const;
  std::size_t edges() const { return high_.size(); }
  std::span<Entry> list(Local v) { return {entries_.data() + begin_[v], size_[v]}; }
  template <class F>
  void for_nodes(F&& f);
  template <class Take>
  std::vector<EdgeNumber> gathered(Take&& take);

  Team& team_;
  const std::size_t nodes_;
  Array<Edge> first_;        // [node] edges to higher ones, size + 1
  Array<Edge> begin_;        // [node] list of entries
  Array<Local> low_, high_;  // [edge] its ends
  Array<Entry> entries_;     // of edges not removed, and of some that are
  Array<std::size_t> size_;  // [node] entries
  Array<Local> support_;     // [edge] triangles of edges not removed; once removed, those when it was
  Array<Local> more_;        // [edge] while triangles are counted: those that other threads may count
  Array<State> state_;       // [edge]
  std::vector<EdgeNumber> current_;
  std::vector<Thread> threads_;
};

}  // namespace atl
