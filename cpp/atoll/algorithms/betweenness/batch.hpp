// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atoll/algorithms/betweenness/variant.hpp>
#include <atoll/engine/mirror_exchange.hpp>
#include <span>
#include <vector>

/// Betweenness over several ranks for batches of kLanes sources. A vertex has a lane for each source of the batch; an
/// edge is read once for all lanes, and one exchange has the values of all lanes.
///
///     BetweennessBatch<4> betweenness(graph);      // collective; 1, 4
///     betweenness.run(sources, result);            // collective; any number of them
///
/// Over a vertex-cut mirrors have a part of their vertex's edges. So each level is broadcast to them, pushed or pulled
/// along the edges of masters and mirrors alike, and what mirrors have summed is reduced; the backward phase pulls, and
/// reduces in the same way.
///
/// Memory beside the graph: 2 bytes and 8 a lane for each local vertex, 8 and 8 a lane for each master, 8 for each
/// level in which a vertex has a lane; over a vertex-cut 8 more a lane for each local vertex, and 4 an edge.
namespace atl {

/// A vertex of a level, and the lanes (sources) for which it is in that level.
struct BetweennessEntry {
  Local vertex;
  std::uint8_t lanes;
};

template <int kLanes>
class BetweennessBatch {
 public:
  explicit BetweennessBatch(const Graph& graph);
  BetweennessBatch(const BetweennessBatch&) = delete;
  BetweennessBatch& operator=(const BetweennessBatch&) = delete;

  /// Runs as Betweenness::run() does, but returns the sources of batches in which a number of shortest paths overflows a
  /// double; their dependencies are not in the result. The same on all ranks.
  std::vector<Vertex> run(std::span<const Vertex> sources, BetweennessResult& result, const Progress& progress = {});
  std::size_t memory_bytes() const;

 private:
  using Lanes = std::uint8_t;  // one bit per lane
  using Row = std::array<double, kLanes>;
  static_assert(kLanes >= 1 && kLanes <= 8);
  static constexpr Lanes kAll = static_cast<Lanes>((1 << kLanes) - 1);
  static constexpr Local kElsewhere = -1;  // a source of another rank
  using Entry = BetweennessEntry;
  // Sums over the vertices of a level, on one rank and then on all.
  struct Totals {
    Vertex vertices = 0;
    Edge out = 0, in = 0;   // leaving and entering edges
    Edge finished = 0;      // entering edges of vertices that are now seen in all lanes
    bool overflow = false;  // a number of paths has overflowed a double
    Totals& operator+=(const Totals& other) {
      vertices += other.vertices;
      out += other.out;
      in += other.in;
      finished += other.finished;
      overflow = overflow || other.overflow;
      return *this;
    }
  };
  struct Level {
    std::size_t begin = 0, end = 0;                  // in entries_
    std::size_t mirrors_begin = 0, mirrors_end = 0;  // its mirrors in updated_mirrors_, if the next level has pulled
    bool was_broadcast = false;
    Totals all;
  };
  struct alignas(128) Thread {
    std::vector<Entry> found;
    std::vector<Local> touched;
    Totals totals;
  };

  bool add_sources(std::span<const Local> sources);
  bool count_paths(std::span<const Local> sources);
  void start(std::span<const Local> sources);
  void find(Thread& thread, Entry entry);
  Level close_level();
  void broadcast_level(Level& level);
  void push_paths(Level& level);
  void find_summed();
  void gather_touched();
  void gather_received();
  void pull_paths(Level& level);
  void accumulate_by_push(const Level& level, const Level& above);
  void accumulate_by_pull(const Level& level, const Level& above);
  void accumulate_over_cut(const Level& above);
  void accumulate(Entry entry, const double* sums);
  void broadcast_values(const Level& level);
  void collect_updated_mirrors();
  void clear_rows(std::span<const Entry> list, double* rows);
  void clear_contributions();
  void clear_received();
  static Entry nonzero(Entry e, const double* rows);
  void mark_nonzero(Entry e, const double* rows) { mark(nonzero(e, rows)); }
  static bool touch(Lanes& into, Lanes lanes, bool serial);
  static void add(double* into, const Row& row, Lanes lanes, bool serial);

  double* contributions(Local v) { return contributions_.data() + static_cast<std::size_t>(v) * kLanes; }
  double* sums(Local v) { return sums_ + static_cast<std::size_t>(v) * kLanes; }
  double* paths(Local v) { return paths_.data() + static_cast<std::size_t>(v) * kLanes; }
  static void clear_row(double* row) { std::fill(row, row + kLanes, 0.0); }
  void mark(Entry e) { changed_.set_group(e.vertex * kLanes, e.lanes); }
  std::span<double> all_contributions() { return {contributions_.data(), contributions_.size()}; }
  std::span<double> all_sums() { return {sums_, contributions_.size()}; }
  std::span<const Entry> entries(const Level& level) const {
    return std::span(entries_).subspan(level.begin, level.end - level.begin);
  }
  std::span<const Entry> mirrors_of(const Level& level) const {
    return std::span(updated_mirrors_).subspan(level.mirrors_begin, level.mirrors_end - level.mirrors_begin);
  }
  template <class F>
  void for_entries(std::span<const Entry> list, std::size_t grain, F&& f);

  const Graph& graph_;
  World& world_;
  Team& team_;
  const GraphView view_;
  const VertexCut* const cut_;  // nullptr if the edges are cut
  const Csr transposed_;        // of the cut
  const Csr &out_, &in_;        // of masters, and over a vertex-cut of mirrors
  MirrorExchange<double, SumOf> exchange_;
  const std::size_t locals_, owned_, active_, mirrors_;  // mirrors_: first mirror
  const bool serial_;                                    // one thread
  const Edge push_cost_;                                 // cost of a pushed edge in the backward phase, in pulled edges
  const Edge all_in_;                                    // entering edges on all ranks
  Array<Lanes> seen_;                  // [local]; of a mirror: lanes received in a broadcast or reached from here
  Array<Lanes> next_;                  // [local] lanes touched by the current push; 0 between levels
  Array<double> contributions_;        // [local][lane]
  Array<double> sums_over_cut_;        // [local][lane] beside the contributions, which mirrors read in the same level
  double* const sums_;                 // what a level adds up: contributions_, or sums_over_cut_; 0 between levels
  Array<double> paths_;                // [local master][lane]
  Array<double> score_;                // [local master]
  VertexBits changed_;                 // [local][lane]; clear between exchanges
  bool stale_ = true;                  // contributions_ may be non-zero
  std::vector<std::size_t> mirrored_;  // words of 64 masters, of which some have mirrors
  std::vector<Entry> entries_, updated_mirrors_;  // level after level
  std::vector<Level> levels_;
  std::vector<Local> touched_;
  std::vector<Thread> threads_;
};

}  // namespace atl
