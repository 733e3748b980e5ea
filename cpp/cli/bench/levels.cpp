// SPDX-License-Identifier: Apache-2.0
// What a level costs when nearly nothing is in it: the steps that each has (waking the team, a sum over ranks, an empty
// round of records or of mirrors), and whole algorithms on a path, where each level has one vertex. On deep graphs these
// times are the running time.
#include <algorithm>
#include <atoll/algorithms/betweenness/betweenness.hpp>
#include <atoll/algorithms/bfs/bfs.hpp>
#include <atoll/algorithms/sssp/sssp.hpp>
#include <atoll/engine/vertex_program.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <cli/cli11.hpp>

#include "cli/verbs.hpp"

namespace atl::cli {
namespace {

struct LevelsOptions {
  int levels = 20000;
  int turns = 5;
};

struct Tick {
  std::uint32_t value;
};

// Measures functions that all ranks call together.
class Levels {
 public:
  Levels(World& world, const LevelsOptions& options) : world_(world), options_(options) {}

  /// The median over the turns of the nanoseconds that one of `count` steps takes, all of which f() does.
  template <class F>
  void row(const std::string& name, const std::string& what, double count, F&& f) {
    f();  // buffers are allocated by the first
    std::vector<double> turns;
    for (int t = 0; t < options_.turns; ++t) {
      world_.barrier();
      RankTimer timer(world_);
      f();
      turns.push_back(world_.max(timer.seconds()) * 1e9 / count);
    }
    std::sort(turns.begin(), turns.end());
    outcome.result[name] = {{"nanoseconds", turns[turns.size() / 2]}, {"least", turns.front()}, {"most", turns.back()}};
    outcome.text += fmt::format("{:<46} {:>10.0f} ns ({:.0f} to {:.0f})\n", what, turns[turns.size() / 2],
                                turns.front(), turns.back());
  }
  /// The same of one step, repeated.
  template <class F>
  void step(const std::string& name, const std::string& what, F&& f) {
    row(name, what, options_.levels, [&] {
      for (int i = 0; i < options_.levels; ++i) f();
    });
  }

  Outcome outcome;

 private:
  World& world_;
  const LevelsOptions options_;
};

void measure_steps(World& world, const Graph& graph, Levels& levels) {
  std::atomic<int> woken{0};
  levels.step("team", "waking the threads of each rank",
              [&] { world.team().run([&](int) { woken.fetch_add(1, std::memory_order_relaxed); }); });
  levels.step("barrier", "a barrier of the ranks", [&] { world.barrier(); });
  levels.step("sum", "a sum over the ranks", [&] { world.sum(std::int64_t{1}); });
  Mailbox box(world, of_records<Tick>([](std::span<const Tick>) {}), {.handler_sends = false});
  levels.step("records", "a round of records without any", [&] { box.drain(); });
  MirrorExchange<float, MinOf> exchange(graph);
  Array<float> values(static_cast<std::size_t>(graph.locals()), 0);
  VertexBits changed(static_cast<std::size_t>(graph.locals()));
  levels.step("mirrors", "a reduce of mirrors of which none has changed",
              [&] { exchange.reduce({values.data(), values.size()}, changed); });
}

void measure_algorithms(const Graph& graph, int vertices, Levels& levels) {
  constexpr Vertex kSource = 0;  // an end of the path
  const double count = vertices;
  Bfs bfs(graph);
  BfsResult tree;
  levels.row("bfs", "breadth-first search, a level", count, [&] { bfs.run(kSource, tree); });
  Sssp<float> sssp(graph);
  SsspResult<float> paths;
  levels.row("sssp", "shortest paths, a vertex", count, [&] { sssp.run(kSource, paths); });
  Betweenness betweenness(graph);
  BetweennessResult scores;
  levels.row("bc", "betweenness, a level there and back", count, [&] { betweenness.run({&kSource, 1}, scores); });
  VertexProgram<Vertex, MinOf> program(graph);
  levels.row("vertex_program", "a vertex program, a round", count, [&] {
    program.start(std::numeric_limits<Vertex>::max());
    if (const auto source = graph.master_of(kSource)) program.update(*source, 0);
    while (program.round([](Vertex depth, const auto&) { return depth + 1; })) {
    }
  });
}

}  // namespace

int bench_levels(const Words& words) {
  Command command("bench levels", "The time of a level, round or step with nearly nothing in it.");
  LevelsOptions options;
  command.app()
      .add_option("--levels", options.levels, "vertices of the path, and repetitions of a step (default 20000)")
      ->check(CLI::Range(2, 1 << 24));
  command.app()
      .add_option("--turns", options.turns, "of which the median is reported (default 5)")
      ->check(CLI::Range(1, 1000));
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) {
    const Graph graph =
        Graph::build(world, generate(world, fmt::format("path:{}", options.levels), {.weights = Weights::uniform}));
    Levels levels(world, options);
    levels.outcome.input = {{"name", graph.name()}, {"vertices", graph.vertices()}};
    measure_steps(world, graph, levels);
    measure_algorithms(graph, options.levels, levels);
    return std::move(levels.outcome);
  });
}

}  // namespace atl::cli
