// SPDX-License-Identifier: Apache-2.0
// Connected components as a vertex program: every vertex takes the smallest id that it hears of.
// components [GRAPH] [--ranks N]: a file, or a generator's text such as uniform:8:1; edges are taken as undirected
#include <atoll/engine/vertex_program.hpp>
#include <atoll/graph/formats/read.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <atoll/runtime/job/run_program.hpp>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace {

using atl::Local;
using atl::Vertex;

// The serial answer: a forest of parents, in which a smaller id is nearer to the root.
class Forest {
 public:
  Vertex root(Vertex v) {
    while (parent(v) != v) v = parent_[v] = parent(parent(v));
    return v;
  }
  void join(Vertex u, Vertex v) {
    u = root(u), v = root(v);
    parent_[std::max(u, v)] = std::min(u, v);
  }

 private:
  Vertex parent(Vertex v) { return parent_.try_emplace(v, v).first->second; }
  std::map<Vertex, Vertex> parent_;
};

void components(atl::World& world, const std::vector<std::string>& arguments) {
  const std::string name = arguments.empty() ? "uniform:8:1" : arguments[0];
  atl::EdgeList edges =
      atl::is_generator(name) ? atl::generate(world, name) : atl::read_edges(world, name, {.directed = false});
  world.agree(!edges.directed, name + " makes directed edges. Give an undirected graph.");
  const atl::Graph graph = atl::Graph::build(world, std::move(edges));

  atl::VertexProgram<Vertex, atl::MinOf> label(graph);             // a value for each vertex, combined by the minimum
  label.start([&](Local master) { return graph.id_of(master); });  // at first its own id
  for (Local v = 0; v < graph.active(); ++v) label.activate(v);    // all masters with an edge speak in the first round
  int rounds = 0;
  while (label.round([](Vertex smallest, const auto&) { return smallest; })) ++rounds;

  Vertex components = 0;  // each is counted by the vertex that has given it its name
  for (Local v = 0; v < graph.owned(); ++v) components += label[v] == graph.id_of(v);
  components = world.sum(components);
  if (world.rank() == 0)
    std::printf("%s: %ld vertices in %ld components, found in %d rounds\n", name.c_str(), graph.vertices(), components,
                rounds);

  // For small graphs only: every rank gathers all edges and solves the whole problem serially.
  struct Arc {
    Vertex from, to;
  };
  std::vector<Arc> mine;
  for (Local v = 0; v < graph.owned(); ++v)
    for (const Local u : graph.out().neighbours(v)) mine.push_back({graph.id_of(v), graph.id_of(u)});
  Forest forest;
  for (const Arc& arc : world.all_gather_varying(std::span<const Arc>(mine))) forest.join(arc.from, arc.to);
  world.collective_try([&] {
    for (Local v = 0; v < graph.owned(); ++v)
      if (label[v] != forest.root(graph.id_of(v)))
        throw atl::VerificationError(
            fmt::format("vertex {}: its label is {}, which is wrong", graph.id_of(v), label[v]));
  });
}

}  // namespace

int main(int argc, char** argv) { return atl::run_program(argc, argv, components); }
