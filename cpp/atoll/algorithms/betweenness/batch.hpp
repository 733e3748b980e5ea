// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atoll/algorithms/betweenness/betweenness.hpp>
#include <atoll/algorithms/betweenness/scaled.hpp>
#include <atoll/engine/mirror_exchange.hpp>
#include <memory>
#include <span>
#include <vector>

/// Betweenness over several ranks, from kLanes sources at a time: what class Betweenness does there. A vertex has a lane
/// for each source of the batch, an edge is read once for all of them, and one exchange carries what all have to say.
///
///     BetweennessBatch<4> betweenness(graph);      // collective; 1, 4
///     betweenness.run(sources, result);            // collective; any number of them
///
/// Memory beside the graph: 2 bytes and 8 a lane for each local vertex, 8 and 8 a lane for each master, 8 for each level
/// in which a vertex has a lane; where a double is too narrow, what BetweennessScaled takes.
namespace atl {

template <int kLanes>
class BetweennessBatch {
 public:
  explicit BetweennessBatch(const Graph& graph);
  BetweennessBatch(const BetweennessBatch&) = delete;
  BetweennessBatch& operator=(const BetweennessBatch&) = delete;

  void run(std::span<const Vertex> sources, BetweennessResult& result);
  std::size_t memory_bytes() const;

 private:
  using Lanes = std::uint8_t;  // a bit for each
  using Row = std::array<double, kLanes>;
  static_assert(kLanes >= 1 && kLanes <= 8);
  static constexpr Lanes kAll = static_cast<Lanes>((1 << kLanes) - 1);
  static constexpr Local kElsewhere = -1;  // a source
  using Entry = BetweennessEntry;
  // Of the vertices of a level, on one rank and then on all.
  struct Totals {
    Vertex vertices = 0;
    Edge out = 0, in = 0;   // edges that leave, enter them
    Edge finished = 0;      // enter those that are seen in all lanes now
    bool overflow = false;  // some have more paths than a double counts
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
    std::size_t begin = 0, end = 0;            // in entries_
    std::size_t told_begin = 0, told_end = 0;  // in told_: its mirrors here, where the next level has pulled
    bool told = false;
    Totals all;
  };
  struct alignas(128) Thread {
    std::vector<Entry> found;
    std::vector<Local> touched;
    Totals totals;
  };

  void from(std::span<const Local> sources);
  void count_paths(std::span<const Local> sources);
  void start(std::span<const Local> sources);
  void find(Thread& thread, Entry entry);
  Level close_level();
  void push_paths(const Level& level);
  void gather_touched();
  void gather_received();
  void pull_paths(Level& level);
  void give_by_push(const Level& level, const Level& above);
  void give_by_pull(const Level& level, const Level& above);
  void depend(Entry entry, const double* sums);
  void add_scaled();
  void tell(const Level& level);
  void note_told();
  void take_back(std::span<const Entry> list);
  void refresh();
  static bool touch(Lanes& into, Lanes lanes, bool alone);
  static void add(double* into, const Row& row, Lanes lanes, bool alone);

  double* offered(Local v) { return offered_.data() + static_cast<std::size_t>(v) * kLanes; }
  double* paths(Local v) { return paths_.data() + static_cast<std::size_t>(v) * kLanes; }
  static void clear_row(double* row) { std::fill(row, row + kLanes, 0.0); }
  void mark(Entry e) { changed_.set_group(e.vertex * kLanes, e.lanes); }
  std::span<double> all_offered() { return {offered_.data(), offered_.size()}; }
  std::span<const Entry> entries(const Level& level) const {
    return std::span(entries_).subspan(level.begin, level.end - level.begin);
  }
  std::span<const Entry> told(const Level& level) const {
    return std::span(told_).subspan(level.told_begin, level.told_end - level.told_begin);
  }
  template <class F>
  void for_entries(std::span<const Entry> list, std::size_t grain, F&& f);

  const Graph& graph_;
  World& world_;
  Team& team_;
  MirrorExchange<double, SumOf> exchange_;
  const std::size_t locals_, owned_, active_, mirrors_;  // mirrors_: the first
  const bool serial_;                                    // one thread
  const Edge push_cost_;                                 // backwards, in edges that are pulled along
  const Edge all_in_;                                    // edges that enter a vertex, of all ranks
  Array<Lanes> seen_;                  // [local]; of mirrors: in which it was told or reached from here
  Array<Lanes> next_;                  // [local] touched by pushing; 0 between levels
  Array<double> offered_;              // [local][lane]
  Array<double> paths_;                // [local master][lane]
  Array<double> score_;                // [local master]
  VertexBits changed_;                 // [local][lane]; clear between exchanges
  bool stale_ = true;                  // offered_ is not 0 everywhere
  std::vector<std::size_t> mirrored_;  // words of 64 masters of which another rank has a mirror
  std::vector<Entry> entries_, told_;  // level after level
  std::vector<Level> levels_;
  std::vector<Local> touched_;
  std::vector<Thread> threads_;
  std::unique_ptr<BetweennessScaled<kLanes>> scaled_;  // once it was needed
};

}  // namespace atl
