// SPDX-License-Identifier: Apache-2.0
#include <atoll/apsp/arcs/negative_cycle.hpp>
#include <atoll/apsp/checks/value_range.hpp>
#include <atoll/apsp/floyd_warshall/closure.hpp>
#include <atoll/apsp/floyd_warshall/tiles.hpp>
#include <atoll/apsp/out_of_core.hpp>
#include <atoll/apsp/store/graph_of_arcs.hpp>
#include <atoll/base/files/checksum.hpp>
#include <atoll/base/usable_memory.hpp>
#include <atoll/runtime/aggregation/termination.hpp>

namespace atl {
namespace {

// The fraction of the processor's peak that Floyd-Warshall reaches, and how long the peak is measured.
constexpr double kTilesOfPeak = 0.8, kOutOfCorePeakSeconds = 0.02;

// Fraction of the usable memory; the system needs the rest for data on its way to the disk.
constexpr double kOfMemory = 0.85;

template <class T>
std::vector<T> row_of(const TileFile<T>& tiles, Vertex v) {
  std::vector<T> row;
  std::vector<T> tile(static_cast<std::size_t>(tiles.block() * tiles.block()));
  for (std::int64_t j = 0; j < tiles.tiles(); ++j) {
    tiles.read(v / tiles.block(), j, tile.data());
    const auto first = tile.begin() + v % tiles.block() * tiles.length(j);
    row.insert(row.end(), first, first + tiles.length(j));
  }
  return row;
}

template <class T>
std::uint64_t hash_of(const ReplicatedCsr<T>& arcs) {
  const auto m = static_cast<std::size_t>(arcs.size());
  const std::uint64_t sums[] = {
      checksum(arcs.ids.data(), arcs.ids.size() * sizeof(Vertex)),
      checksum(arcs.offsets.data(), arcs.offsets.size() * sizeof(Edge)), checksum(arcs.heads.data(), m * sizeof(Local)),
      checksum(arcs.weights.data(), m * sizeof(T)), static_cast<std::uint64_t>(arcs.directed)};
  return checksum(sums, sizeof sums);
}

void check_options(World& world, const std::string& path, const AllPairsOptions& options) {
  const auto need = [](bool ok, const std::string& text) {
    if (!ok) throw UsageError(text);
  };
  need(world.size() == 1,
       fmt::format("out of core on {} ranks (one rank works on the file, with all its threads). Leave out --ranks.",
                   world.size()));
  need(storage_format_of(path) == StorageFormat::tiles,
       fmt::format("out of core into {} (the matrix is worked on in a file of tiles). Give --output a name that ends "
                   "in .tiles.",
                   path));
  need(!options.method || options.method == PairsMethod::floyd_warshall,
       fmt::format("--method {} out of core (only Floyd-Warshall works on tiles). Leave it out, or take fw.",
                   options.method ? name_of(*options.method) : ""));
  need(options.checkpoint.folder.empty(),
       fmt::format(
           "a checkpoint in {} of a run out of core (its state is the file itself, which it goes on with). Leave "
           "--checkpoint out.",
           options.checkpoint.folder));
}

}  // namespace

template <class T>
AllPairsReport all_pairs_in_file(World& world, const ReplicatedCsr<T>& arcs, const std::string& path,
                                 const AllPairsOptions& options, Existing existing) {
  world.collective_try([&] { check_options(world, path, options); });
  const Vertex n = arcs.vertices();
  check(n > 0, "{}: there is no vertex (so there are no pairs). Give another graph.", arcs.name);
  check_sums(arcs, Semiring::min_plus);
  if constexpr (std::is_same_v<T, double>)
    check(!may_round_whole_sums(arcs, Semiring::min_plus),
          "{}: a path may be {} long (float64 does not hold every whole number beyond 2^53, and a matrix in a "
          "file is not checked for such sums). Scale the weights down, or leave --out-of-core out.",
          arcs.name, arcs.longest());
  Team& team = world.team();
  const Algebra algebra = all_pairs_algebra(arcs, Semiring::min_plus);
  const Gemm gemm(algebra, options.blocking);
  TilesMachine machine{.undirected = !arcs.directed,
                       .memory_bytes = kOfMemory * static_cast<double>(usable_memory()),
                       .block = options.block};
  if (options.block == 0)  // a given block needs no rate
    machine.operations_per_second =
        kTilesOfPeak * peak_operations_per_second(team, algebra, gemm.isa(), kOutOfCorePeakSeconds);
  const TilesPlan plan = plan_tiles(gemm, n, sizeof(T), machine);
  const TerminationNotice terminate;
  TileFile<T> tiles(world, path, n, plan.block, hash_of(arcs), existing);
  AllPairsReport report;
  report.rounded = arcs.rounded;
  report.method = name_of(PairsMethod::floyd_warshall);
  report.matrix_bytes = tiles.bytes();
  RankTimer timer(world);
  TilesReport run;
  try {
    if (floyd_warshall_tiles<T>(gemm, team, arcs, tiles,
                                {.undirected = !arcs.directed,
                                 .frames = plan.frames,
                                 .every_steps = options.checkpoint.every_steps,
                                 .stop = [&] { return terminate.given(); }},
                                &run))
      refuse_negative_cycle(arcs);
  } catch (const IoError&) {
    if (tiles.next_step() > 0) tiles.keep();  // the run can be resumed once the disk works again
    throw;
  }
  if (run.stopped)
    throw RunStopped(
        fmt::format("ended by SIGTERM in block step {} of {} (what is done lies in {}.part). Give the same command to "
                    "go on.",
                    tiles.next_step() + 1, tiles.tiles(), path));
  check_no_path_is_lost<T>(team, arcs, run.paths, [&](Vertex v) { return row_of(tiles, v); });
  report.compute_seconds = timer.lap();
  report.add(run);
  report.wait_seconds = run.wait_seconds;
  report.from_disk = FromDisk{.first = run.first,
                              .memory_bytes = plan.memory_bytes,
                              .bytes_read = run.bytes_read,
                              .bytes_written = run.bytes_written,
                              .notes = run.notes,
                              .note_seconds = run.note_seconds};
  const GraphOfArcs<T> graph(arcs);
  tiles.commit(graph.graph());
  report.commit_seconds = timer.lap();
  return report;
}

#define ATOLL_OUT_OF_CORE_OF(T)                                                                  \
  template AllPairsReport all_pairs_in_file(World&, const ReplicatedCsr<T>&, const std::string&, \
                                            const AllPairsOptions&, Existing);
ATOLL_OUT_OF_CORE_OF(float)
ATOLL_OUT_OF_CORE_OF(double)
ATOLL_OUT_OF_CORE_OF(std::int32_t)
ATOLL_OUT_OF_CORE_OF(std::uint16_t)
ATOLL_OUT_OF_CORE_OF(std::uint8_t)
#undef ATOLL_OUT_OF_CORE_OF

}  // namespace atl
