// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/betweenness/betweenness.hpp>
#include <atoll/algorithms/betweenness/path_sums.hpp>
#include <atoll/algorithms/betweenness/scaled_count.hpp>
#include <atoll/algorithms/betweenness/tight_edges.hpp>
#include <atoll/algorithms/sssp/sssp.hpp>
#include <atoll/engine/mirror_exchange.hpp>
#include <memory>
#include <span>
#include <vector>

/// Betweenness where paths are as long as the sum of their weights: what class Betweenness does then, on any number of
/// ranks. Distances are Sssp<double>'s; an edge u -> v is on a shortest path (tight) if dist(u) + w == dist(v).
///
///     BetweennessWeighted betweenness(graph);      // collective
///     betweenness.run(sources, result);            // collective
///
/// Memory beside the graph and the Sssp: 33 bytes for each local vertex, 40 for each master, 4 for each tight edge; and 16
/// for each local vertex once there are more shortest paths than a double can count.
namespace atl {

class BetweennessWeighted {
 public:
  /// Collective. InputError, the same on all ranks, if the graph has no weights, or one that is not finite and above 0:
  /// with edges of weight 0 there may be any number of equally short ways.
  explicit BetweennessWeighted(const Graph& graph);
  BetweennessWeighted(const BetweennessWeighted&) = delete;
  BetweennessWeighted& operator=(const BetweennessWeighted&) = delete;

  /// As Betweenness::run(). InputError too where a weight is so small that a distance plus it is that distance, and where
  /// whole numbers add up to a distance from 2^53 on.
  void run(std::span<const Vertex> sources, BetweennessResult& result);
  std::size_t memory_bytes() const;

 private:
  struct Level {
    std::size_t begin = 0, end = 0;  // in entries_
  };
  struct Round {
    std::size_t begin = 0, end = 0;  // in levels_: what this rank has counted before it told the others
  };
  struct alignas(128) Thread {
    std::vector<Local> found;  // masters all of whose paths have come
    bool overflow = false;
  };

  struct Scaled {
    explicit Scaled(const Graph& graph)
        : exchange(graph, {}, kPlaces),
          counts(static_cast<std::size_t>(graph.locals())),
          changed(graph.locals() * kPlaces) {}
    static constexpr Local kPlaces = 2;  // of a count, in the exchange
    MirrorExchange<double, SumOf> exchange;
    Array<ScaledCount> counts;  // [local] paths; 0 where not counted yet
    VertexBits changed;         // [local][place]; clear between exchanges
  };

  void from(Vertex source);
  void refuse_rounded_sums() const;
  void learn_distances();
  void find_tight();
  void count_paths(Local source);
  void push_paths(int thread, Local u);
  Level close_level();
  void count_scaled(Local source);
  void tell_counts(const Round& round);
  template <class Paths, class Given>
  void depend(Local source, Paths&& paths, Given&& given);
  void tell_given(const Round& round);
  template <class F>
  void for_level(const Level& level, F&& f);
  template <class F>
  void for_round(const Round& round, F&& f);

  const Graph& graph_;
  World& world_;
  Team& team_;
  Sssp<double> sssp_;
  const bool may_round_;  // weights are whole numbers, of which paths may be beyond 2^53
  SsspResult<double> found_;
  TightEdges tight_;
  PathSums sums_;
  MirrorExchange<double, MinOf> values_;  // that masters tell
  Array<double> distance_;                // [local]
  Array<double> given_;                   // [local] (1 + delta) / sigma of what is finished, backwards
  Array<double> score_;                   // [local master]
  VertexBits told_;                       // [local]; clear between exchanges
  std::vector<Local> entries_;            // masters in the order in which their paths were counted
  std::vector<Level> levels_;
  std::vector<Round> rounds_;
  std::vector<Thread> threads_;
  std::unique_ptr<Scaled> scaled_;  // once a double was too narrow
};

}  // namespace atl
