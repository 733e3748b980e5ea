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

/// The cost of a message between two ranks whose level_between is this level.
struct LevelCost {
  double latency_s = 0;  ///< end to end, of an empty message
  double bytes_per_second =
      1e9;                ///< of a rank's link at level 0; of each domain's uplink to this level above. May be infinite
  double overhead_s = 0;  ///< processor time per message, sum of both ends
  /// Above level 0: the uplink and the downlink consist of this many network cards, each of bytes_per_second / cards.
  /// The first ranks of a domain use its first card, and so on.
  int cards = 1;
  /// Ranks read and write each other's memory across these links by themselves (NVLink, PCIe inside a host), so that a
  /// row costs no more alone than among others; elsewhere a proxy or a network card takes overhead_s for each message.
  bool on_board = false;
  /// The most messages of this level that a rank's link passes in a second, in either direction, whatever their length
  /// (its network card's message rate). 0: no limit.
  double messages_per_second = 0;
};

/// A sum of messages (one entry of equation 1's double sum).
struct Flow {
  Rank from = 0, to = 0;
  std::int64_t messages = 0;
  std::int64_t bytes = 0;  ///< of all these messages together
};

/// Equation 3: d_0 + d_l^h. The cost as if all ranks shared a leaf domain, and the additional cost of crossing levels.
struct TotalCost {
  double intra_s = 0;
  double inter_s = 0;
  double seconds() const { return intra_s + inter_s; }
};

class Cost {
 public:
  /// levels[0] is the level inside a leaf domain; `provenance` says when, where and how the costs were measured. Throws
  /// InputError unless there is at least one level, every value is >= 0 and every bandwidth > 0, level 0 has one card,
  /// and latency and overhead never decrease from a level to the next.
  explicit Cost(std::vector<LevelCost> levels, std::string provenance = {});

  /// The quantities of definition 3.2: the cost of one end inside its leaf, and inter[l-1], the cost of one end for
  /// crossing from level l-1 to l. In seconds, or in the paper's unit U; bandwidth is infinite.
  static Cost of_steps(double intra, std::span<const double> inter);

  /// The machine of section 2.1, Tianhe-Exa: a message between shelves takes twice as long as inside one, between racks
  /// 15 times. The rest is our assumption: a base of 1 microsecond, 12.5 GB/s per rank, 50 GB/s per domain's uplink
  /// (tapered 4 : 1 at 16 ranks per leaf), 0.2 microseconds of processor time, and 7.5 times the latency for each
  /// further level.
  static Cost paper(int depth = 3);

  static Cost from_json(const nlohmann::json& j);
  nlohmann::json to_json() const;

  /// Number of levels that have a cost.
  int depth() const { return static_cast<int>(levels_.size()); }
  const LevelCost& at(int level) const { return levels_[level]; }
  const std::vector<LevelCost>& levels() const { return levels_; }
  /// Bytes per second of one message between two ranks at that level: the bandwidth of the slowest link on its route.
  double bytes_per_second(int level) const { return slowest_[level]; }
  const std::string& provenance() const { return provenance_; }

  /// Throws InputError if the hierarchy has more levels than this cost. The calls below require that it has not.
  void check_covers(const Hierarchy& h) const;

  /// One message of `bytes` bytes between two ranks whose level_between is `level`.
  double seconds(int level, std::size_t bytes) const {
    const LevelCost& l = at(level);
    return l.overhead_s + l.latency_s + static_cast<double>(bytes) / bytes_per_second(level);
  }

  /// ComCost^intra and ComCost^inter(level - 1, level) of one end: half of the time measured end to end.
  double intra() const { return levels_[0].latency_s / 2; }
  double inter(int level) const { return (at(level).latency_s - at(level - 1).latency_s) / 2; }

  /// Definition 3.2, and d_ij of equation 2 (its printed indices are inconsistent): the latency of an empty message.
  double between(const Hierarchy& h, Rank i, Rank j) const;

  /// Equations 1, 3 and 4, summed over the given messages. O(entries).
  TotalCost total(const Hierarchy& h, std::span<const Flow> traffic) const;

 private:
  std::vector<LevelCost> levels_;
  std::vector<double> slowest_;  // [level]
  std::string provenance_;
};

/// Derives domains from measured costs: ranks whose cost is below h share a leaf (h of algorithm 1), also transitively.
/// `cost` is a ranks x ranks matrix by rows, in seconds. The diagonal is ignored, and the smaller of the two directions
/// counts, because noise can only lengthen a measurement. Several ascending thresholds give as many levels: one
/// that joins all ranks is the top level, and one that joins no more ranks than the one below adds no level. Throws
/// InputError.
Hierarchy cluster(std::span<const double> cost, std::span<const double> h);
Hierarchy cluster(std::span<const double> cost, double h);

}  // namespace atl
