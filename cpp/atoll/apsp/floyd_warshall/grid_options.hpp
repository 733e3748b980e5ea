// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/progress.hpp>
#include <atoll/runtime/broadcast/panel_broadcast.hpp>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace atl {

class Device;

/// All options of Floyd-Warshall on a grid of ranks.
///
///     GridOptions options = GridOptions::ablation("la+r");   // one of COAST, section VI.C
///     options.block = 512;
struct GridOptions {
  /// Whether block row and column k+1 are updated, and sent, before the rest of step k.
  enum class LookAhead : std::uint8_t { off, on };
  /// simple: three loops, the baseline of the ablation.
  enum class Kernel : std::uint8_t { simple, tuned };

  std::int64_t block = 256;                        ///< b, of the layout
  BroadcastShape panels = BroadcastShape::ring2m;  ///< of block rows and columns; diagonal blocks go by tree
  std::size_t chunk_bytes = std::size_t{4} << 20;  ///< 0: a panel is one chunk
  LookAhead look_ahead = LookAhead::on;
  Kernel kernel = Kernel::tuned;
  std::int64_t steps = 0;    ///< stop after this many block steps; 0: all
  Progress progress = {};    ///< block steps
  Device* device = nullptr;  ///< of this rank, on all ranks or none: the matrix is there meanwhile
  /// With devices: staged, panels pass through the hosts and go by `panels` (COAST's LA and LA+R); direct, they go from
  /// device to device (its GMPI variants), which needs NCCL and a device for each rank.
  enum class DevicePanels : std::uint8_t { staged, direct } device_panels = DevicePanels::staged;

  /// The variants naive, la, la+r, la+r+nt and coast. The paper's GMPI, which saves copies between processor and host,
  /// has no counterpart here: panels are always sent from where the kernel wrote them.
  static GridOptions ablation(std::string_view name);
  static std::vector<std::string> ablations();
  nlohmann::json to_json() const;
};

/// Where a run may stop and resume: used for checkpoints.
struct StepHook {
  std::int64_t first = 0;  ///< the first block step; the matrix contains those before it
  std::int64_t every = 0;  ///< call `at` before steps that are multiples of this; 0: never
  /// Called on all ranks with the next step, while no broadcast is running; may use World and matrix. If it returns
  /// false, the same on all ranks, the run ends there. A call costs one step its look-ahead.
  std::function<bool(std::int64_t next)> at = {};
};

/// Where the time of one block step went, on this rank, in seconds.
struct GridStep {
  double diagonal = 0;  ///< closing the diagonal block
  double panel = 0;     ///< updating the block row and column
  double outer = 0;     ///< the outer product
  double copy = 0;      ///< receiving and forwarding chunks between pieces of work
  double wait = 0;      ///< waiting: communication that computation did not hide
  double seconds() const { return diagonal + panel + outer + copy + wait; }
  GridStep& operator+=(const GridStep& other);
};

struct GridRun {
  double seconds = 0;           ///< of this rank, all steps
  std::vector<GridStep> steps;  ///< those that were done
  std::int64_t next = 0;        ///< the step after them
  /// Not -1: an improving cycle passes through this vertex, so no path is the best; the run ended there, on all ranks.
  std::int64_t gain_vertex = -1;
  BroadcastCounters broadcasts;
  double operations =
      0;  ///< an add or a min each, of all ranks: 2 n^2 for each row of the matrix that was passed through

  GridStep sum() const;
  /// Sums over the steps of this rank, and what its broadcasts moved.
  nlohmann::json to_json() const;
};

}  // namespace atl
