// SPDX-License-Identifier: Apache-2.0
#include <atoll/apsp/grid/saved_run.hpp>
#include <atoll/apsp/store/distance_format.hpp>
#include <numeric>

namespace atl {
namespace {

// A pause costs one step its look-ahead, so only every few steps have one; a signal waits for the next.
constexpr std::int64_t kStepsToPause = 8;

[[noreturn]] void stop(World& world, std::int64_t done, std::int64_t of, const std::string& folder) {
  stop_run(world,
           fmt::format("ended by SIGTERM after {} of {} block steps (they are saved in {}). Give the same command "
                       "with --checkpoint {} to go on, on any number of ranks.",
                       done, of, folder, folder));
}

}  // namespace

template <class T>
GridRun floyd_warshall_saved(World& world, const Gemm& gemm, Distances<T>& d, const GridOptions& options,
                             const CheckpointOptions& checkpoint, SavedRun& saved) {
  const GridLayout layout = d.layout;
  CheckpointOptions mine = checkpoint;
  mine.run = {layout.rows.size, kElementOf<T>, gemm.algebra().semiring, hash_of(world, d)};
  Checkpoint keeper(world, mine);
  if (keeper.has_saved()) d.local = {};  // free its memory for what is loaded
  if (auto before = keeper.load<T>(layout)) {
    saved.first = before->step;
    d = std::move(before->distances);
  }
  bool stopped = false;
  const auto pause = [&](std::int64_t next) {
    const Due due = keeper.due(next);
    if (due == Due::no) return true;
    keeper.save(next, d);
    stopped = due == Due::save_and_end;
    return !stopped;
  };
  const StepHook pauses{.first = saved.first, .every = std::gcd(mine.every_steps, kStepsToPause), .at = pause};
  GridRun run = floyd_warshall_grid(world, gemm, d, options, pauses);
  saved.checkpoint = keeper.report();
  if (stopped) stop(world, run.next, layout.rows.blocks(), mine.folder);
  return run;
}

#define ATOLL_SAVED_RUN_OF(T)                                                                   \
  template GridRun floyd_warshall_saved(World&, const Gemm&, Distances<T>&, const GridOptions&, \
                                        const CheckpointOptions&, SavedRun&);
ATOLL_SAVED_RUN_OF(float)
ATOLL_SAVED_RUN_OF(double)
ATOLL_SAVED_RUN_OF(std::int32_t)
ATOLL_SAVED_RUN_OF(std::uint16_t)
ATOLL_SAVED_RUN_OF(std::uint8_t)
#undef ATOLL_SAVED_RUN_OF

}  // namespace atl
