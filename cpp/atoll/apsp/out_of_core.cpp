// SPDX-License-Identifier: Apache-2.0
#include <atoll/apsp/floyd_warshall_tiles.hpp>
#include <atoll/apsp/graph_of_arcs.hpp>
#include <atoll/apsp/negative_cycle.hpp>
#include <atoll/apsp/out_of_core.hpp>
#include <atoll/apsp/restore_no_path.hpp>
#include <atoll/apsp/usable_memory.hpp>

namespace atl {
namespace {

// What Floyd-Warshall reaches of the processor's peak, and how long that is measured.
constexpr double kOfPeak = 0.8, kPeakSeconds = 0.02;

void check_options(World& world, const std::string& path, const AllPairsOptions& options) {
  const auto need = [](bool ok, const std::string& text) {
    if (!ok) throw UsageError(text);
  };
  need(world.size() == 1,
       fmt::format("out of core on {} ranks (one rank works on the file, with all its threads). Leave out --ranks.",
                   world.size()));
  need(form_of(path) == DistanceForm::tiles,
       fmt::format("out of core into {} (the matrix is worked on in a file of tiles). Give --output a name that ends "
                   "in .tiles.",
                   path));
  need(!options.method || options.method == PairsMethod::floyd_warshall,
       fmt::format("--method {} out of core (only Floyd-Warshall works on tiles). Leave it out, or take fw.",
                   options.method ? name_of(*options.method) : ""));
  need(options.checkpoint.folder.empty(),
       fmt::format("a checkpoint in {} of a run out of core (its state is the file itself, in which a step may be half "
                   "done). Leave one of them out.",
                   options.checkpoint.folder));
}

}  // namespace

template <class T>
AllPairsReport all_pairs_in_file(World& world, const Arcs<T>& arcs, const std::string& path,
                                 const AllPairsOptions& options, Existing existing) {
  world.together([&] { check_options(world, path, options); });
  const Vertex n = arcs.vertices();
  check(n > 0, "{}: there is no vertex (so there are no pairs). Give another graph.", arcs.name);
  Team& team = world.team();
  const Algebra algebra = shortest_paths_algebra(arcs);
  const Gemm gemm(algebra);
  const auto memory = static_cast<double>(usable_memory());
  const double matrix_bytes = static_cast<double>(n) * static_cast<double>(n) * sizeof(T);
  std::int64_t block = options.block;
  if (block == 0)
    block = streamed_block(n, sizeof(T), kOfPeak * peak_operations_per_second(team, algebra, gemm.isa(), kPeakSeconds),
                           memory);
  // Half of memory: the other half holds what is packed, and is not ours alone.
  const TilesOptions how{.undirected = !arcs.directed, .streams = matrix_bytes > memory / 2};
  auto tiles = MappedTiles<T>::create(world, path, n, block, existing);
  AllPairsReport report;
  report.method = name_of(PairsMethod::floyd_warshall);
  report.matrix_bytes = tiles.bytes();
  RankTimer timer(world);
  fill_tiles(team, arcs, tiles, how);
  report.expand_seconds = timer.lap();
  FloydWarshallReport run;
  if (floyd_warshall_tiles<T>(gemm, team, tiles, how, &run)) refuse_negative_cycle(arcs);
  if (arcs.has_negative())
    for (std::int64_t i = 0; i < tiles.tiles(); ++i)
      for (std::int64_t j = 0; j < tiles.tiles(); ++j) restore_no_path(team, tiles.tile(i, j));
  report.compute_seconds = timer.lap();
  report.block = run.block;
  report.steps = run.steps;
  report.operations = run.operations;
  report.diagonal_seconds = run.diagonal_seconds;
  report.panel_seconds = run.panel_seconds;
  report.outer_seconds = run.outer_seconds;
  const GraphOfArcs<T> graph(arcs);
  tiles.commit(graph.graph());
  report.commit_seconds = timer.lap();
  return report;
}

#define ATOLL_OUT_OF_CORE_OF(T)                                                                                 \
  template AllPairsReport all_pairs_in_file(World&, const Arcs<T>&, const std::string&, const AllPairsOptions&, \
                                            Existing);
ATOLL_OUT_OF_CORE_OF(float)
ATOLL_OUT_OF_CORE_OF(double)
ATOLL_OUT_OF_CORE_OF(std::int32_t)
ATOLL_OUT_OF_CORE_OF(std::uint16_t)
ATOLL_OUT_OF_CORE_OF(std::uint8_t)
#undef ATOLL_OUT_OF_CORE_OF

}  // namespace atl
