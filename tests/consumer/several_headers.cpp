// SPDX-License-Identifier: Apache-2.0
// Several public headers at once: a graph goes to a file and back, two algorithms agree about it, records reach their
// rank, errors keep their class across the library's border, and a plug-in is found. several_headers [RANKS]: threads.
#include <algorithm>
#include <atoll/algorithms/bfs/bfs.hpp>
#include <atoll/apsp/all_pairs.hpp>
#include <atoll/base/error.hpp>
#include <atoll/graph/formats/read.hpp>
#include <atoll/graph/formats/write.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <atoll/graph/graph.hpp>
#include <atoll/runtime/aggregation/mailbox.hpp>
#include <atoll/runtime/world.hpp>
#include <atoll/topology/formats/read_topology.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>

namespace {

void need(bool is_so, const char* what) {
  if (!is_so) throw atl::VerificationError(std::string(what) + " (it is not so)");
}

void use(atl::World& world) {
  const std::string file = "grid-" + std::to_string(world.size()) + ".atoll";
  atl::write_edges(world, file, atl::generate(world, "grid:6x5"));
  const atl::Graph graph = atl::Graph::build(world, atl::read_edges(world, file));
  const atl::BfsResult found = atl::bfs(graph, 0, {.depths = atl::Depths::yes});
  need(found.reached == 30, "all of the grid is reached");

  struct Depth {
    atl::Vertex depth;
  };
  atl::Vertex deepest = 0, own = 0;
  atl::Mailbox to_first(world, atl::of_records<Depth>([&](const Depth& d) { deepest = std::max(deepest, d.depth); }),
                        {.handling = atl::Handling::serial});
  for (const atl::Vertex depth : found.depth) {
    own = std::max(own, depth);
    to_first.send(0, {depth});
  }
  to_first.drain();
  const atl::Vertex farthest = world.max(own);
  need(farthest == 9 && (world.rank() != 0 || deepest == farthest), "the records bring the greatest depth to rank 0");

  const auto arcs = atl::gather_arcs(world, atl::read_edges(world, file));
  const auto all = atl::all_pairs(world, arcs);
  double longest = 0;
  for (std::int64_t i = 0; i < all.distances.local.rows(); ++i)
    for (std::int64_t j = 0; j < all.distances.local.cols(); ++j)
      longest = std::max(longest, all.distances.local(i, j));
  need(world.max(longest) == static_cast<double>(farthest), "the longest of all shortest paths is from a corner");

  try {
    atl::generate(world, "gird:6x5");
  } catch (const atl::InputError&) {
    return;
  }
  need(false, "a name that is none is an InputError");
}

}  // namespace

int main(int argc, char** argv) try {
  atl::run_ranks(argc > 1 ? std::atoi(argv[1]) : 2, atl::Plan{.threads = 1}, use);

  std::ofstream("platform.xml") << R"(<platform version="4.1"><zone id="all" routing="Full">
    <cluster id="c" prefix="node" suffix="" radical="0-3" speed="1Gf" bw="1GBps" lat="1us"/></zone></platform>)";
  need(atl::read_hierarchy("platform.xml", 2).size() == 8, "the plug-in for XML reads four hosts of two ranks");
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
