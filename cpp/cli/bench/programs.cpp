// SPDX-License-Identifier: Apache-2.0
// Vertex programs of a few lines, as somebody writes them in an hour, beside the library's classes: breadth-first search,
// shortest paths and components. Both have to find the same depths, distances and labels.
#include <algorithm>
#include <atoll/algorithms/bfs/bfs.hpp>
#include <atoll/algorithms/components/components.hpp>
#include <atoll/algorithms/sssp/sssp.hpp>
#include <atoll/algorithms/sssp/whole_weights.hpp>
#include <atoll/engine/vertex_program.hpp>
#include <cli/cli11.hpp>
#include <limits>

#include "cli/graph_input.hpp"
#include "cli/verbs.hpp"

namespace atl::cli {
namespace {

struct ProgramsOptions {
  GraphInput input;
  int turns = 5;
  double dense = VertexProgramOptions{}.dense, delta = 0.1;
};

// Runs a program and the library's class in turns, and compares what both have found.
class Programs {
 public:
  Programs(const Graph& graph, const ProgramsOptions& options)
      : graph_(graph), world_(graph.world()), options_(options) {}

  void bfs(Vertex source) {
    VertexProgram<std::int32_t, MinOf> depth(graph_, {.dense = options_.dense});
    Bfs bfs(graph_), with_depths(graph_, {.depths = Depths::yes});
    BfsResult tree, depths;
    with_depths.run(source, depths);
    row(
        "bfs", [&] { bfs.run(source, tree); },
        [&] {
          constexpr auto kUnseen = std::numeric_limits<std::int32_t>::max();
          depth.start(kUnseen);
          if (const auto master = graph_.master_of(source)) depth.update(*master, 0);
          while (depth.round([](std::int32_t d, const auto&) { return d + 1; },
                             [](std::int32_t d) { return d == kUnseen; })) {
          }
        },
        [&](Vertex v) {
          const auto found = depth[graph_.local_of(v)];
          return found == std::numeric_limits<std::int32_t>::max() ? depths.depth[index(v)] == kUnreachable
                                                                   : depths.depth[index(v)] == found;
        });
  }

  template <class Real>
  void sssp(Vertex source) {
    VertexProgram<Real, MinOf> distance(graph_, {.dense = options_.dense});
    Sssp<Real> sssp(graph_);
    SsspResult<Real> paths;
    row(
        "sssp", [&] { sssp.run(source, paths); },
        [&] {
          constexpr Real kFar = std::numeric_limits<Real>::infinity();
          distance.start(kFar);
          if (const auto master = graph_.master_of(source)) distance.update(*master, 0);
          for (Real horizon = 0;;) {
            distance.synchronize();
            Real least = kFar;
            distance.for_active([&](Real d) { least = std::min(least, d); });
            least = world_.min(least);
            if (least == kFar) break;
            horizon = std::max(horizon, least);
            distance.relax_until([](Real d, const auto& edge) { return d + static_cast<Real>(edge.weight); },
                                 [limit = horizon + static_cast<Real>(options_.delta)](Real d) { return d <= limit; });
          }
        },
        [&](Vertex v) { return distance[graph_.local_of(v)] == paths.distance[index(v)]; });
  }

  void components() {
    VertexProgram<Vertex, MinOf> label(graph_, {.dense = options_.dense});
    Components components(graph_);
    ComponentsResult found;
    row(
        "cc", [&] { components.run(found); },
        [&] {
          label.start([&](Local master) { return graph_.id_of(master); });
          for (Local v = 0; v < graph_.active(); ++v) label.activate(v);
          while (label.round([](Vertex smallest, const auto&) { return smallest; })) {
          }
        },
        [&](Vertex v) { return label[graph_.local_of(v)] == found.component[index(v)]; });
  }

  Outcome outcome;

 private:
  template <class Library, class Program, class Same>
  void row(const std::string& name, Library&& library, Program&& program, Same&& same) {
    const auto seconds = [&](auto&& f) {
      world_.barrier();
      RankTimer timer(world_);
      f();
      return world_.max(timer.seconds());
    };
    std::vector<double> of_library, of_program;
    library(), program();  // buffers are allocated by the first
    for (int t = 0; t < options_.turns; ++t) {
      of_library.push_back(seconds(library));
      of_program.push_back(seconds(program));
    }
    world_.collective_try([&] {
      for (Vertex v = 0; v < graph_.owned(); ++v)
        if (!same(v))
          throw VerificationError(fmt::format("bench programs: {}: the program and the library differ at vertex {}.",
                                              name, graph_.id_of(graph_.local_of(v))));
    });
    for (auto* turns : {&of_library, &of_program}) std::sort(turns->begin(), turns->end());
    const std::size_t middle = of_library.size() / 2;
    const double ratio = of_program[middle] / of_library[middle];
    outcome.result[name] = {
        {"library_seconds", of_library[middle]}, {"program_seconds", of_program[middle]}, {"times_as_long", ratio}};
    outcome.text += fmt::format("{:<8} library {:>9.3f} ms, program {:>9.3f} ms: {:.2f} times as long\n", name,
                                of_library[middle] * 1e3, of_program[middle] * 1e3, ratio);
  }

  const Graph& graph_;
  World& world_;
  const ProgramsOptions& options_;
};

// The vertex of highest degree, of several the one of least id. Collective.
Vertex hub(const Graph& graph) {
  struct Hub {
    Edge degree = -1;
    Vertex id = kNoVertex;
  } mine;
  for (Local v = 0; v < graph.owned(); ++v) {
    const Hub other{graph.out().degree(v), graph.id_of(v)};
    if (other.degree > mine.degree || (other.degree == mine.degree && other.id < mine.id)) mine = other;
  }
  return graph.world().fold(mine, [](const Hub& a, const Hub& b) { return b.degree > a.degree ? b : a; }).id;
}

}  // namespace

int bench_programs(const Words& words) {
  Command command("bench programs", "Vertex programs of a few lines beside the library's searches and components.");
  ProgramsOptions options;
  options.input.add_to(command.app());
  command.app()
      .add_option("--turns", options.turns, "of which the median is reported (default 5)")
      ->check(CLI::Range(1, 1000));
  command.app().add_option("--dense", options.dense,
                           "of programs: pull when more than 1 / dense of all edges is active");
  command.app().add_option("--delta", options.delta,
                           "of the program for shortest paths: width of a bucket (default 0.1)");
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) {
    const Graph graph = Graph::build(world, options.input.load(world), options.input.options());
    Programs programs(graph, options);
    programs.outcome.input = describe(graph);
    const Vertex source = hub(graph);
    programs.bfs(source);
    if (graph.weighted()) needs_double_sums(graph) ? programs.sssp<double>(source) : programs.sssp<float>(source);
    if (!graph.directed()) programs.components();
    return std::move(programs.outcome);
  });
}

}  // namespace atl::cli
