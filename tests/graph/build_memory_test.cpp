// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atoll/graph/generate/generate.hpp>
#include <atoll/graph/graph.hpp>
#include <atoll/graph/profile.hpp>
#include <fstream>
#include <string>

#include "shapes.hpp"

using namespace atl;

TEST_CASE("a vertex table that would be larger than the plan allows is rejected") {
  Plan plan;
  plan.threads = 1;
  plan.replicated_bytes = 100;
  run_ranks(2, plan, [](World& world) {
    CHECK_THROWS_WITH_AS(Graph::build(world, generate(world, "path:5000")),
                         "5000 vertices need a table of 632 bytes on each rank (replicated_bytes is 100). Raise it in "
                         "the plan.",
                         InputError);
  });
}

TEST_CASE("more vertices in a header than the machine can hold are rejected with numbers, before any allocation") {
  for (const Rank ranks : {1, 3}) {
    CAPTURE(ranks);
    run_ranks(ranks, {}, [&](World& world) {
      const auto stated = [&](Vertex first, Vertex count) {
        EdgeList edges;
        if (world.rank() == 0) {
          edges.source = Array<Vertex>(1, first);
          edges.target = Array<Vertex>(1, first + count - 1);
        } else {
          edges.source = Array<Vertex>();
          edges.target = Array<Vertex>();
        }
        edges.range = IdRange{first, count};
        edges.name = "big.mtx";
        return edges;
      };
      const std::string sharing = ranks > 1 ? fmt::format(" free, shared by {} ranks). ", ranks) : " free). ";
      for (const Partition partition : {Partition::blocked, Partition::hashed}) {
        std::string said;
        try {
          Graph::build(world, stated(1, 1'000'000'000'000), {.placement = {.partition = partition}});
        } catch (const InputError& e) {
          said = e.what();
        }
        if (world.rank() == 0) {
          CAPTURE(said);
          const bool placed = ranks > 1 && partition != Partition::blocked;
          CHECK(said.starts_with(fmt::format("big.mtx: its 1000000000000 vertices take {} TB (this machine has ",
                                             placed ? "20.0" : "28.0")));
          CHECK(said.find(sharing + "Use more machines, correct the stated number of vertices") != std::string::npos);
        }
      }
      EdgeList edges = stated(0, Vertex{1} << 62);
      const IdMap ids = number(world, edges);
      CHECK_THROWS_AS(profile_of(world, edges, ids), InputError);
      CHECK_THROWS_WITH_AS(Graph::build(world, edges, ids), doctest::Contains("vertices take"), InputError);
    });
  }
}

TEST_CASE("a build reports a peak of at most 2.5 times its CSR") {
  for (const Rank ranks : {1, 2}) {
    Plan plan;
    plan.threads = 1;
    run_ranks(ranks, plan, [](World& world) {
      const Graph graph = Graph::build(world, generate(world, "kron:16"));
      const auto csr = static_cast<double>(world.sum(graph.out().memory_bytes()));
      const auto peak = static_cast<double>(world.sum(graph.report().peak_bytes));
      MESSAGE(world.size() << " ranks: peak / CSR = " << peak / csr);
      CHECK(peak <= 2.5 * csr);
    });
  }
}

// Measured by the kernel in a process of its own: VmHWM of a forked child starts at its current memory.
TEST_CASE("the real high-water mark of a build stays within 2.5 times its CSR" * doctest::skip(shapes::kSanitized)) {
  auto field = [](const char* name) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
      if (line.rfind(name, 0) == 0) return std::stod(line.substr(line.find(':') + 1)) * 1024;
    return 0.0;
  };
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    double report[2] = {0, 1};
    {
      Plan plan;
      plan.threads = 1;
      auto world = World::alone(plan);
      EdgeList edges = generate(*world, "kron:19");
      const double before =
          field("VmRSS") - static_cast<double>(edges.size()) * 8;  // the edges count as part of the build
      const Graph graph = Graph::build(*world, std::move(edges));
      report[0] = field("VmHWM") - before;
      report[1] = static_cast<double>(graph.out().memory_bytes());
    }
    _exit(write(ends[1], report, sizeof report) == sizeof report ? 0 : 1);
  }
  double report[2];
  REQUIRE(read(ends[0], report, sizeof report) == sizeof report);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  close(ends[0]);
  close(ends[1]);
  CHECK(status == 0);
  MESSAGE("kron:19: high water " << report[0] / 1e6 << " MB, CSR " << report[1] / 1e6 << " MB, ratio "
                                 << report[0] / report[1]);
  CHECK(report[0] <= 2.5 * report[1]);
}
