// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/communities/level.hpp>
#include <atoll/base/parallel.hpp>

/// Makes each set of a partition one vertex of the next level [3.3 of GVE-Louvain].
///
///     const Local sets = number_sets(partition, level.rows);          // partition: now 0 .. sets-1
///     aggregation.run(level, Workers::team, sets, sets, partition, next);
namespace atl {

/// Renumbers sets that are named by numbers below `rows` to 0 .. their number - 1, in the same order.
Local number_sets(Array<Local>& set, std::size_t rows);

class Aggregation {
 public:
  explicit Aggregation(Team& team, std::vector<ThreadSums>& sums)
      : team_(team), sums_(sums), out_(static_cast<std::size_t>(team.size())) {}

  /// `set`: [target] a number, of rows below `sets`, of others below `known`; these become targets without rows.
  void run(const Level& level, Workers workers, std::size_t sets, std::size_t known, const Array<Local>& set,
           CoarseLevel& next);
  std::size_t memory_bytes() const;

 private:
  struct alignas(128) Thread {
    std::vector<Local> targets;
    std::vector<double> weights;
  };
  struct Part {
    int thread;
    std::size_t begin;
  };

  Team& team_;
  std::vector<ThreadSums>& sums_;
  std::vector<Thread> out_;
  std::vector<Local> members_;      // rows by set
  std::vector<std::size_t> first_;  // [set] of its members
  std::vector<Part> parts_;         // [set] where a thread has put its list
};

}  // namespace atl
