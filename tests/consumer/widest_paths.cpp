// SPDX-License-Identifier: Apache-2.0
// An algorithm of one's own as a vertex program: the widest path to each vertex, whose narrowest edge is as wide as
// possible.
// widest_paths [GRAPH [RANKS]]: a generator's name; ranks are threads.
#include <algorithm>
#include <atoll/engine/vertex_program.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <string>

using atl::Local;

// Keeps the greater value and returns whether it has changed.
struct MaxOf {
  bool operator()(float& into, float width) const {
    if (width <= into) return false;
    into = width;
    return true;
  }
};

int main(int argc, char** argv) try {
  const std::string name = argc > 1 ? argv[1] : "kron:10";
  const int most = argc > 2 ? std::atoi(argv[2]) : 3;
  double sums[2] = {};
  for (const int ranks : {1, most}) {
    atl::run_ranks(ranks, atl::Plan{.threads = 1}, [&](atl::World& world) {
      // Of parallel edges the widest counts.
      const atl::Graph graph = atl::Graph::build(world, atl::generate(world, name, {.weights = atl::Weights::uniform}),
                                                 {.duplicates = atl::Duplicates::merge_max});
      atl::VertexProgram<float, MaxOf> width(graph);
      width.start(0);
      const auto [owner, natural] = graph.find(0);
      if (owner == world.rank()) width.update(graph.local_of(natural), std::numeric_limits<float>::max());
      while (width.round([](float w, const auto& edge) { return std::min(w, static_cast<float>(edge.weight)); })) {
      }
      double sum = 0;
      for (Local v = 0; v < graph.owned(); ++v) sum += std::min(width[v], 1.0F);
      sum = world.sum(sum);
      if (world.rank() == 0) sums[ranks != 1] = sum;
    });
  }
  std::printf("%s: the widest paths from vertex 0 have %.6f in sum on 1 rank, %.6f on %d\n", name.c_str(), sums[0],
              sums[1], most);
  return sums[0] > 1 && std::abs(sums[0] - sums[1]) < 1e-6 * sums[0] ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
