// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/device/graph_on_device.hpp>
#include <atoll/catalog/algorithm.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <atoll/runtime/job/launch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

using namespace atl;
using namespace atl::catalog;

namespace {

template <class F>
void on_ranks(Rank ranks, F&& f) {
  Plan plan;
  plan.threads = 1;
  run_ranks(ranks, plan, f);
}

/// Some vertices with many edges, some without, and self-loops.
Graph graph_of(World& world, bool directed) {
  EdgeList edges = generate(world, "kron:8", {.weights = Weights::none});
  edges.directed = directed;
  return Graph::build(world, std::move(edges));
}

Answer answer_of(const Algorithm& row, const Graph& graph, const Arguments& arguments) {
  const auto form = row.prepare(graph, arguments);
  Answer answer;
  for (int turn = 0; turn < 2; ++turn) form->run(arguments, answer, {});
  if (arguments.word("device") == "cuda")  // the lists are there once more
    CHECK(form->memory_bytes() >= graph.out().targets.size() * sizeof(Local));
  const Verdict verdict = row.verify(graph, arguments, answer, nullptr);
  CHECK_MESSAGE(verdict.ok, verdict.what);
  return answer;
}

}  // namespace

TEST_CASE("breadth-first search on a device gives what the host gives") {
  const Algorithm& row = algorithm_named("bfs");
  for (const bool directed : {false, true})
    on_ranks(1, [&](World& world) {
      const Graph graph = graph_of(world, directed);
      for (const std::string direction : {"auto", "push", "pull"}) {
        Arguments arguments(row.options);
        arguments.set("source", graph.id_of(0));
        arguments.set("direction", direction);
        const Answer host = answer_of(row, graph, arguments);
        arguments.set("device", "cuda");
        const Answer device = answer_of(row, graph, arguments);
        const auto wanted = column_of<Vertex>(host, "depth"), found = column_of<Vertex>(device, "depth");
        CHECK(std::equal(wanted.begin(), wanted.end(), found.begin(), found.end()));
        for (const char* const scalar : {"reached", "edges", "levels"})
          CHECK(host.whole(scalar) == device.whole(scalar));
      }
    });
}

TEST_CASE("PageRank on a device gives what the host gives within rounding") {
  const Algorithm& row = algorithm_named("pagerank");
  for (const bool directed : {false, true})
    for (const std::string dangling : {"spread", "ignore"})
      on_ranks(1, [&](World& world) {
        const Graph graph = graph_of(world, directed);
        Arguments arguments(row.options);
        arguments.set("dangling", dangling);
        const Answer host = answer_of(row, graph, arguments);
        arguments.set("device", "cuda");
        const Answer device = answer_of(row, graph, arguments);
        const auto wanted = column_of<double>(host, "score"), found = column_of<double>(device, "score");
        REQUIRE(wanted.size() == found.size());
        double worst = 0;
        for (std::size_t v = 0; v < wanted.size(); ++v) worst = std::fmax(worst, std::abs(wanted[v] - found[v]));
        CHECK(worst < 1e-14);
        CHECK(host.whole("iterations") == device.whole("iterations"));
        arguments.set("precision", "float");
        CHECK(column_of<float>(answer_of(row, graph, arguments), "score").size() == wanted.size());
      });
}

TEST_CASE("what a device does not have is refused") {
  const Algorithm &bfs = algorithm_named("bfs"), &pagerank = algorithm_named("pagerank");
  for (const Algorithm* row : {&bfs, &pagerank}) {
    Arguments arguments(row->options);
    arguments.set("device", "cuda");
    on_ranks(2, [&](World& world) {
      const Graph graph = graph_of(world, false);
      CHECK_THROWS_AS(row->prepare(graph, arguments), UsageError);
    });
  }
  Arguments heavy(bfs.options), weighted(pagerank.options), personal(pagerank.options);
  heavy.set("device", "cuda");
  heavy.set("fission", "on");
  CHECK_THROWS_AS(bfs.check(heavy), UsageError);
  weighted.set("device", "cuda");
  weighted.set("weighted", true);
  CHECK_THROWS_AS(pagerank.check(weighted), UsageError);
  personal.set("device", "cuda");
  on_ranks(1, [&](World& world) {
    const Graph graph = graph_of(world, false);
    const std::vector<double> shares(static_cast<std::size_t>(graph.owned()), 1.0);
    personal.set("personalization", std::span<const double>(shares));
    Answer answer;
    CHECK_THROWS_AS(pagerank.prepare(graph, personal)->run(personal, answer, {}), UsageError);
  });
}

TEST_CASE("PageRank's options out of range are refused on a device in the words of the host") {
  on_ranks(1, [&](World& world) {
    const Graph graph = graph_of(world, false);
    const auto said = [&](const std::string& device, const auto& change) {
      PageRankOptions options;
      change(options);
      try {
        if (device == "cpu") {
          PageRankResult<double> result;
          PageRank<double>(graph, {}).run(options, result);
        } else {
          PageRankResult<double> result;
          PageRankOnDevice<double>(graph, device).run(options, result);
        }
      } catch (const InputError& e) {
        return std::string(e.what());
      }
      return std::string();
    };
    const auto expect_same = [&](const auto& change) {
      CHECK(!said("cpu", change).empty());
      CHECK(said("cuda", change) == said("cpu", change));
    };
    expect_same([](PageRankOptions& o) { o.damping = 1; });
    expect_same([](PageRankOptions& o) { o.tolerance = -1; });
    expect_same([](PageRankOptions& o) { o.max_iterations = 0; });
  });
}
