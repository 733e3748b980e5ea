// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/apsp/model/apsp_machine.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// How long all pairs' shortest paths take on a grid of ranks, before the run [1, section IV.D].
///
///     const ApspMachine machine = ApspMachine::frontier();
///     const std::vector<ApspPrediction> ways = predict_apsp(machine, {.n = 7'065'600, .ranks = 147'200});
///     ways[0].plan;                // grid, block and broadcast of the best one
///     ways[0].time.ideal_s();      // equation 3;  worst_s(): equation 4
///     ways[0].memory_fits;
///
/// Pure; a prediction is a few hundred operations, all ways of 147,200 ranks take some milliseconds.
///
/// [1] R. Kannan et al. Exaflop/s Biomedical Knowledge Graph Analytics (COAST). SC22.
namespace atl {

/// rows x cols ranks; those of one node form an inner grid, which divides it.
struct ApspGrid {
  int rows = 1, cols = 1;            ///< Px, Py
  int node_rows = 1, node_cols = 1;  ///< Qr, Qc
  int ranks() const { return rows * cols; }
  bool operator==(const ApspGrid&) const = default;
};

/// What a run may choose.
struct ApspPlan {
  ApspGrid grid;
  std::int64_t block = 0;  ///< b
  std::string broadcast;   ///< of panels: a name among ApspMachine::broadcasts
};

/// Which of the product's two curves is the kernel's rate. The paper projects by size; by_both takes the block's curve,
/// lowered by how far the size is from its asymptote.
enum class KernelRate { by_size, by_block, by_both };

/// Equations 1 to 4, in seconds.
///
/// As equation 1, but for the rank that has most blocks. Equation 2's bandwidth term holds for what crosses a node's way
/// to the network: its process rows and columns are counted in nodes, and a row or column within one node sends nothing. It
/// is taken as often as nodes send a panel, which depends on the broadcast and on where the node's ranks lie (node_sends):
/// once in a ring, more often in ring2m and in a tree; where no links are known, once. Its latency term is taken one and a half
/// times for each side of the grid: a step waits for who has the next panels, one hop away whatever the broadcast.
struct ApspTime {
  double compute_s = 0;   ///< equation 1
  double latency_s = 0;   ///< equation 2, first term
  double transfer_s = 0;  ///< equation 2, second term
  /// What a step waits for, and the paper leaves out: its diagonal block, and the panels' products: the outer product of the
  /// step before on them, and their update.
  double chain_s = 0;
  double steps = 1;  ///< nothing hides the first one's broadcasts

  double communicate_s() const { return latency_s + transfer_s; }
  double ideal_s() const { return std::max(compute_s, communicate_s()); }  ///< equation 3: one hides the other
  double worst_s() const { return compute_s + communicate_s(); }           ///< equation 4: nothing is hidden
  /// Computing on one side, the chain and the broadcasts on the other: the longer, and of the shorter what is not hidden
  /// (overlap: 1 all is, as far as there is room; 0 nothing).
  double expected_s(double overlap) const {
    const double other = communicate_s() + chain_s;
    return std::max(compute_s, other) + (1 - overlap * (1 - 1 / steps)) * std::min(compute_s, other);
  }
  /// Where a measured time lies: 0 as ideal, 1 as worst; beyond either where the model errs. 0 if both are the same.
  double place_of(double measured_s) const {
    return worst_s() > ideal_s() ? (measured_s - ideal_s()) / (worst_s() - ideal_s()) : 0;
  }
};

ApspTime time_of(const ApspMachine& machine, std::int64_t n, const ApspPlan& plan,
                 KernelRate kernel = KernelRate::by_both);

/// What the fullest node holds: its part of the matrix in all copies, and the panels of two steps (look-ahead).
double node_bytes_of(const ApspMachine& machine, std::int64_t n, const ApspPlan& plan);

/// The inner grid of so many ranks of a node that sends least over the network: Qr/Px near Qc/Py (appendix B.3). 1 x 1 where
/// no inner grid divides the whole one.
ApspGrid with_node_grid(int ranks_per_node, int rows, int cols);

struct ApspQuery {
  std::int64_t n = 0;
  Rank ranks = 1;
  KernelRate kernel = KernelRate::by_both;
  std::optional<double> overlap = {};            ///< none: the machine's
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
  /// Additions and minima a second of the whole machine: 2 n^3 over the expected time.
  double rate = 0;
};

/// All ways, best first: those whose memory fits come before all others. Throws InputError where the query makes no
/// sense on this machine (n or ranks < 1, nodes that are not filled, a grid that is not of so many ranks).
std::vector<ApspPrediction> predict_apsp(const ApspMachine& machine, const ApspQuery& query);

/// The largest n whose best way fits into memory, and the fewest nodes (of which a share is not filled on one only) on
/// which n fits. Both throw InputError where the machine's memory is not known.
std::int64_t largest_apsp(const ApspMachine& machine, Rank ranks);
int fewest_nodes(const ApspMachine& machine, std::int64_t n);

}  // namespace atl
