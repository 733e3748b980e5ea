// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/betweenness/path_sums.hpp>
#include <atoll/algorithms/betweenness/scaled_count.hpp>
#include <atoll/algorithms/betweenness/tight_edges.hpp>
#include <atoll/algorithms/betweenness/variant.hpp>
#include <atoll/algorithms/bfs/bfs.hpp>
#include <atoll/algorithms/sssp/sssp.hpp>
#include <atoll/engine/mirror_exchange.hpp>
#include <optional>
#include <span>
#include <vector>

/// Betweenness by weighted path length, on any number of ranks. Distances are computed by Sssp<double>; an edge u -> v
/// is on a shortest path (tight) if dist(u) + w == dist(v). By edges, for which the other forms are faster, distances
/// are those of Bfs; they serve for the betweenness of edges over ranks, and for numbers of paths that overflow a double.
///
///     BetweennessWeighted betweenness(graph);      // collective
///     betweenness.run(sources, result);            // collective
///
/// Memory beside the graph and the Sssp: 33 bytes for each local vertex, 40 for each master, 4 for each tight edge; and
/// 16 for each local vertex once there are more shortest paths than a double can count.
namespace atl {

class BetweennessWeighted final : public BetweennessVariant {
 public:
  /// Collective. InputError, the same on all ranks, if the graph has no weights, or one that is not finite and above 0:
  /// with edges of weight 0 the number of shortest paths may be infinite.
  explicit BetweennessWeighted(const Graph& graph, PathLength length = PathLength::weights);

  /// Runs as Betweenness::run() does. Throws InputError also if a weight is too small to change a distance, or if
  /// whole-number weights sum to a distance of 2^53 or more.
  void run(std::span<const Vertex> sources, BetweennessResult& result, const Progress& progress = {}) override;
  /// The same for the edges of this rank's masters: adds to by_edge[index into graph.out()] what paths along that
  /// direction of an edge give it. Collective.
  void run_edges(std::span<const Vertex> sources, Array<double>& by_edge, const Progress& progress = {});
  std::size_t memory_bytes() const override;

 private:
  struct Level {
    std::size_t begin = 0, end = 0;  // in entries_
  };
  struct Round {
    std::size_t begin = 0, end = 0;  // in levels_: levels that this rank has counted between two exchanges
  };
  struct alignas(128) Thread {
    std::vector<Local> found;  // masters whose path counts are complete
    bool overflow = false;
  };

  void add_sources(std::span<const Vertex> sources, const Progress& progress);
  void add_source(Vertex source);
  void find_distances(Vertex source);
  void refuse_rounded_sums() const;
  void broadcast_distances();
  void find_tight();
  void count_paths(Local source);
  void push_paths(int thread, Local u);
  Level close_level();
  void count_scaled(Local source);
  template <class Paths, class Coefficient>
  void accumulate(Local source, Paths&& paths, Coefficient&& coefficient);
  template <class Coefficient>
  void add_to_edges(Local v, double paths, Coefficient&& coefficient);
  void broadcast(const Round& round, Array<double>& values);
  template <class F>
  void for_level(const Level& level, F&& f);
  template <class F>
  void for_round(const Round& round, F&& f);

  const Graph& graph_;
  World& world_;
  Team& team_;
  const PathLength length_;
  std::optional<Sssp<double>> sssp_;  // by weights
  std::optional<Bfs> bfs_;            // by edges
  const bool may_round_;              // weights are whole numbers, and paths may reach 2^53
  SsspResult<double> found_;
  BfsResult levels_found_;
  Array<double>* by_edge_ = nullptr;  // during run_edges()
  TightEdges tight_;
  PathSums sums_;
  MirrorExchange<double, MinOf> values_;  // broadcasts of masters' values
  Array<double> distance_;                // [local]
  Array<double> coefficient_;             // [local] (1 + delta) / sigma of finished vertices, in the backward phase
  Array<double> score_;                   // [local master]
  VertexBits changed_;                    // [local]; clear between exchanges
  std::vector<Local> entries_;            // masters in the order in which their paths were counted
  std::vector<Level> levels_;
  std::vector<Round> rounds_;
  std::vector<Thread> threads_;
  // [local] paths as ScaledCounts; 0 where not counted yet. After the first overflow.
  Array<double> scaled_value_, scaled_steps_;
};

}  // namespace atl
