// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/arcs/distances.hpp>
#include <atoll/apsp/store/distance_format.hpp>
#include <atoll/runtime/aggregation/termination.hpp>
#include <atoll/runtime/world.hpp>
#include <optional>
#include <string>

/// Checkpoints of a long all-pairs run, from which it can resume on any other grid and block size too.
///
///     Checkpoint checkpoint(world, {.folder = "run", .every_seconds = 1800,
///                                   .run = {n, Element::float32, Semiring::min_plus, hash_of(world, distances)}});
///     std::int64_t step = 0;
///     if (auto saved = checkpoint.load<float>(layout)) step = saved->step, distances = std::move(saved->distances);
///     for (; step < layout.rows.blocks(); ++step) {
///       if (const Due due = checkpoint.due(step); due != Due::no) {
///         checkpoint.save(step, distances);
///         if (due == Due::save_and_end) break;           // SIGTERM
///       }
///       ...                                              // block step `step`
///     }
///
/// The folder contains `step-00000012/`: a file of blocks per rank, each block with a checksum, and checkpoint.json. It
/// gets that name when it is complete on all ranks, and only then is the previous one removed. All ranks must see the
/// folder. All calls are collective and throw the same error on every rank: IoError (a full disk: earlier checkpoints
/// stay), InputError (a damaged file, by name; a checkpoint of another run).
namespace atl {

/// The values that must match for a run to resume from a checkpoint.
struct RunIdentity {
  std::int64_t n = 0;
  Element element = Element::float32;
  Semiring semiring = Semiring::min_plus;
  std::uint64_t input = 0;  ///< a hash of what the run started from
  bool operator==(const RunIdentity&) const = default;
};

struct CheckpointOptions {
  std::string folder;            ///< created if missing
  std::int64_t every_steps = 0;  ///< 0: not by steps
  double every_seconds = 0;      ///< 0: not by time
  RunIdentity run = {};
};

enum class Due { no, save, save_and_end };

struct CheckpointReport {
  std::int64_t saved = 0;   ///< number of checkpoints
  double save_seconds = 0;  ///< total, of this rank
  double load_seconds = 0;
  std::uint64_t bytes = 0;  ///< of the latest one, on all ranks

  double seconds_each() const { return saved > 0 ? save_seconds / static_cast<double>(saved) : 0; }
  /// The fraction of time it would take to save every `seconds` seconds, extrapolated from the saved ones.
  double overhead_every(double seconds) const { return seconds_each() / seconds; }
};

template <class T>
struct Restart {
  std::int64_t step = 0;  ///< block steps of the layout asked for that are done
  Distances<T> distances;
};

class Checkpoint {
 public:
  /// Looks for a checkpoint in the folder, and checks that two of them fit on the disk.
  Checkpoint(World& world, const CheckpointOptions& options);

  /// Whether to save after `step` block steps. The ranks agree on it, which takes as long as one collective.
  Due due(std::int64_t step);
  /// Saves `distances` after `step` block steps; no update may be running.
  template <class T>
  void save(std::int64_t step, const Distances<T>& distances);
  /// Loads the latest checkpoint into this layout; none if there is none. If the block size has changed, steps that are
  /// partly done are repeated, which changes nothing.
  template <class T>
  std::optional<Restart<T>> load(const GridLayout& layout);

  /// Whether load() will find something.
  bool has_saved() const { return !latest_.empty(); }
  const CheckpointReport& report() const { return report_; }

 private:
  nlohmann::json read_state(const std::string& folder) const;

  World& world_;
  const CheckpointOptions options_;
  const TerminationNotice terminate_;
  std::string latest_;  // folder of the last complete one; empty: none
  std::string state_;   // JSON: its checkpoint.json without the checksum
  std::int64_t saved_step_ = -1;
  double saved_at_;
  CheckpointReport report_;
};

/// A hash of a matrix that does not depend on the grid. Collective.
template <class T>
std::uint64_t hash_of(World& world, const Distances<T>& distances);

}  // namespace atl
