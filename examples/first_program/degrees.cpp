// SPDX-License-Identifier: Apache-2.0
// Prints how many vertices of a graph have which degree, and what each rank has of it.
// degrees [GRAPH] [--ranks N]: a file, or a generator's text such as kron:10 or grid:30x40
#include <algorithm>
#include <array>
#include <atoll/graph/formats/read.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <atoll/graph/graph.hpp>
#include <atoll/runtime/job/run_program.hpp>
#include <bit>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using atl::Edge;
using atl::Local;
using atl::Vertex;

void degrees(atl::World& world, const std::vector<std::string>& arguments) {
  const std::string name = arguments.empty() ? "kron:8" : arguments[0];
  atl::EdgeList edges = atl::is_generator(name) ? atl::generate(world, name) : atl::read_edges(world, name);
  const atl::Graph graph = atl::Graph::build(world, std::move(edges),
                                             {.duplicates = atl::Duplicates::keep, .self_loops = atl::SelfLoops::drop});

  // Local numbers 0 .. owned()-1 are the masters: every vertex is the master of one rank.
  std::array<Vertex, 64> classes{};  // [k] vertices with a degree from 2^(k-1) to 2^k - 1; [0]: without edges
  Edge largest = 0, sum = 0, leaving = 0;
  for (Local v = 0; v < graph.owned(); ++v) {
    const Edge degree = graph.out().degree(v);
    ++classes[static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(degree)))];
    largest = std::max(largest, degree);
    sum += degree;
    for (const Local u : graph.out().neighbours(v)) leaving += u >= graph.owned();  // u is a mirror
  }

  // The counts of all ranks are added, element by element.
  for (Vertex& count : classes) count = world.sum(count);
  largest = world.max(largest);
  sum = world.sum(sum);

  struct Part {
    Local masters, mirrors;
    Edge leaving;
  };
  Part mine{graph.owned(), 0, leaving};
  for (const Local count : graph.mirrors().count) mine.mirrors += count;
  const std::vector<Part> parts = world.all_gather(mine);

  if (world.rank() == 0) {
    std::printf("%s: %ld vertices, %ld edges, largest degree %ld\n", name.c_str(), graph.vertices(), graph.edges(),
                largest);
    for (std::size_t k = 0; k < classes.size(); ++k)
      if (classes[k] > 0)
        std::printf("degree %4lld to %4lld: %ld vertices\n", (1LL << k) / 2, (1LL << k) - 1, classes[k]);
    for (std::size_t r = 0; r < parts.size(); ++r)
      std::printf("rank %zu: %d masters, %d mirrors, %ld edges to other ranks\n", r, parts[r].masters, parts[r].mirrors,
                  parts[r].leaving);
  }

  // An undirected edge is in the lists of both its ends. All ranks compare the same sums, so all throw or none.
  if (sum != (graph.directed() ? 1 : 2) * graph.edges()) throw atl::VerificationError("the degrees do not add up");
}

}  // namespace

int main(int argc, char** argv) { return atl::run_program(argc, argv, degrees); }
