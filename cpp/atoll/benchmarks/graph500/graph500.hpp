// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/benchmarks/graph500/statistics.hpp>
#include <atoll/runtime/world.hpp>
#include <map>

/// The Graph500 benchmark: generate, kernel 1 (construction), kernel 2 (64 breadth-first searches), kernel 3 (shortest
/// paths from the same keys), each search verified.
///
///     Graph500Result r = run_graph500(world, {.scale = 20});       // collective
///     run_graph500(world, {.scale = 20, .bfs = false, .sssp = true});
///     fmt::print("{}", r.block());                                 // the specification's output
///     if (!r.failure.empty()) ..                                   // which rule, which edge
///
/// By the specification 2.0: tuples with permuted labels, self-loops and multi-edges kept; the number of vertices is
/// discovered from the tuples inside kernel 1; keys have a neighbour; a search is timed from the key to parents in
/// original ids, the slowest rank counts; one untimed search goes before. Traversed edges are counted on the input
/// tuples by the verifier. The first search that fails verification ends the run.
/// With kernel 3 the tuples have float32 weights, uniform in [0, 1), and one graph serves both kernels. Its searches are
/// checked against the tuples and their weights too, with exact sums: what kernel 1 lost or changed is seen.
namespace atl {

struct Graph500Options {
  int scale = 16;
  int edge_factor = 16;
  int searches = 64;
  std::uint64_t seed = 1;
  bool bfs = true, sssp = false;  ///< kernels 2 and 3
};

/// The same on every rank.
struct Graph500Result {
  Graph500Options options;
  double generation_seconds = 0;                     ///< untimed by the specification
  double construction_seconds = 0;                   ///< kernel 1
  std::map<std::string, double> construction_parts;  ///< of the slowest rank in each
  /// This rank's, of kernel 1 and of the timed searches of both kernels.
  Counters construction_counters, search_counters;
  double verification_seconds = 0;  ///< of all searches, untimed by the specification
  std::vector<Vertex> keys;
  SearchTimes bfs, sssp;  ///< empty: not run
  std::string failure;    ///< empty: all searches passed

  double harmonic_mean_teps() const { return Statistics::of_rates(bfs.teps()).mean; }
  /// Text with the specification's names; "No results printed for invalid run." after a failure.
  std::string block() const;
  /// searches, harmonic_mean_teps, sssp_harmonic_mean_teps, construction_seconds and the block's fields by name.
  nlohmann::json to_json() const;
};

/// Collective. InputError for options out of range, or without a kernel.
Graph500Result run_graph500(World& world, const Graph500Options& options);

}  // namespace atl
