// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <atoll/graph/mirror_values.hpp>
#include <atoll/graph/partition/cut_quality.hpp>
#include <atoll/graph/partition/vertex_cut.hpp>
#include <atoll/runtime/job/launch.hpp>
#include <map>
#include <set>

#include "graph/cases.hpp"
#include "shapes.hpp"

using namespace atl;

namespace {

struct WeighedArc {
  Vertex from, to;  // original ids
  double weight;
  auto operator<=>(const WeighedArc&) const = default;
};

double weight_at(const Csr& csr, std::size_t e) {
  return std::visit(
      [&](const auto& weights) -> double {
        if constexpr (std::is_same_v<std::decay_t<decltype(weights)>, std::monostate>) {
          return 0;
        } else {
          return weights[e];
        }
      },
      csr.weights);
}

// Original ids by local index, as told by the owners of mirrors; kNoVertex in gaps.
std::vector<Vertex> ids_of(World& world, const Graph& graph, const VertexCut& cut) {
  std::vector<Vertex> ids(static_cast<std::size_t>(cut.locals()), kNoVertex);
  for (Local v = 0; v < cut.owned(); ++v) ids[static_cast<std::size_t>(v)] = graph.id_of(v);
  for (int kind = 0; kind < VertexCut::kinds; ++kind) {
    const Mirrors& mirrors = cut.mirrors(static_cast<VertexCut::Kind>(kind));
    std::vector<std::vector<Vertex>> told(mirrors.known_by.size());
    for (std::size_t r = 0; r < told.size(); ++r)
      for (Local v = 0; v < cut.owned(); ++v)
        if (const auto& known = mirrors.known_by[r];
            !known.empty() && (known[static_cast<std::size_t>(v) / 64] >> (v % 64) & 1))
          told[r].push_back(graph.id_of(v));
    const auto heard = world.exchange(std::move(told));
    for (std::size_t r = 0; r < heard.size(); ++r) {
      REQUIRE(heard[r].size() == static_cast<std::size_t>(mirrors.count[r]));
      std::copy(heard[r].begin(), heard[r].end(), ids.begin() + mirrors.begin[r]);
    }
  }
  return ids;
}

struct Setup {
  Rank ranks;
  int threads;
  Partition owners;
};
const Setup kSetups[] = {{1, 2, Partition::blocked},  {2, 2, Partition::balanced}, {3, 1, Partition::hashed},
                         {4, 2, Partition::balanced}, {5, 1, Partition::blocked},  {8, 1, Partition::hashed}};

// Calls f(world, graph, rule) for small graphs of all kinds over machines and cuts: a third of the combinations.
template <class F>
void for_each_cut(F&& f) {
  std::uint64_t variant = 0;
  for (const auto& c : cases::all())
    for (const Setup& m : kSetups)
      for (const bool directed : {false, true})
        for (const Duplicates duplicates : {Duplicates::merge_min, Duplicates::keep}) {
          if (random_at(8, ++variant) % (shapes::kSanitized ? 12 : 3) != 0) continue;
          CAPTURE(c.name);
          CAPTURE(m.ranks);
          CAPTURE(directed);
          Plan plan;
          plan.threads = m.threads;
          run_ranks(m.ranks, plan, [&](World& world) {
            const auto weight = directed ? cases::Weight::wide : cases::Weight::none;
            const Graph graph = Graph::build(
                world,
                cases::slice(c, directed, weight, false, world.rank(), world.size(), cases::Distribution::spread),
                {.duplicates = duplicates, .placement = {.partition = m.owners}});
            for (const CutRule& rule : {CutRule(Cut::cartesian, m.ranks), CutRule(Cut::hybrid, m.ranks, 1),
                                        CutRule(Cut::hybrid, m.ranks, 4), CutRule(Cut::hybrid, m.ranks)})
              f(world, graph, rule);
          });
        }
}

// All edges of the graph, undirected ones in both directions. Collective.
std::vector<WeighedArc> all_arcs(World& world, const Graph& graph) {
  std::vector<WeighedArc> mine;
  for (Local v = 0; v < graph.active(); ++v)
    for (auto e = static_cast<std::size_t>(graph.out().offsets[static_cast<std::size_t>(v)]);
         e < static_cast<std::size_t>(graph.out().offsets[static_cast<std::size_t>(v) + 1]); ++e)
      mine.push_back({graph.id_of(v), graph.id_of(graph.out().targets[e]), weight_at(graph.out(), e)});
  return world.all_gather_varying(std::span<const WeighedArc>(mine));
}

std::map<Vertex, Rank> owners_by_id(World& world, const Graph& graph) {
  std::vector<Vertex> mine;
  for (Local v = 0; v < graph.owned(); ++v) mine.push_back(graph.id_of(v));
  std::vector<Edge> counts;
  const auto all = world.all_gather_varying(std::span<const Vertex>(mine), &counts);
  std::map<Vertex, Rank> owner;
  std::size_t at = 0;
  for (std::size_t r = 0; r < counts.size(); ++r)
    for (Edge i = 0; i < counts[r]; ++i) owner[all[at++]] = static_cast<Rank>(r);
  return owner;
}

// The counts of quality_of(), computed edge by edge.
struct Counted {
  std::set<std::pair<Vertex, Rank>> read, written, copies;
  std::vector<Edge> edges;
};

Counted count(const std::vector<WeighedArc>& arcs, const std::map<Vertex, Rank>& owner, Rank ranks, const CutRule& rule,
              bool directed) {
  Counted c;
  c.edges.assign(static_cast<std::size_t>(ranks), 0);
  std::map<Vertex, Edge> entering;
  for (const WeighedArc& a : arcs) ++entering[a.to];
  for (const auto& [v, rank] : owner) c.copies.insert({v, rank});
  for (const WeighedArc& a : arcs) {
    const Rank from = owner.at(a.from), to = owner.at(a.to);
    if (rule.cut() == Cut::edge) {
      ++c.edges[static_cast<std::size_t>(from)];
      if (from == to) continue;
      c.read.insert({a.to, from});
      if (directed) c.read.insert({a.from, to});
      continue;
    }
    const Rank at = rule.place(from, to, entering[a.to]);
    ++c.edges[static_cast<std::size_t>(at)];
    if (at != from) c.read.insert({a.from, at});
    if (at != to) c.written.insert({a.to, at});
  }
  c.copies.insert(c.read.begin(), c.read.end());
  c.copies.insert(c.written.begin(), c.written.end());
  return c;
}

double imbalance(const std::vector<Edge>& load) {
  Edge most = 0, sum = 0;
  for (const Edge l : load) most = std::max(most, l), sum += l;
  return sum == 0 ? 1 : static_cast<double>(most) * static_cast<double>(load.size()) / static_cast<double>(sum);
}

void check_quality(const CutQuality& q, const Counted& c, std::size_t vertices, Rank ranks) {
  CHECK(q.read == static_cast<Edge>(c.read.size()));
  CHECK(q.written == static_cast<Edge>(c.written.size()));
  CHECK(q.copies == static_cast<Vertex>(c.copies.size()));
  CHECK(q.bytes_per_round() == 4 * static_cast<Edge>(c.read.size() + c.written.size()));
  CHECK(q.replication == doctest::Approx(static_cast<double>(c.copies.size()) / static_cast<double>(vertices)));
  CHECK(q.edge_imbalance == doctest::Approx(imbalance(c.edges)));
  std::vector<Edge> copies(static_cast<std::size_t>(ranks), 0);
  for (const auto& [v, rank] : c.copies) ++copies[static_cast<std::size_t>(rank)];
  CHECK(q.vertex_imbalance == doctest::Approx(imbalance(copies)));
}

}  // namespace

TEST_CASE("a grid is as square as the number of ranks allows; a prime number gives a row") {
  for (Rank ranks = 1; ranks <= 300; ++ranks) {
    const Grid grid = Grid::nearest_square(ranks);
    CHECK(grid.rows * grid.columns == ranks);
    CHECK(grid.rows <= grid.columns);
    for (Rank rows = grid.rows + 1; rows * rows <= ranks; ++rows) CHECK(ranks % rows != 0);
    for (Rank r = 0; r < ranks; ++r) CHECK(grid.at(grid.row_of(r), grid.column_of(r)) == r);
  }
  CHECK(Grid::nearest_square(7).rows == 1);
}

TEST_CASE("a vertex-cut has each edge once, on the rank given by the rule, with ids that agree with the owners") {
  for_each_cut([](World& world, const Graph& graph, const CutRule& rule) {
    const std::vector<WeighedArc> arcs = all_arcs(world, graph);
    const auto owner = owners_by_id(world, graph);
    std::map<Vertex, Edge> entering;
    for (const WeighedArc& a : arcs) ++entering[a.to];
    std::multiset<WeighedArc> expected;
    std::set<Vertex> read, written;
    for (const WeighedArc& a : arcs)
      if (rule.place(owner.at(a.from), owner.at(a.to), entering[a.to]) == world.rank()) {
        expected.insert(a);
        if (owner.at(a.from) != world.rank()) read.insert(a.from);
        if (owner.at(a.to) != world.rank()) written.insert(a.to);
      }
    for (const CutRows rows : {CutRows::sources, CutRows::targets}) {
      const VertexCut cut(graph, rule, rows);
      const std::vector<Vertex> ids = ids_of(world, graph, cut);
      std::multiset<WeighedArc> got;
      REQUIRE(cut.rows().offsets.size() == static_cast<std::size_t>(cut.locals()) + 1);
      for (Local v = 0; v < cut.locals(); ++v) {
        const auto list = cut.rows().neighbours(v);
        CHECK(std::is_sorted(list.begin(), list.end()));
        for (std::size_t i = 0; i < list.size(); ++i) {
          const Vertex one = ids[static_cast<std::size_t>(v)], other = ids[static_cast<std::size_t>(list[i])];
          const auto e = static_cast<std::size_t>(cut.rows().offsets[static_cast<std::size_t>(v)]) + i;
          const double weight = weight_at(cut.rows(), e);
          got.insert(rows == CutRows::sources ? WeighedArc{one, other, weight} : WeighedArc{other, one, weight});
        }
      }
      CHECK(got == expected);
      // By kind: vertices read and written by edges here; those of each owner are consecutive, starting at a multiple
      // of 64.
      Local next = cut.first_mirror();
      for (std::size_t r = 0; r < static_cast<std::size_t>(world.size()); ++r) {
        CHECK(cut.mirrors(VertexCut::only_read).begin[r] % 64 == 0);
        for (int kind = 0; kind < VertexCut::kinds; ++kind) {
          const Mirrors& mirrors = cut.mirrors(static_cast<VertexCut::Kind>(kind));
          CHECK(mirrors.begin[r] == next);
          next += mirrors.count[r];
          for (Local m = mirrors.begin[r]; m < next; ++m) {
            const Vertex id = ids[static_cast<std::size_t>(m)];
            CHECK(owner.at(id) == static_cast<Rank>(r));
            CHECK(read.contains(id) == (kind != VertexCut::only_written));
            CHECK(written.contains(id) == (kind != VertexCut::only_read));
          }
        }
        next = (next + 63) / 64 * 64;
      }
      CHECK(next == cut.locals());
    }
  });
}

TEST_CASE("the predicted quality of a cut equals a count edge by edge and the quality of the built cut") {
  for_each_cut([](World& world, const Graph& graph, const CutRule& rule) {
    const std::vector<WeighedArc> arcs = all_arcs(world, graph);
    const auto owner = owners_by_id(world, graph);
    const std::vector<Rank> here = [&] {
      std::vector<Rank> at(static_cast<std::size_t>(graph.locals()), world.rank());
      broadcast_to_mirrors(graph, std::span(at));
      return at;
    }();
    const CutQuality q = quality_of(graph, here, world.size(), rule);
    check_quality(q, count(arcs, owner, world.size(), rule, graph.directed()), owner.size(), world.size());
    const VertexCut cut(graph, rule, CutRows::sources);
    Edge read = 0, written = 0;
    for (std::size_t r = 0; r < static_cast<std::size_t>(world.size()); ++r) {
      const Edge both = cut.mirrors(VertexCut::both).count[r];
      read += cut.mirrors(VertexCut::only_read).count[r] + both;
      written += cut.mirrors(VertexCut::only_written).count[r] + both;
    }
    CHECK(world.sum(read) == q.read);
    CHECK(world.sum(written) == q.written);
    // For the edge-cut, these are the graph's own mirrors.
    const CutRule edge_cut(Cut::edge, world.size());
    const CutQuality e = quality_of(graph, here, world.size(), edge_cut);
    check_quality(e, count(arcs, owner, world.size(), edge_cut, graph.directed()), owner.size(), world.size());
    Edge mirrors = 0;
    for (const Local n : graph.mirrors().count) mirrors += n;
    CHECK(world.sum(mirrors) == e.read);
    // A machine larger than the job.
    constexpr Rank kRanks = 12;
    const auto far = [](Vertex id) { return static_cast<Rank>(random_at(5, static_cast<std::uint64_t>(id)) % kRanks); };
    std::vector<Rank> there(static_cast<std::size_t>(graph.locals()), 0);
    for (Local v = 0; v < graph.owned(); ++v) there[static_cast<std::size_t>(v)] = far(graph.id_of(v));
    broadcast_to_mirrors(graph, std::span(there));
    std::map<Vertex, Rank> owner_there;
    for (const auto& [v, rank] : owner) owner_there[v] = far(v);
    for (const CutRule& one : {CutRule(rule.cut(), kRanks, 3), CutRule(Cut::edge, kRanks)})
      check_quality(quality_of(graph, there, kRanks, one), count(arcs, owner_there, kRanks, one, graph.directed()),
                    owner.size(), kRanks);
  });
}

TEST_CASE("the chosen cut moves less than the edge-cut, or is the edge-cut") {
  for (const char* text : {"kron:10", "grid:40x40", "star:2000", "uniform:10:4"})
    for (const Rank ranks : {1, 2, 4, 8}) {
      if (shapes::kSanitized && ranks == 8) continue;
      CAPTURE(text);
      CAPTURE(ranks);
      Plan plan;
      plan.threads = 1;
      run_ranks(ranks, plan, [&](World& world) {
        const Graph graph = Graph::build(world, generate(world, text),
                                         {.placement = {.partition = Partition::balanced, .cut = Cut::chosen}});
        std::vector<Rank> owner(static_cast<std::size_t>(graph.locals()), world.rank());
        broadcast_to_mirrors(graph, std::span(owner));
        const CutQuality chosen = quality_of(graph, owner, ranks, graph.cut());
        const CutQuality edge = quality_of(graph, owner, ranks, CutRule(Cut::edge, ranks));
        if (graph.cut().cut() == Cut::edge) {
          CHECK(chosen.bytes_per_round() == edge.bytes_per_round());
        } else {
          CHECK(chosen.bytes_per_round() <= edge.bytes_per_round());
          CHECK(graph.cut().cut() != Cut::chosen);
        }
        if (ranks == 1 || std::string(text).starts_with("grid")) CHECK(graph.cut().cut() == Cut::edge);
      });
    }
}

TEST_CASE("a graph keeps one vertex-cut for each kind of rows, also where it moves") {
  Plan plan;
  plan.threads = 1;
  run_ranks(4, plan, [](World& world) {
    Graph graph = Graph::build(world, generate(world, "kron:8"), {.placement = {.cut = Cut::cartesian}});
    const std::size_t alone = graph.memory_bytes();
    const VertexCut& sources = graph.vertex_cut(CutRows::sources);
    CHECK(graph.memory_bytes() == alone + sources.memory_bytes());
    const VertexCut& targets = graph.vertex_cut(CutRows::targets);
    CHECK(&sources != &targets);
    CHECK(graph.memory_bytes() == alone + sources.memory_bytes() + targets.memory_bytes());
    const Graph moved = std::move(graph);
    CHECK(&moved.vertex_cut(CutRows::sources) == &sources);
    CHECK(&moved.vertex_cut(CutRows::targets) == &targets);
    CHECK(&sources.world() == &world);
    CHECK(sources.owned() == moved.owned());
    const VertexCut own(moved, moved.cut(), CutRows::sources);
    REQUIRE(own.rows().targets.size() == sources.rows().targets.size());
    CHECK(std::equal(own.rows().targets.begin(), own.rows().targets.end(), sources.rows().targets.begin()));
    CHECK(std::equal(own.rows().offsets.begin(), own.rows().offsets.end(), sources.rows().offsets.begin()));
  });
}
