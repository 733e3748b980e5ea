// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/apsp/model/apsp_machine.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Predicts the time of all-pairs shortest paths on a grid of ranks [1, section IV.D].
///
///     const ApspMachine machine = ApspMachine::frontier();
///     const std::vector<ApspPrediction> ways = predict_apsp(machine, {.n = 7'065'600, .ranks = 147'200});
///     ways[0].plan;                // grid, block and broadcast of the best one
///     ways[0].time.ideal_s();      // equation 3;  worst_s(): equation 4
///     ways[0].memory_fits;
///
/// Pure; a prediction takes a few hundred operations, comparing all plans for 147,200 ranks some milliseconds.
///
/// [1] R. Kannan et al. Exaflop/s Biomedical Knowledge Graph Analytics (COAST). SC22.
namespace atl {

/// rows x cols ranks; the ranks of a node form an inner grid, which divides it.
struct ApspGrid {
  int rows = 1, cols = 1;            ///< Px, Py
  int node_rows = 1, node_cols = 1;  ///< Qr, Qc
  int ranks() const { return rows * cols; }
  bool operator==(const ApspGrid&) const = default;
};

/// The choices of a run.
struct ApspPlan {
  ApspGrid grid;
  std::int64_t block = 0;  ///< b
  std::string broadcast;   ///< of panels: one of ApspMachine::broadcasts
};

/// Which of the product's two curves gives the kernel's rate. The paper projects by size; by_both uses the curve by
/// block, reduced by the distance of the curve by size from its asymptote.
enum class KernelRate { by_size, by_block, by_both };

/// Equations 1 to 4, in seconds.
///
/// Equation 1 is applied to the rank with the most blocks. Equation 2's bandwidth term is applied to network links of
/// nodes: process rows and columns are counted in nodes, and a row or column within one node sends nothing. It is
/// multiplied by how often a node sends each panel, which depends on the broadcast and on the placement of the node's
/// ranks (node_sends): once in a ring, more often in ring2m and in a tree; once if no links are known. Its latency term
/// counts one and a half times for each side of the grid: a step waits for the owners of the next panels, one hop away
/// whatever the broadcast.
struct ApspTime {
  double compute_s = 0;   ///< equation 1
  double latency_s = 0;   ///< equation 2, first term
  double transfer_s = 0;  ///< equation 2, second term
  /// The critical path of a step, which the paper leaves out: its diagonal block, and the panels' products (the
  /// previous step's outer product on them, and their update).
  double chain_s = 0;
  double steps = 1;  ///< the broadcasts of the first one are not hidden

  double communicate_s() const { return latency_s + transfer_s; }
  double ideal_s() const { return std::max(compute_s, communicate_s()); }  ///< equation 3: one hides the other
  double worst_s() const { return compute_s + communicate_s(); }           ///< equation 4: nothing is hidden
  /// The longer of computing and of critical path plus broadcasts, plus the part of the shorter that is not hidden
  /// (overlap 1: as much as possible is hidden; 0: nothing).
  double expected_s(double overlap) const {
    const double other = communicate_s() + chain_s;
    return std::max(compute_s, other) + (1 - overlap * (1 - 1 / steps)) * std::min(compute_s, other);
  }
  /// Position of a measured time: 0 is ideal, 1 worst; outside this range the model errs. 0 if both are equal.
  double place_of(double measured_s) const {
    return worst_s() > ideal_s() ? (measured_s - ideal_s()) / (worst_s() - ideal_s()) : 0;
  }
};

ApspTime time_of(const ApspMachine& machine, std::int64_t n, const ApspPlan& plan,
                 KernelRate kernel = KernelRate::by_both);

/// Bytes on the fullest node: its part of the matrix in all copies, and the panels of two steps (look-ahead).
double node_bytes_of(const ApspMachine& machine, std::int64_t n, const ApspPlan& plan);

/// The inner grid for this many ranks of a node with the least network traffic: Qr/Px near Qc/Py (appendix B.3). 1 x 1
/// if no inner grid divides the whole one.
ApspGrid with_node_grid(int ranks_per_node, int rows, int cols);

struct ApspQuery {
  std::int64_t n = 0;
  Rank ranks = 1;
  KernelRate kernel = KernelRate::by_both;
  std::optional<double> overlap = {};            ///< none: that of the machine
  std::optional<std::pair<int, int>> grid = {};  ///< only this Px, Py
  std::optional<std::int64_t> block = {};        ///< only this b; else multiples of 64 up to 4096
  std::string broadcast = {};                    ///< only this one; "": any
};

struct ApspPrediction {
  ApspPlan plan;
  ApspTime time;
  double expected_s = 0;
  double node_bytes = 0;
  bool memory_fits = true;
  /// Additions and minima per second of the whole machine: 2 n^3 over the expected time.
  double rate = 0;
};

/// All plans, best first; those that fit in memory precede all others. Throws InputError for an invalid query (n or
/// ranks < 1, partly filled nodes, a grid with another number of ranks).
std::vector<ApspPrediction> predict_apsp(const ApspMachine& machine, const ApspQuery& query);

/// The largest n whose best plan fits in memory, and the fewest nodes on which n fits (a single node may be partly
/// filled). Both throw InputError if the machine's memory is not known.
std::int64_t largest_apsp(const ApspMachine& machine, Rank ranks);
int fewest_nodes(const ApspMachine& machine, std::int64_t n);

}  // namespace atl
