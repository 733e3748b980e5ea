// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/graph/formats/write.hpp>
#include <atoll/graph/id_order.hpp>
#include <atoll/verify/read_result.hpp>
#include <limits>

#include "graph/formats/files.hpp"
#include "mutations.hpp"

using namespace mutations;

namespace {

Graph build(World& world, const cases::Case& c, Partition partition) {
  return Graph::build(
      world,
      cases::slice(c, false, cases::Weight::none, false, world.rank(), world.size(), cases::Distribution::spread),
      {.placement = {.partition = partition}});
}

void on_each(const std::function<void(World&, Partition)>& f) {
  for (const Setup& m : kSetups) {
    Plan plan;
    plan.threads = 1;
    run_ranks(m.ranks, plan, [&](World& world) { f(world, m.partition); });
  }
}

}  // namespace

TEST_CASE("results are read back in every format, for any ranks and partitions") {
  const files::Folder folder;
  for (const cases::Case& c : cases::all())
    for (const char* ending : {".tsv", ".csv", ".txt", ".npy"})
      on_each([&](World& world, Partition partition) {
        const std::string path = folder / fmt::format("r{}{}", world.size(), ending);
        const Graph graph = build(world, c, partition);
        const IdOrder order(world, graph.ids());
        std::vector<Vertex> ids, whole;
        std::vector<double> parts;
        for (Vertex k = 0; k < order.size(); ++k) {
          ids.push_back(order.id_at(k));
          whole.push_back(ids.back() % 3 == 0 ? kUnreachable : -ids.back());
          parts.push_back(ids.back() % 3 == 0 ? std::numeric_limits<double>::infinity()
                                              : 1 / (1.0 + static_cast<double>(ids.back())));
        }
        write_result(world, path, ids, std::span<const Vertex>(whole));
        const auto read = read_result<Vertex>(graph, path);
        write_result(world, path, ids, std::span<const double>(parts));
        const auto numbers = read_result<double>(graph, path);
        CHECK(order.arrange(span(read)) == whole);
        CHECK(order.arrange(span(numbers)) == parts);
        if (graph.vertices() > 0) CHECK_THROWS_AS(read_result<Vertex>(graph, path), InputError);
      });
}

TEST_CASE("errors in a file of results are reported, the same on all ranks") {
  const files::Folder folder;
  const cases::Case c{"pair", {{3, 5}, {5, 8}}, {}, {}};
  int number = 0;
  const auto expect = [&](const std::string& text, const std::string& what) {
    const std::string path = folder.write(fmt::format("bad{}.tsv", ++number), text);
    on_each([&](World& world, Partition partition) {
      const Graph graph = build(world, c, partition);
      CHECK_THROWS_WITH_AS(read_result<Vertex>(graph, path), (path + what).c_str(), InputError);
    });
  };
  expect("3\t1\n5\t2\n",
         ": there is no value for vertex 8 (1 of the 3 vertices of pair have none). Is the file cut off?");
  expect("3\t1\n5\t2\n8\t3\n9\t4\n",
         ":4: there is a value for 9 (no vertex of pair has that id). Is it the result of another graph?");
  expect("3\t1\n5\t2\n8\t3\n3\t4\n", ":4: there is a value for vertex 3 (line 1 has one). Leave one of them out.");
  expect("3\t1\n5\tx\n8\t3\n",
         ":2: the value of vertex 5 is 'x' (a whole number is needed). Correct it, or name what the file holds.");
  expect("3\t1\n-5\t1\n8\t3\n", ":2: the id is '-5' (a whole number from 0 on). Correct it.");
  expect("# depths\nid,value\n3,1\n", ":2: the id is 'id' (a whole number from 0 on). Correct it.");
}
