// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/triangles/forward_lists.hpp>
#include <atoll/algorithms/triangles/wedge_counts.hpp>
#include <atoll/engine/halo/halo_exchange.hpp>
#include <memory>

namespace atl {

/// Triangles by vertex over a vertex-cut: the rule of the cut distributes the forward lists, an edge at a time.
///
///     VertexCutTriangles counting(graph);          // collective
///     counting.count();                            // collective, any number of times
///     counting.triangles(v), counting.degree(v)    // v: an active master
///
/// Memory: 4 bytes for each pair of neighbours (directed: 5) at the rank that has one of them, and again where the rule puts
/// it, and 32 more there while the lists are distributed; 24 a master and 16 a mirror; for each vertex named on this rank 8,
/// if it is another rank's 16, and 9 more for each thread (directed: 17).
class VertexCutTriangles {
 public:
  explicit VertexCutTriangles(const Graph& graph);

  void count();
  Edge triangles(Local v) const { return counts_[0].corners[row_of(v)]; }
  /// Returns the edges between two neighbours of v in a directed graph, by direction.
  Edge edges(Local v) const { return counts_[0].edges[row_of(v)]; }
  Local degree(Local v) const { return lists_.degree(v); }
  std::size_t memory_bytes() const;

 private:
  using Words = std::vector<std::uint64_t>;

  void place_lists();
  std::size_t write_messages(Local v, std::vector<Words>& outgoing);
  std::size_t write_cartesian(Local v, std::vector<Words>& outgoing);
  std::size_t write_hybrid(Local v, std::vector<Words>& outgoing);
  std::size_t write(Rank to, Local v, std::initializer_list<std::span<const std::uint64_t>> sources,
                    std::initializer_list<std::span<const std::uint64_t>> targets, std::vector<Words>& outgoing);
  Words answer(const Words& message);
  template <bool kDirected>
  WedgeCounts::Sum close_wedges(int thread, std::span<const std::uint64_t> sources,
                                std::span<const std::uint64_t> targets);
  void add_answers(const std::vector<Words>& answers);
  std::uint64_t entry(Local v, std::size_t k) const;
  std::size_t row_of(Local master) const { return static_cast<std::size_t>(graph_.owned_index_of(master)); }
  std::size_t words_of_answer() const { return graph_.directed() ? 2 : 1; }

  const Graph& graph_;
  World& world_;
  Team& team_;
  const CutRule rule_;
  const ForwardLists lists_;
  const std::vector<Vertex> dense_;  // [local of the graph]
  std::vector<Rank> owner_;          // [local of the graph]
  // The part of the lists that the rule puts here, by rows of the plan: own vertices by owned index, then the others.
  std::shared_ptr<const HaloPlan> plan_;
  Array<Edge> begin_;  // [row], rows + 1
  Array<Local> targets_;
  Array<std::uint8_t> directions_;
  std::optional<HaloExchange<Edge, SumOf>> exchange_;
  std::vector<WedgeCounts> counts_;         // [thread], by rows of the plan
  std::vector<std::vector<Local>> marked_;  // [thread]
  std::vector<std::vector<Local>> asked_;   // [rank] the vertex of each message of the batch
  // While the messages of a vertex are written: its list by the rows and columns of the grid of owners; in a hybrid cut by
  // owner, all of it and the light vertices.
  std::vector<Words> by_row_, by_column_;
};

}  // namespace atl
