// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <vector>

namespace atl {

/// Trussness of the edges of an undirected graph by peeling over ranks, each of which has the lists of its vertices. Used by
/// class TrussNumbers.
///
///     DistributedTrussPeeling peeling(graph);     // collective, as is run()
///     peeling.run(of_edge);                       // of this rank's edges, in the order of for_each_edge(); as many values
///
/// Memory: 16 bytes for each neighbour of an own vertex, 20 for each own vertex; in messages up to 8 MiB a rank, or the list
/// of one vertex.
class DistributedTrussPeeling {
 public:
  explicit DistributedTrussPeeling(const Graph& graph);

  void run(Array<Vertex>& of_edge);
  std::size_t memory_bytes() const;

 private:
  using Words = std::vector<std::uint64_t>;
  enum class State : std::uint8_t { left, current, removed };
  // A neighbour on the list of an own vertex.
  struct Entry {
    Vertex node;        // dense
    Local support = 0;  // at home: triangles of edges not removed; once removed, those when it was
    State state = State::left;
    bool is_home;  // this end has the edge's support: that of the smaller id
    bool asks;     // this end sends its list to the other: that of fewer neighbours
  };
  struct Place {
    Local row;
    Edge at;
  };
  // An edge by its ends, the home first.
  struct Ends {
    Vertex home, other;
  };
  class Queries;

  void list_neighbours();
  void start();
  void peel();
  Local truss(Local v, Local u) const;
  void count_triangles();
  Local next_level(Local level);
  void remove(Local level);
  Edge mark_current();
  void take_away(Local level);
  void count_common(const Words& message, std::vector<Local>& counts);
  void find_triangles(const Words& message);
  void take_triangle(std::vector<std::vector<Ends>>& lowered, Vertex a, Vertex b, std::uint64_t word,
                     const Entry& third) const;
  void lower(std::span<const Ends> edges, Local level);
  void drop_removed();

  std::span<Entry> row(Local r) { return {entries_.data() + begin_[r], static_cast<std::size_t>(size_[r])}; }
  Local row_of(Vertex dense) const { return static_cast<Local>(dense - first_); }
  Vertex dense_of(Local r) const { return first_ + r; }
  Place find(Vertex own, Vertex other) const;
  Entry& entry(const Place& place) { return entries_[static_cast<std::size_t>(place.at)]; }
  template <class F>
  void for_rows(F&& f);

  const Graph& graph_;
  World& world_;
  Team& team_;
  const std::vector<Vertex> dense_;  // [local]
  const Vertex first_;               // dense number of row 0
  const Local rows_;
  Array<Edge> begin_;                     // [row], rows + 1
  Array<Local> size_;                     // [row] entries that may be left; those behind them are removed
  Array<Entry> entries_;                  // by dense number, those that may be left
  std::vector<Place> remaining_;          // edges that have their home here, but for some that are removed
  std::vector<Place> current_;            // of them, those that are being removed
  std::vector<Place> touched_;            // entries that are current, of either end
  std::vector<std::vector<Place>> next_;  // [thread] edges that have come down to the level
  std::vector<std::vector<std::vector<Ends>>> lowered_;  // [thread][rank of the home] edges that lose a triangle
};

}  // namespace atl
