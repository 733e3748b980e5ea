// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/mirror_exchange.hpp>
#include <atoll/graph/graph.hpp>
#include <vector>

/// For every vertex, the number of shortest paths from the source counted so far, and the number of tight edges into it
/// that have not contributed yet. What a rank adds at mirrors is reduced to their masters.
///
///     PathSums sums(graph);                      // collective
///     sums.clear();                              // before each source
///     sums.add_expected(thread, v);              // one more tight edge into v; any thread, with its number
///     sums.reduce();                             // collective
///     if (sums.add(thread, v, paths)) ...        // along one tight edge; true: v is a master and its sum is complete
///     sums.reduce();
///     sums.for_completed([](Local v) { ... });   // masters whose sum the last reduce() has completed
namespace atl {

class PathSums {
 public:
  explicit PathSums(const Graph& graph);
  PathSums(const PathSums&) = delete;
  PathSums& operator=(const PathSums&) = delete;

  void clear();
  void add_expected(int thread, Local v) {
    add(sums_[v].missing, 1);
    if (is_mirror(v)) touch(thread, v * kLanes + kMissing);
  }
  bool add(int thread, Local v, double paths) {
    Sums& sums = sums_[v];
    add(sums.paths, paths);
    const bool last = add(sums.missing, -1) == 0;
    if (!is_mirror(v)) return last;
    touch(thread, v * kLanes + kPaths);
    touch(thread, v * kLanes + kMissing);
    return false;
  }
  void start_at(Local source) { sums_[source].paths = 1; }
  double paths(Local v) const { return sums_[v].paths; }
  /// Marks v as done, so that for_completed() never reports it again.
  void close(Local v) { sums_[v].missing = kClosed; }

  void reduce();
  /// Makes for_completed() ignore what reduce() has received so far.
  void ignore_received();
  template <class F>
  void for_completed(F&& f);
  std::size_t memory_bytes() const { return lanes_.memory_bytes() + sums_.size() * sizeof(Sums); }

 private:
  // A vertex's two lanes in the exchange.
  struct Sums {
    double paths;    // of a mirror: this rank's part, not reduced yet
    double missing;  // likewise
  };
  static constexpr Local kPaths = 0, kMissing = 1, kLanes = 2;
  static constexpr double kClosed = -1;

  static const Graph& with_lanes(const Graph& graph);
  bool is_mirror(Local v) const { return v >= first_mirror_; }
  void touch(int thread, Local lane) {
    if (changed_.set(lane)) touched_[thread].push_back(lane);
  }
  // Returns the sum.
  double add(double& into, double value) const {
    if (!serial_) return std::atomic_ref(into).fetch_add(value, std::memory_order_acq_rel) + value;
    return into += value;
  }

  World& world_;
  const bool serial_;  // one thread
  const Local first_mirror_;
  MirrorExchange<double, SumOf> lanes_;
  Array<Sums> sums_;                         // [local]
  VertexBits changed_;                       // [local][lane]; clear between exchanges
  std::vector<std::vector<Local>> touched_;  // [thread] changed lanes of mirrors
  std::vector<std::size_t> mirrored_;        // words of 64 masters, of which some have mirrors
};

template <class F>
void PathSums::for_completed(F&& f) {
  for (const std::size_t word : mirrored_)
    for (std::size_t w = word * kLanes; w < (word + 1) * kLanes; ++w)
      for (std::uint64_t bits = std::exchange(changed_.at(w), 0), at = w * 64; bits; bits >>= kLanes, at += kLanes) {
        const Sums& sums = sums_[at / kLanes];  // sums of 0: the reduction has sent a whole block
        if ((bits & 3) != 0 && sums.missing == 0 && sums.paths > 0) f(static_cast<Local>(at / kLanes));
      }
}

}  // namespace atl
