// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/broadcast/panel_broadcast.hpp>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace atl {

/// Every knob of all pairs on a grid of ranks. The algorithm is one text, this its plan.
///
///     GridOptions options = GridOptions::ablation("la+r");   // one of COAST, section VI.C
///     options.block = 512;
struct GridOptions {
  /// Whether block row and column k+1 are updated, and sent, before the rest of step k.
  enum class LookAhead : std::uint8_t { off, on };
  /// simple: three loops, what the naive algorithm is measured with.
  enum class Kernel : std::uint8_t { simple, tuned };

  std::int64_t block = 256;                        ///< b, of the layout
  BroadcastShape panels = BroadcastShape::ring2m;  ///< of block rows and columns; diagonal blocks go by tree
  std::size_t chunk_bytes = std::size_t{4} << 20;  ///< 0: a panel is one chunk
  LookAhead look_ahead = LookAhead::on;
  Kernel kernel = Kernel::tuned;
  std::int64_t steps = 0;  ///< end after so many block steps of the matrix; 0: all

  /// naive, la, la+r, la+r+nt or coast. The paper's GMPI, which spares copies between processor and host, has nothing to
  /// switch here: panels are always sent from where the kernel wrote them.
  static GridOptions ablation(std::string_view name);
  static std::vector<std::string> ablations();
  nlohmann::json to_json() const;
};

/// Where a run may be left and taken up again: a checkpoint.
struct StepHook {
  std::int64_t first = 0;  ///< the block step to begin with: the matrix has those before it
  std::int64_t every = 0;  ///< pauses before steps that are multiples of this; 0: none
  /// Called on all ranks with the step that comes next, while nothing is under way; may use World and matrix. False, the
  /// same on all ranks, ends the run there. A pause costs one step its look-ahead.
  std::function<bool(std::int64_t next)> at = {};
};

/// Where the time of one block step went, on this rank, in seconds.
struct GridStep {
  double diagonal = 0;  ///< closing the diagonal block
  double panel = 0;     ///< updating the block row and column
  double outer = 0;     ///< the outer product
  double copy = 0;      ///< taking chunks and passing them on between pieces of work
  double wait = 0;      ///< for what had not arrived: communication that nothing hid
  double seconds() const { return diagonal + panel + outer + copy + wait; }
  GridStep& operator+=(const GridStep& other);
};

struct GridRun {
  double seconds = 0;           ///< of this rank, all steps
  std::vector<GridStep> steps;  ///< those that were done
  std::int64_t next = 0;        ///< the step after them
  /// Not -1: a cycle that is better than standing still goes through this vertex, and no path is the best: the run ended
  /// there, on all ranks.
  std::int64_t gain_vertex = -1;
  BroadcastCounters broadcasts;
  double operations =
      0;  ///< an add or a min each, of all ranks: 2 n^2 for each row of the matrix that was passed through

  GridStep sum() const;
  /// Sums over the steps of this rank, and what its broadcasts moved.
  nlohmann::json to_json() const;
};

}  // namespace atl
