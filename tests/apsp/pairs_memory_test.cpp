// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/apsp/all_pairs.hpp>
#include <atoll/apsp/floyd_warshall/closure.hpp>
#include <atoll/apsp/floyd_warshall/tiles.hpp>
#include <atoll/apsp/pairs_memory.hpp>
#include <atoll/runtime/job/launch.hpp>
#include <fstream>

#include "graph/formats/files.hpp"
#include "samples.hpp"
#include "shapes.hpp"

using namespace atl;

namespace {

/// VmHWM or VmRSS of this process, in bytes.
double status(const std::string& wanted) {
  std::ifstream in("/proc/self/status");
  for (std::string name, rest; in >> name; std::getline(in, rest))
    if (double kib = 0; name == wanted + ":" && in >> kib) return kib * 1024;
  return 0;
}

/// Resets the peak memory; returns whether the system allows that.
bool forget_peak() {
  std::ofstream out("/proc/self/clear_refs");
  out << "5";
  out.close();
  return static_cast<bool>(out) && status("VmHWM") - status("VmRSS") < 4e6;
}

/// A ring with chords, which has no pendant trees, optionally with a third of its vertices attached to it.
template <class T>
ReplicatedCsr<T> ring_with_twigs(Local n, bool directed, bool pendants, T greatest) {
  Random random(3);
  const auto below = [&](std::uint64_t end) { return static_cast<Local>(random() % end); };
  std::vector<Arc<T>> arcs;
  std::vector<Vertex> ids;
  const Local ring = pendants ? 2 * n / 3 : n;
  const auto weight = [&] { return static_cast<T>(1 + below(static_cast<std::uint64_t>(greatest))); };
  for (Local v = 0; v < n; ++v) {
    ids.push_back(v);
    if (v < ring) {
      arcs.push_back({v, (v + 1) % ring, weight()});
      for (int k = 0; k < 3; ++k)
        if (const Local to = below(static_cast<std::uint64_t>(ring)); to != v) arcs.push_back({v, to, weight()});
    } else {
      arcs.push_back({v, below(static_cast<std::uint64_t>(v)), weight()});
      if (directed) arcs.push_back({arcs.back().head, v, weight()});
    }
  }
  return make_arcs<T>(std::move(ids), directed, arcs, "ring");
}

Plan threads(int count) {
  Plan plan;
  plan.threads = count;
  return plan;
}

template <class T>
void check_peak(const std::string& way, Local n, bool directed, const AllPairsOptions& options, Rank ranks = 1,
                bool pendants = true) {
  const ReplicatedCsr<T> arcs = ring_with_twigs<T>(n, directed, pendants, T{1});
  const Gemm gemm(all_pairs_algebra(arcs, Semiring::min_plus));
  PairsMemory of{.n = n,
                 .arcs = arcs.size(),
                 .value_bytes = sizeof(T),
                 .undirected = !directed,
                 .peels = options.pendant_trees == PendantTreeRemoval::yes,
                 .unit = true,
                 .method = options.method,
                 .threads = ranks == 1 ? 2 : 1};
  double before = 0, peak = 0;
  std::optional<GridPlan> plan;
  bool can = true;
  run_ranks(ranks, threads(of.threads), [&](World& world) {
    world.barrier();
    if (world.rank() == 0) {
      can = forget_peak();
      before = status("VmRSS");
    }
    world.barrier();
    const AllPairs<T> all = all_pairs(world, arcs, options);
    world.barrier();
    if (world.rank() != 0) return;
    peak = status("VmHWM");
    plan = all.report.plan;
  });
  if (!can) {
    MESSAGE("skipped: the peak of a process cannot be set back here");
    return;
  }
  if (plan) of.block = plan->block;
  const double said = plan ? ranks * bytes_on_a_grid(gemm, of, plan->grid, !options.checkpoint.folder.empty())
                           : bytes_on_one_rank(gemm, of);
  // Panels may be freed before the rest of the matrix is touched: the number of removed vertices is not known in
  // advance.
  const double least = of.peels ? matrix_bytes(n, n, sizeof(T)) : said;
  INFO(way, ", ", n, directed ? " directed" : " undirected", ", bytes a value ", sizeof(T), ": said ", said / 1e6,
       " MB, measured ", (peak - before) / 1e6);
  CHECK(peak - before <= 1.1 * said + 4e6);
  CHECK(peak - before >= 0.9 * least - 4e6);
}

}  // namespace

TEST_CASE("the predicted memory of all pairs is what a run takes") {
  if (shapes::kSanitized) return;
  for (const bool directed : {false, true}) {
    check_peak<float>("fw, whole", 3500, directed,
                      {.method = PairsMethod::floyd_warshall, .pendant_trees = PendantTreeRemoval::no}, 1, false);
    check_peak<float>("fw, peeled", 3500, directed, {.method = PairsMethod::floyd_warshall});
  }
  check_peak<std::uint16_t>("fw, peeled", 3500, false, {.method = PairsMethod::floyd_warshall});
  check_peak<double>("delta", 2500, false, {.method = PairsMethod::delta});
  check_peak<float>("dijkstra", 2500, true, {.method = PairsMethod::dijkstra});
  check_peak<std::uint16_t>("breadth first", 6000, false, {.method = PairsMethod::breadth_first});
  check_peak<float>("auto", 4000, false, {});
}

TEST_CASE("the predicted memory of all pairs on a grid is what its ranks take") {
  if (shapes::kSanitized) return;
  check_peak<float>("grid", 3000, true, {.grid = {.shape = GridShape{1, 1}}}, 1);
  check_peak<float>("grid", 3000, true, {.grid = {.shape = GridShape{1, 2}}}, 2);
  check_peak<float>("grid", 3000, true, {.grid = {.shape = GridShape{2, 2}}}, 4);
  files::Folder folder;
  check_peak<std::int32_t>("checkpoint", 2500, true,
                           {.checkpoint = {.folder = folder / "run", .every_steps = 4, .run = {}}}, 1);
}

TEST_CASE("a plan of tiles takes the memory that it predicts") {
  if (shapes::kSanitized) return;
  const ReplicatedCsr<std::int32_t> arcs = ring_with_twigs<std::int32_t>(4096, false, true, 50);
  const Gemm gemm({Semiring::min_plus, Element::int32});
  for (const double memory : {4e7, 1e9}) {
    const TilesPlan plan = plan_tiles(gemm, 4096, 4, {.undirected = true, .memory_bytes = memory});
    files::Folder folder;
    const auto world = World::alone(threads(2));
    TileFile<std::int32_t> tiles(*world, folder / "d.tiles", 4096, plan.block, 1);
    if (!forget_peak()) return;
    const double before = status("VmRSS");
    CHECK(!floyd_warshall_tiles<std::int32_t>(gemm, world->team(), arcs, tiles,
                                              {.undirected = true, .frames = plan.frames}));
    const double took = status("VmHWM") - before, said = static_cast<double>(plan.memory_bytes);
    INFO("blocks of ", plan.block, ", ", plan.frames, " in memory: said ", said / 1e6, " MB, measured ", took / 1e6);
    CHECK(took <= 1.1 * said + 4e6);
    CHECK(took >= 0.9 * said - 4e6);
  }
}

TEST_CASE("the largest n that fits is found") {
  const Gemm gemm({Semiring::min_plus, Element::float32});
  const auto bytes = [&](Vertex n) { return bytes_on_one_rank(gemm, {.n = n, .arcs = 1000}); };
  for (const double has : {1e6, 1e9, 2.4e10}) {
    const Vertex n = greatest_that_fits(has, bytes);
    CHECK(bytes(n) <= has);
    CHECK(bytes(n + 1) > has);
  }
  CHECK(greatest_that_fits(1, bytes) == 0);
}
