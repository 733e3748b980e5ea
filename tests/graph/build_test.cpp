// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/graph/generate/generate.hpp>
#include <atoll/graph/graph.hpp>
#include <bit>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "cases.hpp"
#include "shapes.hpp"

using namespace atl;
using cases::Case;
using cases::Distribution;
using cases::Weight;

namespace {

struct Arc {
  Vertex from, to;
  double weight;
  auto operator<=>(const Arc&) const = default;
};

struct Config {
  bool directed;
  GraphOptions options;
  Weight weight;
};

// The expected lists, from the edges as given.
std::vector<Arc> expected_arcs(const Case& c, const Config& config, bool entering) {
  std::vector<Arc> arcs;
  for (std::size_t i = 0; i < c.edges.size(); ++i) {
    auto [u, v] = c.edges[i];
    if (u == v && config.options.self_loops == SelfLoops::drop) continue;
    const double w = config.weight == Weight::none     ? 0
                     : config.weight == Weight::narrow ? static_cast<double>(static_cast<float>(c.weight(i)))
                                                       : c.weight(i);
    if (entering) std::swap(u, v);
    arcs.push_back({u, v, w});
    if (!config.directed && u != v) arcs.push_back({v, u, w});
  }
  std::sort(arcs.begin(), arcs.end());
  if (config.options.duplicates == Duplicates::keep) return arcs;
  std::vector<Arc> merged;
  for (const Arc& a : arcs) {
    if (merged.empty() || merged.back().from != a.from || merged.back().to != a.to) {
      merged.push_back(a);
    } else if (config.options.duplicates == Duplicates::merge_max) {
      merged.back().weight = a.weight;
    } else if (config.options.duplicates == Duplicates::merge_sum) {
      double& w = merged.back().weight;
      w = config.weight == Weight::narrow ? static_cast<double>(static_cast<float>(w) + static_cast<float>(a.weight))
                                          : w + a.weight;
    }
  }
  return merged;
}

// All ranks' lists by original ids, sorted. Collective.
std::vector<Arc> gathered_arcs(World& world, const Graph& graph, const Csr& csr) {
  std::vector<Arc> mine;
  for (Local v = 0; v < graph.owned(); ++v)
    csr.for_edges(v, [&](Local u, auto weight) {
      CHECK(std::is_same_v<decltype(weight), int> != graph.weighted());
      mine.push_back({graph.id_of(v), graph.id_of(u), graph.weighted() ? static_cast<double>(weight) : 0});
    });
  auto all = world.all_gather_varying(std::span<const Arc>(mine));
  std::sort(all.begin(), all.end());
  return all;
}

void check_names(World& world, const Graph& graph, const Case& c) {
  const auto ids = c.ids();
  const auto owned = static_cast<std::size_t>(graph.owned());
  CHECK(graph.vertices() == static_cast<Vertex>(ids.size()));
  CHECK(graph.blocks().ranks() == world.size());
  CHECK(graph.blocks().count() == graph.vertices());
  CHECK(graph.owned() == graph.blocks().size(world.rank()));
  CHECK(graph.ids().largest() == ids.back());
  bool ascending = true, inverse = true, masters = true;
  for (std::size_t k = 0; k < owned; ++k) {
    const auto n = static_cast<Vertex>(k);
    const Vertex id = graph.ids().id_of(n);
    ascending = ascending && id == ids[static_cast<std::size_t>(graph.blocks().begin(world.rank())) + k];
    inverse = inverse && graph.owned_index_of(graph.local_of(n)) == n && graph.ids().find_here(id) == n;
    masters = masters && graph.id_of(graph.local_of(n)) == id;
  }
  CHECK(ascending);
  CHECK(inverse);
  CHECK(masters);
  CHECK(graph.id_column().index() == (ids.back() < kNarrowIds ? 0u : 1u));
}

void check_order(const Graph& graph) {
  auto degree = [&](Local v) { return graph.out().degree(v) + (graph.directed() ? graph.in().degree(v) : 0); };
  bool active = true, tail = true;
  for (Local v = 0; v < graph.owned(); ++v) active = active && (degree(v) > 0) == (v < graph.active());
  for (Local v = graph.hubs() + 1; v < graph.owned(); ++v)
    tail = tail && (v == graph.active() || graph.owned_index_of(v) > graph.owned_index_of(v - 1));
  CHECK(active);
  CHECK(tail);
  CHECK(graph.hubs() <= graph.active());
  CHECK(graph.active() <= graph.owned());
}

void check_lists(const Graph& graph, const Csr& csr, Duplicates duplicates) {
  REQUIRE(csr.offsets.size() == static_cast<std::size_t>(graph.owned()) + 1);
  CHECK(csr.offsets[0] == 0);
  CHECK(csr.targets.size() == static_cast<std::size_t>(csr.size()));
  bool sorted = true, known = true;
  for (Local v = 0; v < graph.owned(); ++v) {
    const auto list = csr.neighbours(v);
    sorted = sorted && std::is_sorted(list.begin(), list.end());
    if (duplicates != Duplicates::keep) sorted = sorted && std::adjacent_find(list.begin(), list.end()) == list.end();
    for (const Local u : list)
      known = known && u >= 0 && u < graph.locals() && (u < graph.active() || u >= graph.owned());
  }
  CHECK(sorted);
  CHECK(known);
}

// Mirrors are exactly the vertices of other ranks that occur in an edge here, and both sides agree on their ids.
void check_mirrors(World& world, const Graph& graph) {
  const Mirrors& m = graph.mirrors();
  const auto p = static_cast<std::size_t>(world.size());
  REQUIRE(m.begin.size() == p);
  REQUIRE(m.count.size() == p);
  REQUIRE(m.known_by.size() == p);
  CHECK(graph.locals() % 64 == 0);
  std::vector<bool> named(static_cast<std::size_t>(graph.locals()));
  for (const Csr* csr : {&graph.out(), &graph.in()})
    for (const Local u : csr->targets) named[static_cast<std::size_t>(u)] = true;
  Local end = graph.owned();
  bool exact = true;
  for (std::size_t r = 0; r < p; ++r) {
    CHECK(m.begin[r] % 64 == 0);
    CHECK(m.begin[r] >= end);
    for (Local u = std::max(end, graph.owned()); u < m.begin[r]; ++u)
      exact = exact && !named[static_cast<std::size_t>(u)];
    end = m.begin[r] + m.count[r];
    for (Local u = m.begin[r]; u < end; ++u) exact = exact && named[static_cast<std::size_t>(u)];
  }
  CHECK(end <= graph.locals());
  CHECK(exact);
  CHECK(m.count[static_cast<std::size_t>(world.rank())] == 0);

  std::vector<std::vector<Vertex>> told(p);
  bool masters = true;
  for (std::size_t r = 0; r < p; ++r)
    for (std::size_t w = 0; w < m.known_by[r].size(); ++w)
      for (std::uint64_t bits = m.known_by[r][w]; bits; bits &= bits - 1) {
        const auto v = static_cast<Local>(w * 64) + std::countr_zero(bits);
        masters = masters && v < graph.active();
        told[r].push_back(graph.id_of(v));
      }
  CHECK(masters);
  const auto heard = world.exchange(std::move(told));
  bool alike = true;
  for (std::size_t r = 0; r < p; ++r) {
    alike = alike && heard[r].size() == static_cast<std::size_t>(m.count[r]);
    for (std::size_t k = 0; alike && k < heard[r].size(); ++k)
      alike = heard[r][k] == graph.id_of(m.begin[r] + static_cast<Local>(k));
  }
  CHECK(alike);
}

void check_graph(World& world, const Graph& graph, const Case& c, const Config& config) {
  CHECK(graph.name() == c.name);
  CHECK(graph.directed() == config.directed);
  CHECK(graph.weighted() == (config.weight != Weight::none));
  CHECK(graph.input_edges() == static_cast<Edge>(c.edges.size()));
  check_names(world, graph, c);
  check_order(graph);
  check_lists(graph, graph.out(), config.options.duplicates);
  check_mirrors(world, graph);
  const auto out = expected_arcs(c, config, false);
  CHECK(gathered_arcs(world, graph, graph.out()) == out);
  if (config.directed) {
    check_lists(graph, graph.in(), config.options.duplicates);
    CHECK(gathered_arcs(world, graph, graph.in()) == expected_arcs(c, config, true));
    CHECK(graph.edges() == static_cast<Edge>(out.size()));
  } else {
    const auto loops = std::count_if(out.begin(), out.end(), [](const Arc& a) { return a.from == a.to; });
    CHECK(graph.edges() == (static_cast<Edge>(out.size()) + loops) / 2);
  }
  CHECK(graph.report().graph_bytes == graph.memory_bytes());
  CHECK(graph.report().peak_bytes >= graph.report().graph_bytes);
}

Plan plan_of(Rank ranks, int variant) {
  const std::uint64_t dice = random_at(2, static_cast<std::uint64_t>(variant));
  auto buffers = shapes::buffers();
  Plan plan = buffers[dice % buffers.size()].plan;
  plan.threads = (dice >> 20) % 3 == 0 && ranks <= 3 ? 2 : 1;
  return plan;
}

std::vector<Config> configs() {
  std::vector<Config> all;
  for (const bool directed : {false, true})
    for (const Duplicates d : {Duplicates::merge_min, Duplicates::keep, Duplicates::merge_max, Duplicates::merge_sum})
      for (const SelfLoops l : {SelfLoops::keep, SelfLoops::drop})
        for (const Weight w : {Weight::none, Weight::narrow, Weight::wide}) all.push_back({directed, {d, l}, w});
  return all;
}

}  // namespace

TEST_CASE("every arc is in its owner's list exactly once, and all ranks agree on the ids of vertices") {
  int variant = 0;
  for (const Case& c : cases::all())
    for (const Config& config : configs())
      for (const Rank ranks : shapes::kRanks) {
        // Draws a third of the combinations (sanitizers: one in 24), each with a buffer size, an id width and a
        // distribution of edges.
        const std::uint64_t dice = random_at(1, static_cast<std::uint64_t>(++variant));
        if (dice % (shapes::kSanitized ? 24 : 3) != 0) continue;
        const bool wide = dice >> 20 & 1;
        const Distribution distribution = (dice >> 22) % 5 == 0 ? Distribution::last_rank : Distribution::spread;
        CAPTURE(c.name);
        CAPTURE(ranks);
        CAPTURE(variant);
        CAPTURE(config.directed);
        run_ranks(ranks, plan_of(ranks, variant), [&](World& world) {
          const Graph graph = Graph::build(
              world, cases::slice(c, config.directed, config.weight, wide, world.rank(), world.size(), distribution),
              config.options);
          check_graph(world, graph, c, config);
        });
      }
}

TEST_CASE("kept edges are dense after a build and give the same graph, also in columns of 64 bits") {
  int variant = 0;
  for (const Case& c : cases::all())
    for (const Config& config :
         {Config{false, {}, Weight::none}, Config{true, {Duplicates::keep, SelfLoops::keep}, Weight::wide},
          Config{false, {Duplicates::merge_sum, SelfLoops::drop}, Weight::narrow}})
      for (const Rank ranks : shapes::kRanks)
        for (const bool wide : {false, true}) {
          if (random_at(1, static_cast<std::uint64_t>(++variant)) % (shapes::kSanitized ? 12 : 2) != 0) continue;
          CAPTURE(c.name);
          CAPTURE(ranks);
          CAPTURE(wide);
          const auto ids = c.ids();
          run_ranks(ranks, plan_of(ranks, variant), [&](World& world) {
            EdgeList edges = cases::slice(c, config.directed, config.weight, false, world.rank(), world.size(),
                                          Distribution::spread);
            IdMap map = number(world, edges);
            auto dense = [&](const IdColumn& column, std::size_t k) {
              return std::visit([&](const auto& x) { return static_cast<Vertex>(x[k]); }, column);
            };
            if (wide) {
              for (IdColumn* column : {&edges.source, &edges.target}) {
                Array<Vertex> w(edges.size());
                for (std::size_t k = 0; k < w.size(); ++k) w[k] = dense(*column, k);
                *column = std::move(w);
              }
            }
            bool good = true;
            std::size_t k = 0;
            for (std::size_t i = 0; i < c.edges.size(); ++i) {
              if (!cases::is_on_rank(i, world.rank(), world.size(), Distribution::spread)) continue;
              good = good && ids[static_cast<std::size_t>(dense(edges.source, k))] == c.edges[i].first &&
                     ids[static_cast<std::size_t>(dense(edges.target, k))] == c.edges[i].second;
              ++k;
            }
            CHECK(good);
            const Graph graph = Graph::build(world, edges, std::move(map), config.options);
            check_graph(world, graph, c, config);
            CHECK(edges.size() == k);
          });
        }
}

TEST_CASE("a rank without edges adopts the format of the others") {
  const Case c = cases::all()[7];
  for (const Rank ranks : {2, 3, 5})
    for (const Config& config : {Config{true, {}, Weight::narrow}, Config{false, {}, Weight::wide}}) {
      run_ranks(ranks, plan_of(ranks, 0), [&](World& world) {
        // The other ranks pass a default-constructed list: 32 bits, no weights, undirected.
        EdgeList edges;
        if (world.rank() == ranks - 1)
          edges = cases::slice(c, config.directed, config.weight, false, world.rank(), ranks, Distribution::last_rank);
        edges.name = c.name;
        IdMap map = number(world, edges);
        if (world.rank() == ranks - 1)
          for (IdColumn* column : {&edges.target, &edges.source}) {
            Array<Vertex> w(edges.size());
            for (std::size_t k = 0; k < w.size(); ++k) w[k] = std::get<Array<std::uint32_t>>(*column)[k];
            *column = std::move(w);
          }
        check_graph(world, Graph::build(world, edges, std::move(map), config.options), c, config);
      });
    }
}

TEST_CASE("edges in different formats on different ranks are rejected, the same on all") {
  const Case c = cases::all()[4];
  auto refused = [&](auto change) {
    std::vector<std::string> what(3);
    run_ranks(3, plan_of(3, 0), [&](World& world) {
      EdgeList edges = cases::slice(c, false, Weight::none, false, world.rank(), 3, Distribution::spread);
      IdMap map = number(world, edges);
      if (world.rank() == 1) change(edges);
      try {
        Graph::build(world, edges, std::move(map));
      } catch (const InputError& e) {
        what[static_cast<std::size_t>(world.rank())] = e.what();
      }
    });
    CHECK(what[0] == what[1]);
    CHECK(what[0] == what[2]);
    return what[0];
  };
  CHECK(
      refused([](EdgeList& e) { e.weight = Array<float>(e.size(), 1); }) ==
      "path: the edges of rank 1 have 32-bit ids, float weights, undirected (other ranks' have another form). Give the "
      "same on all ranks.");
  CHECK(refused([](EdgeList& e) { e.directed = true; }).find("32-bit ids, no weights, directed") != std::string::npos);
  CHECK(refused([](EdgeList& e) {
          e.target = Array<Vertex>(e.size(), 0);
          e.source = Array<Vertex>(e.size(), 0);
        }).find("64-bit ids") != std::string::npos);
  CHECK(refused([](EdgeList& e) { e.target = Array<std::uint32_t>(e.size() - 1, 0); }) ==
        "path: 23 sources, 22 targets, 0 weights on rank 1 (each edge has one of each, ids of one width). Correct the "
        "columns.");
}

TEST_CASE("an existing source is found on its owner; an unknown one is rejected by name on every rank") {
  for (const Case& c : cases::all())
    for (const Rank ranks : {1, 3, 5}) {
      CAPTURE(c.name);
      const auto ids = c.ids();
      run_ranks(ranks, plan_of(ranks, 0), [&](World& world) {
        const Graph graph =
            Graph::build(world, cases::slice(c, false, Weight::none, false, world.rank(), ranks, Distribution::spread));
        bool good = true;
        for (std::size_t k = 0; k < ids.size(); k += 1 + ids.size() / 20) {
          const auto [rank, owned_index] = graph.find(ids[k]);
          good = good && graph.blocks().begin(rank) + owned_index == static_cast<Vertex>(k);
        }
        CHECK(good);
        for (const Vertex id : {Vertex{-1}, INT64_MIN, INT64_MAX, ids.back() + 1}) {
          const std::string text =
              fmt::format("{}: vertex {} does not exist (the graph has {} vertices, ids up to {}). Name one that does.",
                          c.name, id, ids.size(), ids.back());
          CHECK_THROWS_WITH_AS(graph.find(id), text.c_str(), InputError);
        }
      });
    }
}

TEST_CASE("a large build with many threads gives the same graph as a small one") {
  Plan plan;
  plan.threads = 4;
  const char* text = shapes::kSanitized ? "kron:11" : "kron:15";
  auto degrees = [&](Rank ranks, const Plan& p) {
    std::map<Vertex, Edge> degree;
    std::mutex mutex;
    run_ranks(ranks, p, [&](World& world) {
      const Graph graph = Graph::build(world, generate(world, text));
      std::uint64_t hash = 0;
      for (Local v = 0; v < graph.owned(); ++v)
        for (const Local u : graph.out().neighbours(v))
          hash += mix64(mix64(static_cast<std::uint64_t>(graph.id_of(v))) + static_cast<std::uint64_t>(graph.id_of(u)));
      hash = world.sum(hash);
      std::lock_guard hold(mutex);
      degree[-1] = static_cast<Edge>(hash);
      for (Local v = 0; v < graph.owned(); ++v) degree[graph.id_of(v)] = graph.out().degree(v);
    });
    return degree;
  };
  Plan one;
  one.threads = 1;
  const auto serial = degrees(1, one);
  CHECK(degrees(1, plan) == serial);
  CHECK(degrees(3, plan) == serial);
}
