// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/topology/hierarchy.hpp>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

/// The cost of messages across the levels of a hierarchy, as a value [1].
///
///     Cost cost = Cost::paper();                        // 3 levels, latencies 1 : 2 : 15
///     cost.seconds(h.level_between(a, b), 4096);        // one message of 4096 bytes from a to b
///     cost.total(h, traffic).seconds();                 // all messages of a run, one after the other
///
/// It does not model contention for links; the simulation does.
///
/// [1] TuCOMM: Communication Hierarchy-aware Graph Engine for Distributed Model Training, sections 3 and 4.
namespace atl {

/// What a message costs between two ranks whose level_between is this level.
struct LevelCost {
  double latency_s = 0;  ///< end to end, of an empty message
  double bytes_per_second =
      1e9;                ///< level 0: of a rank's link; above: of each domain's uplink to that level; may be infinite
  double overhead_s = 0;  ///< processor time per message, sum of both ends
  /// Above level 0: the uplink and the downlink consist of this many network cards, each of bytes_per_second / cards.
  /// The first ranks of a domain use its first card, and so on.
  int cards = 1;
};

/// A sum of messages (one entry of equation 1's double sum).
struct Flow {
  Rank from = 0, to = 0;
  std::int64_t messages = 0;
  std::int64_t bytes = 0;  ///< of all these messages together
};

/// Equation 3: d_0 + d_l^h. The cost of the messages if all ranks shared a leaf domain, and what crossing levels adds.
struct TotalCost {
  double intra_s = 0;
  double inter_s = 0;
  double seconds() const { return intra_s + inter_s; }
};

class Cost {
 public:
  /// levels[0] is inside a leaf domain. `provenance`: measured when, where and how. Throws InputError unless there
  /// is a level, every value is >= 0 and every bandwidth > 0, level 0 has one card, and no level has less latency or
  /// overhead than the one below it.
  explicit Cost(std::vector<LevelCost> levels, std::string provenance = {});

  /// Definition 3.2's own figures: what one end pays inside its leaf, and inter[l-1] for its step from level l-1
  /// to l. In seconds, or in the paper's unit U; messages have no size.
  static Cost of_steps(double intra, std::span<const double> inter);

  /// The machine of section 2.1, Tianhe-Exa: between shelves a message takes twice as long as inside one, between
  /// racks 15 times. The base of 1 microsecond, 12.5 GB/s per rank, 50 GB/s per domain's uplink (4 : 1 tapered at 16
  /// ranks per leaf), 0.2 microseconds of the processor, and 7.5 times the latency at each further level, are ours.
  static Cost paper(int depth = 3);

  static Cost from_json(const nlohmann::json& j);
  nlohmann::json to_json() const;

  /// Number of levels that have a cost.
  int depth() const { return static_cast<int>(levels_.size()); }
  const LevelCost& at(int level) const { return levels_[static_cast<std::size_t>(level)]; }
  const std::vector<LevelCost>& levels() const { return levels_; }
  /// Of one message between two ranks of that level: the slowest link on its way.
  double bytes_per_second(int level) const { return slowest_[static_cast<std::size_t>(level)]; }
  const std::string& provenance() const { return provenance_; }

  /// Throws InputError if the hierarchy has levels that have no cost here. The calls below rely on it.
  void check_covers(const Hierarchy& h) const;

  /// One message of so many bytes between two ranks whose level_between is `level`.
  double seconds(int level, std::size_t bytes) const {
    const LevelCost& l = at(level);
    return l.overhead_s + l.latency_s + static_cast<double>(bytes) / bytes_per_second(level);
  }

  /// ComCost^intra of one end, and ComCost^inter(level - 1, level) of one end: half of what is measured end to end.
  double intra() const { return levels_[0].latency_s / 2; }
  double inter(int level) const { return (at(level).latency_s - at(level - 1).latency_s) / 2; }

  /// Definition 3.2, and d_ij of equation 2, whose indices do not fit as printed: the latency of an empty message.
  double between(const Hierarchy& h, Rank i, Rank j) const;

  /// Equations 1, 3 and 4, over the messages that there are. O(entries).
  TotalCost total(const Hierarchy& h, std::span<const Flow> traffic) const;

 private:
  std::vector<LevelCost> levels_;
  std::vector<double> slowest_;  // [level]
  std::string provenance_;
};

/// Derives domains from measured costs: ranks whose cost is under h share a leaf (h of algorithm 1), and so do those
/// joined by a chain of such ranks. `cost` is ranks x ranks by rows, in seconds. The diagonal is ignored, and of the
/// two directions the smaller counts, because a disturbed measurement is only ever too long. Several rising thresholds
/// give as many levels; one that joins all ranks is the top, and one that joins no more ranks than the one below adds
/// no level. Throws InputError.
Hierarchy cluster(std::span<const double> cost, std::span<const double> h);
Hierarchy cluster(std::span<const double> cost, double h);

}  // namespace atl
