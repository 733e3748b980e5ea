// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/engine/mirror_records.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <atoll/runtime/job/launch.hpp>
#include <map>

#include "shapes.hpp"

using namespace atl;

namespace {

struct Greeting {
  Vertex of;  // the id of the vertex, as its mirror knows it
  Rank sender;
};
struct TakeDown {
  SpinLock* lock;
  std::map<std::pair<Local, Rank>, std::vector<Vertex>>* noted;  // by master and sender
  void operator()(Local master, const Greeting& greeting) const {
    const std::lock_guard hold(*lock);
    (*noted)[{master, greeting.sender}].push_back(greeting.of);
  }
};

struct Count {
  std::uint32_t what, count;
};
struct AddUp {
  std::map<std::pair<Local, std::uint32_t>, std::uint32_t>* sums;
  SpinLock* lock;
  void operator()(Local master, const Count& count) const {
    const std::lock_guard hold(*lock);
    (*sums)[{master, count.what}] += count.count;
  }
};
struct AddCounts {
  static std::uint32_t key(const Count& count) { return count.what; }
  void operator()(Count& into, const Count& from) const { into.count += from.count; }
};

}  // namespace

TEST_CASE("records of mirrors reach their masters, each once, on every cut and route") {
  for (const auto& [ranks, domains, route] : {std::tuple{1, "", "direct"},
                                              {2, "", "direct"},
                                              {3, "", "direct"},
                                              {4, "2x2", "row"},
                                              {5, "3+2", "domain"},
                                              {8, "2x4", "mst"}})
    for (const Cut cut : {Cut::edge, Cut::cartesian, Cut::hybrid}) {
      if (ranks == 1 && cut != Cut::edge) continue;
      CAPTURE(ranks);
      CAPTURE(route);
      CAPTURE(static_cast<int>(cut));
      Plan plan;
      plan.threads = 2;
      plan.domains = domains;
      plan.route = route;
      run_ranks(ranks, plan, [&, cut = cut](World& world) {
        const Graph graph = Graph::build(world, generate(world, "kron:8:7"),
                                         {.placement = {.partition = Partition::balanced, .cut = cut, .heavy = 12}});
        const GraphView view = GraphView::of(graph, CutRows::sources);
        std::vector<Vertex> id(index(view.locals), kNoVertex);
        for (Local v = 0; v < graph.owned(); ++v) id[index(v)] = graph.id_of(v);
        GraphView back = view;
        back.read = view.written;
        MirrorExchange<Vertex, MinOf>(back).broadcast_all(id);

        SpinLock lock;
        std::map<std::pair<Local, Rank>, std::vector<Vertex>> noted;
        MirrorRecords<Greeting, TakeDown> records(view, TakeDown{&lock, &noted});
        for (std::size_t round = 1; round < 4; ++round) {
          noted.clear();
          world.team().for_range(index(view.locals - view.first_mirror), 16, [&](int, std::size_t a, std::size_t b) {
            auto buffers = records.send_buffers();
            for (std::size_t v = index(view.first_mirror) + a; v < index(view.first_mirror) + b; ++v)
              for (std::size_t k = 0; records.master_of(static_cast<Local>(v)) >= 0 && k < round; ++k)
                buffers.send(static_cast<Local>(v), {id[v], world.rank()});
          });
          records.drain();
          std::size_t mirrors = 0;
          for (const Mirrors* group : view.written)
            for (Rank r = 0; r < world.size(); ++r)
              for_bits(group->known_by[static_cast<std::size_t>(r)], [&](std::size_t master) {
                ++mirrors;
                const auto& of = noted[{static_cast<Local>(master), r}];
                CHECK(of == std::vector<Vertex>(round, graph.id_of(static_cast<Local>(master))));
              });
          CHECK(noted.size() == mirrors);
        }
      });
    }
}

TEST_CASE("payloads for one master with one key are combined on the way, others are not") {
  std::uint64_t merged = 0;
  Plan plan;
  plan.threads = 1;
  plan.domains = "4x2";
  plan.route = "domain";
  run_ranks(8, plan, [&](World& world) {
    const Graph graph =
        Graph::build(world, generate(world, "complete:60"), {.placement = {.partition = Partition::balanced}});
    SpinLock lock;
    std::map<std::pair<Local, std::uint32_t>, std::uint32_t> sums;
    MirrorRecords<Count, AddUp, AddCounts> records(GraphView::all_of(graph), AddUp{&sums, &lock});
    const Counters before = world.counters();
    auto buffers = records.send_buffers();
    for (Local v = graph.mirrors().begin[0]; v < graph.locals(); ++v)
      if (records.master_of(v) >= 0)
        for (const std::uint32_t what : {7U, 8U}) buffers.send(v, {what, what - 6});
    records.drain();
    for (Local v = 0; v < graph.owned(); ++v) {  // each of the other seven ranks has a mirror of it
      CHECK(sums[{v, 7}] == 7);
      CHECK(sums[{v, 8}] == 14);
    }
    CHECK(sums.size() == 2 * static_cast<std::size_t>(graph.owned()));
    std::uint64_t here = 0;
    for (const LevelCount& level : world.counters().since(before).levels) here += level.merged_bytes;
    here = world.sum(here);
    if (world.rank() == 0) merged = here;
  });
  CHECK(merged > 0);
}
