// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/betweenness/betweenness.hpp>
#include <atoll/algorithms/betweenness/scaled_count.hpp>
#include <atoll/engine/mirror_exchange.hpp>
#include <span>
#include <vector>

/// The dependencies of a batch of sources over ranks where the number of shortest paths to a vertex overflows a double,
/// as on grids and roads. The levels are known; paths are counted again as ScaledCounts.
///
///     BetweennessScaled<4> scaled(graph);          // collective
///     scaled.add(levels, score);                   // collective; levels[d]: this rank's vertices of level d
///
/// Memory: 16 bytes a lane for each local vertex, and again for each master.
namespace atl {

/// A vertex of a level, and the lanes (sources) for which it is in that level.
struct BetweennessEntry {
  Local vertex;
  std::uint8_t lanes;
};

template <int kLanes>
class BetweennessScaled {
 public:
  /// Collective. InputError, the same on all ranks, if a rank has more vertices and mirrors than lanes have numbers
  /// for.
  explicit BetweennessScaled(const Graph& graph);
  BetweennessScaled(const BetweennessScaled&) = delete;
  BetweennessScaled& operator=(const BetweennessScaled&) = delete;

  /// Adds the dependencies delta(v) of all vertices to score, by local number of the masters, except for those of level
  /// 0. Collective.
  void add(std::span<const std::span<const BetweennessEntry>> levels, std::span<double> score);
  std::size_t memory_bytes() const {
    return (contributions_.size() + own_.size()) * sizeof(ScaledCount) + exchange_.memory_bytes();
  }

 private:
  using Entries = std::span<const BetweennessEntry>;
  // A lane's ScaledCount takes two lanes of the exchange.
  static constexpr Local kPlaces = 2 * kLanes;
  static_assert(sizeof(ScaledCount) == 2 * sizeof(double));

  static const Graph& with_places(const Graph& graph);
  ScaledCount* own(Local v) { return own_.data() + static_cast<std::size_t>(v) * kLanes; }
  ScaledCount* contributions(Local v) { return contributions_.data() + static_cast<std::size_t>(v) * kLanes; }
  void count(Entries level);
  void accumulate(Entries level, std::span<double> score);
  void broadcast_values(Entries level);
  void clear_rows(Entries level);
  template <class F>
  void for_entries(Entries entries, F&& f);

  const Graph& graph_;
  World& world_;
  MirrorExchange<double, SumOf> exchange_;
  const std::size_t mirrors_;         // first mirror
  Array<ScaledCount> contributions_;  // [local][lane] of the level broadcast last; elsewhere 0
  Array<ScaledCount> own_;  // [local master][lane] paths; in the backward phase, when done: (1 + delta) / paths
  VertexBits changed_;      // [local][place]; clear between exchanges
  std::vector<Local> updated_mirrors_;  // mirrors that the last broadcast has updated
};

}  // namespace atl
