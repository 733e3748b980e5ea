// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/random.hpp>
#include <atoll/engine/mirror_exchange.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <atoll/runtime/job/launch.hpp>
#include <atoll/runtime/job/virtual_ranks.hpp>
#include <chrono>
#include <map>
#include <string>
#include <thread>

#include "shapes.hpp"

using namespace atl;

namespace {

// The value of every vertex on every rank that has it, as master or mirror, by (original id, rank).
template <class T>
std::map<std::pair<Vertex, Rank>, T> everywhere(const Graph& graph, const Array<T>& values, const VertexBits& bits) {
  struct Seen {
    Vertex id;
    T value;
  };
  std::vector<Seen> mine;
  const auto see = [&](Local v) {
    if (bits.test(v)) mine.push_back({graph.id_of(v), values[static_cast<std::size_t>(v)]});
  };
  for (Local v = 0; v < graph.active(); ++v) see(v);
  const Mirrors& mirrors = graph.mirrors();
  for (std::size_t r = 0; r < mirrors.count.size(); ++r)
    for (Local k = 0; k < mirrors.count[r]; ++k) see(mirrors.begin[r] + k);
  std::vector<Edge> counts;
  const auto all = graph.world().all_gather_varying(std::span<const Seen>(mine), &counts);
  std::map<std::pair<Vertex, Rank>, T> result;
  std::size_t at = 0;
  for (std::size_t r = 0; r < counts.size(); ++r)
    for (Edge i = 0; i < counts[r]; ++i, ++at) result[{all[at].id, static_cast<Rank>(r)}] = all[at].value;
  return result;
}

// Chooses (vertex, rank) pairs pseudo-randomly: `share` of 64.
bool chosen(Vertex id, Rank rank, std::uint64_t round, std::uint64_t share) {
  return random_at(round * 1000 + static_cast<std::uint64_t>(rank), static_cast<std::uint64_t>(id)) % 64 < share;
}

template <class T, class Combine>
void check_exchange(World& world, const std::string& text, std::uint64_t share) {
  const Graph graph = Graph::build(world, generate(world, text));
  MirrorExchange<T, Combine> exchange(graph);
  const auto locals = static_cast<std::size_t>(graph.locals());
  Array<T> values(locals);
  VertexBits changed(graph.locals());
  for (std::uint64_t round = 0; round < 3; ++round) {
    const auto fill = [&] {
      changed.clear();
      const auto set = [&](Local v) {
        const Vertex id = graph.id_of(v);
        values[static_cast<std::size_t>(v)] = static_cast<T>(
            1 + random_at(static_cast<std::uint64_t>(world.rank()) + 7 * round, static_cast<std::uint64_t>(id)) % 1000);
        if (chosen(id, world.rank(), round, share)) changed.set(v);
      };
      for (Local v = 0; v < graph.active(); ++v) set(v);
      const Mirrors& mirrors = graph.mirrors();
      for (std::size_t r = 0; r < mirrors.count.size(); ++r)
        for (Local k = 0; k < mirrors.count[r]; ++k) set(mirrors.begin[r] + k);
    };
    const auto owner_of = [&] {
      std::map<Vertex, Rank> owners;
      std::vector<Vertex> ids;
      for (Local v = 0; v < graph.active(); ++v) ids.push_back(graph.id_of(v));
      std::vector<Edge> counts;
      const auto all = world.all_gather_varying(std::span<const Vertex>(ids), &counts);
      std::size_t at = 0;
      for (std::size_t r = 0; r < counts.size(); ++r)
        for (Edge i = 0; i < counts[r]; ++i) owners[all[at++]] = static_cast<Rank>(r);
      return owners;
    }();

    // Mirrors to masters.
    fill();
    VertexBits all(graph.locals());
    all.set_all();
    std::map<std::pair<Vertex, Rank>, T> expected = everywhere(graph, values, all);
    for (const auto& [where, value] : everywhere(graph, values, changed))
      if (owner_of.at(where.first) != where.second) Combine{}(expected[{where.first, owner_of.at(where.first)}], value);
    exchange.reduce({values.data(), locals}, changed);
    const auto got = everywhere(graph, values, all);
    for (const auto& [where, value] : expected)
      if (owner_of.at(where.first) == where.second) CHECK(got.at(where) == value);
    for (const auto& [where, value] : everywhere(graph, values, changed))
      CHECK(owner_of.at(where.first) == where.second);  // bits of mirrors are cleared

    // Masters to mirrors.
    fill();
    const auto told = everywhere(graph, values, changed);
    auto after = everywhere(graph, values, all);
    for (auto& [where, value] : after)
      if (const auto master = told.find({where.first, owner_of.at(where.first)}); master != told.end())
        value = master->second;
    exchange.broadcast({values.data(), locals}, changed);
    CHECK(everywhere(graph, values, all) == after);
  }
}

}  // namespace

TEST_CASE("changed values of mirrors and masters are exchanged, for any ranks and routes") {
  struct Setup {
    Rank ranks;
    const char* domains;
    const char* route;
    int threads;
  };
  for (const Setup& m : {Setup{1, "", "direct", 2},
                         {2, "", "direct", 2},
                         {3, "", "direct", 1},
                         {4, "2x2", "row", 2},
                         {5, "3+2", "domain", 1},
                         {8, "2x2x2", "auto", 1},
                         {7, "4+3", "mst", 1}})
    for (const char* text : {"kron:7", "uniform:7:3", "path:40", "star:100"})
      for (const std::uint64_t share : {0U, 1U, 20U, 64U}) {
        if (shapes::kSanitized && share == 20) continue;
        CAPTURE(m.ranks);
        CAPTURE(m.route);
        CAPTURE(text);
        CAPTURE(share);
        Plan plan;
        plan.threads = m.threads;
        plan.domains = m.domains;
        plan.route = m.route;
        plan.slot_bytes = m.ranks == 3 ? 256 : 0;  // messages of many parts
        run_ranks(m.ranks, plan, [&](World& world) {
          check_exchange<float, MinOf>(world, text, share);
          check_exchange<std::int64_t, SumOf>(world, text, share);
        });
      }
}

TEST_CASE("values are read on arrival: memory does not grow with traffic") {
  for (const Rank ranks : {2, 3, 5})
    for (const int threads : {1, 2}) {
      CAPTURE(ranks);
      CAPTURE(threads);
      Plan plan;
      plan.threads = threads;
      plan.slot_bytes = 512;
      run_ranks(ranks, plan, [&](World& world) {
        const Graph graph = Graph::build(world, generate(world, "uniform:13:4"));
        MirrorExchange<double, SumOf> exchange(graph);
        const auto locals = static_cast<std::size_t>(graph.locals());
        Array<double> values(locals);
        const std::uint64_t before = world.counters().memory_bytes;
        for (int round = 0; round < 12; ++round) {
          std::fill(values.begin(), values.end(), 1.0);
          if (round % ranks == world.rank()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
          round % 2 ? exchange.reduce_all({values.data(), locals}) : exchange.broadcast_all({values.data(), locals});
          // Ranks that are ahead send to the one that waits here.
          world.barrier();
        }
        const auto peers = static_cast<std::uint64_t>(ranks - 1);
        CHECK(exchange.mirrors() * sizeof(double) >
              8.0 * 512 * static_cast<double>(peers) * ranks);  // several slots each
        CHECK(world.counters().memory_bytes - before <= peers * static_cast<std::uint64_t>(threads + 1) * 512);
      });
    }
}

TEST_CASE("several values per vertex are exchanged like single ones") {
  constexpr Local kLanes = 4;
  for (const char* route : {"direct", "domain"}) {
    Plan plan;
    plan.threads = 1;
    plan.domains = "3+2";
    plan.route = route;
    CAPTURE(route);
    run_ranks(5, plan, [&](World& world) {
      const Graph graph = Graph::build(world, generate(world, "kron:7"));
      const auto locals = static_cast<std::size_t>(graph.locals());
      MirrorExchange<std::int64_t, SumOf> alone(graph), together(graph, {}, kLanes);
      CHECK(together.mirrors() == kLanes * alone.mirrors());
      for (const bool up : {true, false}) {
        Array<std::int64_t> all(locals * kLanes);
        VertexBits all_changed(graph.locals() * kLanes);
        std::vector<Array<std::int64_t>> one;
        std::vector<VertexBits> one_changed;
        for (Local l = 0; l < kLanes; ++l) {
          one.emplace_back(locals);
          one_changed.emplace_back(graph.locals());
          const auto set = [&](Local v) {
            const Local position = v * kLanes + l;
            const auto lane = static_cast<std::size_t>(l);
            const auto value = static_cast<std::int64_t>(
                random_at(static_cast<std::uint64_t>(world.rank()) * 10 + lane, static_cast<std::uint64_t>(v)) % 1000);
            all[static_cast<std::size_t>(position)] = one[lane][static_cast<std::size_t>(v)] = value;
            if (value % (l + 2) == 0) all_changed.set(position), one_changed[lane].set(v);
          };
          for (Local v = 0; v < graph.active(); ++v) set(v);
          for (std::size_t r = 0; r < graph.mirrors().count.size(); ++r)
            for (Local k = 0; k < graph.mirrors().count[r]; ++k) set(graph.mirrors().begin[r] + k);
        }
        up ? together.reduce({all.data(), all.size()}, all_changed)
           : together.broadcast({all.data(), all.size()}, all_changed);
        for (Local l = 0; l < kLanes; ++l) {
          auto& values = one[static_cast<std::size_t>(l)];
          auto& changed = one_changed[static_cast<std::size_t>(l)];
          up ? alone.reduce({values.data(), locals}, changed) : alone.broadcast({values.data(), locals}, changed);
          const auto same = [&](Local v) {
            CHECK(all_changed.test(v * kLanes + l) == changed.test(v));
            CHECK(all[static_cast<std::size_t>(v * kLanes + l)] == values[static_cast<std::size_t>(v)]);
          };
          for (Local v = 0; v < graph.active(); ++v) same(v);
          for (std::size_t r = 0; r < graph.mirrors().count.size(); ++r)
            for (Local k = 0; k < graph.mirrors().count[r]; ++k) same(graph.mirrors().begin[r] + k);
        }
      }
    });
  }
}

TEST_CASE("monitors combine values: fewer bytes cross between domains than without combining") {
  // 8 domains of 8 ranks; many ranks of a domain have mirrors of the same vertex.
  const auto across = [](const char* route, std::size_t lane_bytes, bool up) {
    Plan plan;
    plan.route = route;
    plan.lane_bytes = lane_bytes;
    std::uint64_t bytes = 0;
    run_virtual(Hierarchy::parse("8x8"), Cost::paper(2), plan, [&](World& world) {
      const Graph graph = Graph::build(world, generate(world, "kron:10"));
      MirrorExchange<double, SumOf> exchange(graph);
      Array<double> values(static_cast<std::size_t>(graph.locals()), 1.0);
      for (Local v = 0; v < graph.active(); ++v)
        values[static_cast<std::size_t>(v)] = static_cast<double>(graph.id_of(v));
      VertexBits changed(graph.locals());
      changed.set_all();
      const Counters before = world.counters();
      up ? exchange.reduce({values.data(), values.size()}, changed)
         : exchange.broadcast({values.data(), values.size()}, changed);
      const std::uint64_t sent = world.sum(world.counters().since(before).levels[1].bytes);
      if (world.rank() == 0) bytes = sent;
      if (up) return;
      for (std::size_t r = 0; r < graph.mirrors().count.size(); ++r)
        for (Local k = 0; k < graph.mirrors().count[r]; ++k) {
          const Local mirror = graph.mirrors().begin[r] + k;
          CHECK(values[static_cast<std::size_t>(mirror)] == static_cast<double>(graph.id_of(mirror)));
          CHECK(changed.test(mirror));
        }
    });
    return bytes;
  };
  for (const char* route : {"domain", "mst-levels"})
    for (const bool up : {true, false}) {
      CAPTURE(std::string(route));
      CAPTURE(up);
      CHECK(2 * across(route, Plan{}.lane_bytes, up) < across(route, 0, up));
    }
}
