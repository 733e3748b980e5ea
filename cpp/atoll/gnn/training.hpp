// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/gnn/gcn.hpp>
#include <string>
#include <vector>

/// Epochs of a Gcn with scores on the way, and checkpoints from which they go on on any number of ranks.
///
///     const TrainingCurve curve = train(world, gcn, {.epochs = 200, .checkpoint = "run/seed-1", .checkpoint_every = 20});
///
/// The file appears whole or not at all, with checksums (io/named_arrays.hpp). A run that goes on from it has the curve
/// of one that never ended: the same on as many ranks, but for the rounding of sums on another number.
namespace atl {

struct TrainingOptions {
  std::int64_t epochs = 200;
  std::int64_t score_every = 1;       ///< epochs between scores of all vertices; 0: none
  std::string checkpoint = {};        ///< a file; empty: none
  std::int64_t checkpoint_every = 0;  ///< epochs between checkpoints; 0: one at the end, and on SIGTERM
};

struct TrainingCurve {
  std::vector<double> losses;  ///< of each epoch, before its step
  /// After each scored epoch, with nothing dropped: which epoch (from 1), mean loss and accuracy.
  std::vector<std::int64_t> scored;
  std::vector<double> train_accuracies, validation_losses, validation_accuracies;
  std::int64_t resumed_from = 0;  ///< epochs that a checkpoint had
  /// Seconds of this run's epochs, of the slowest rank without scores and checkpoints, and in products with A.
  std::vector<double> seconds, spmm_seconds;
};

/// Trains until options.epochs are done. Collective; throws the same on every rank: InputError where the checkpoint is of
/// another run or damaged, IoError where it cannot be written, RunStopped after SIGTERM, once the state is saved (without
/// a checkpoint SIGTERM is not caught).
template <class T>
TrainingCurve train(World& world, Gcn<T>& gcn, const TrainingOptions& options);

}  // namespace atl
