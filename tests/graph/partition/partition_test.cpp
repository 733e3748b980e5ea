// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/base/random.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <atoll/graph/graph.hpp>
#include <atoll/graph/id_order.hpp>
#include <atoll/graph/partition/quality.hpp>
#include <atoll/graph/partition/tree_split.hpp>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <vector>

#include "graph/cases.hpp"
#include "shapes.hpp"

using namespace atl;
using cases::Case;
using cases::Distribution;
using cases::Weight;

namespace {

const PartitionOptions kPlacements[] = {{Partition::blocked, true},
                                        {Partition::balanced, true},
                                        {Partition::hashed, true},
                                        {Partition::hierarchy, true},
                                        {Partition::hierarchy, false}};

// Ranks in one domain, or in domains of unequal size.
std::vector<std::string> machines() { return {"", "1+1", "3+1", "2x2", "1+3+1", "2x2x2"}; }

Plan plan_for(const std::string& domains) {
  Plan plan;
  plan.threads = 1;
  plan.domains = domains;
  plan.timeout_seconds = 120;
  return plan;
}

// Edges of a grid, or of clusters with few edges between them, with shuffled ids.
EdgeList shuffled(const World& world, std::vector<std::pair<Vertex, Vertex>> edges, Vertex n, std::uint64_t seed) {
  std::vector<Vertex> name(static_cast<std::size_t>(n));
  std::iota(name.begin(), name.end(), Vertex{0});
  Random random(seed);
  for (std::size_t i = name.size(); i > 1; --i) std::swap(name[i - 1], name[random.below(i)]);
  std::vector<std::pair<Vertex, Vertex>> mine;
  for (std::size_t i = 0; i < edges.size(); ++i)
    if (static_cast<Rank>(i % static_cast<std::size_t>(world.size())) == world.rank()) mine.push_back(edges[i]);
  Array<std::uint32_t> source(mine.size()), target(mine.size());
  for (std::size_t i = 0; i < mine.size(); ++i) {
    source[i] = static_cast<std::uint32_t>(name[static_cast<std::size_t>(mine[i].first)]);
    target[i] = static_cast<std::uint32_t>(name[static_cast<std::size_t>(mine[i].second)]);
  }
  EdgeList list;
  list.source = std::move(source);
  list.target = std::move(target);
  list.range = IdRange{0, n};
  list.name = "shuffled";
  return list;
}

std::vector<std::pair<Vertex, Vertex>> grid(Vertex side) {
  std::vector<std::pair<Vertex, Vertex>> edges;
  for (Vertex i = 0; i < side * side; ++i) {
    if (i % side + 1 < side) edges.emplace_back(i, i + 1);
    if (i + side < side * side) edges.emplace_back(i, i + side);
  }
  return edges;
}

std::vector<std::pair<Vertex, Vertex>> communities(Vertex groups, Vertex size) {
  std::vector<std::pair<Vertex, Vertex>> edges;
  Random random(5);
  for (Vertex v = 0; v < groups * size; ++v) {
    for (int k = 0; k < 5; ++k)
      edges.emplace_back(v, v / size * size + static_cast<Vertex>(random.below(static_cast<std::uint64_t>(size))));
    edges.emplace_back(v, static_cast<Vertex>(random.below(static_cast<std::uint64_t>(groups * size))));
  }
  return edges;
}

PartitionQuality quality(World& world, EdgeList edges, const Hierarchy& machine, const PartitionOptions& placement) {
  const IdMap ids = number(world, edges);
  const std::vector<Rank> owner = owners_of(world, edges, ids, machine, placement);
  return quality_of(world, edges, ids, owner, machine, Cost::paper(machine.depth()));
}

using Arc = std::tuple<Vertex, Vertex, double>;

std::vector<Arc> arcs_of(World& world, const Graph& graph) {
  std::vector<Arc> mine;
  for (Local v = 0; v < graph.owned(); ++v)
    for (auto e = static_cast<std::size_t>(graph.out().offsets[static_cast<std::size_t>(v)]);
         e < static_cast<std::size_t>(graph.out().offsets[static_cast<std::size_t>(v) + 1]); ++e)
      mine.emplace_back(graph.id_of(v), graph.id_of(graph.out().targets[e]),
                        std::visit(
                            [&](const auto& w) -> double {
                              if constexpr (std::is_same_v<std::decay_t<decltype(w)>, std::monostate>) {
                                return 0;
                              } else {
                                return static_cast<double>(w[e]);
                              }
                            },
                            graph.out().weights));
  struct Plain3 {
    Vertex a, b;
    double w;
  };
  std::vector<Plain3> plain;
  for (const auto& [a, b, w] : mine) plain.push_back({a, b, w});
  std::vector<Arc> all;
  for (const Plain3& a : world.all_gather_varying(std::span<const Plain3>(plain))) all.emplace_back(a.a, a.b, a.w);
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

TEST_CASE("every partition holds the same graph, numbers each vertex once and finds it by its id") {
  int variant = 0;
  for (const Case& c : cases::all())
    for (const bool directed : {false, true})
      for (const Weight weight : {Weight::none, Weight::wide}) {
        std::vector<Arc> expected;
        run_ranks(1, plan_for(""), [&](World& world) {
          expected =
              arcs_of(world, Graph::build(world, cases::slice(c, directed, weight, false, 0, 1, Distribution::spread)));
        });
        const auto ids = c.ids();
        for (const std::string& domains : machines())
          for (const Rank flat : shapes::kRanks)
            for (const PartitionOptions& placement : kPlacements) {
              const Rank ranks = domains.empty() ? flat : Hierarchy::parse(domains).size();
              if (!domains.empty() && flat != shapes::kRanks[0]) continue;
              if (random_at(7, static_cast<std::uint64_t>(++variant)) % (shapes::kSanitized ? 40 : 10) != 0) continue;
              CAPTURE(c.name);
              CAPTURE(directed);
              CAPTURE(domains);
              CAPTURE(ranks);
              CAPTURE(static_cast<int>(placement.partition));
              CAPTURE(placement.fusion);
              run_ranks(ranks, plan_for(domains), [&](World& world) {
                GraphOptions options;
                options.placement = placement;
                options.degree_sort = variant % 3 != 0;
                options.isolated = variant % 5 == 0 ? Isolated::keep : Isolated::drop;
                const Graph graph = Graph::build(
                    world,
                    cases::slice(c, directed, weight, variant % 2 == 0, world.rank(), ranks, Distribution::spread),
                    options);
                CHECK(arcs_of(world, graph) == expected);
                std::size_t wrong = 0;
                std::vector<Vertex> by_owned_index;
                for (Vertex k = 0; k < graph.owned(); ++k) {
                  by_owned_index.push_back(graph.ids().id_of(k));
                  wrong += k > 0 && by_owned_index[static_cast<std::size_t>(k)] <=
                                        by_owned_index[static_cast<std::size_t>(k - 1)];
                  wrong += graph.ids().find_here(graph.ids().id_of(k)) != k;
                  wrong += graph.id_of(graph.local_of(k)) != graph.ids().id_of(k);
                }
                for (std::size_t i = 0; i < ids.size(); i += 1 + ids.size() / 5) {
                  const auto [owner, at] = graph.find(ids[i]);
                  wrong += owner == world.rank() && by_owned_index[static_cast<std::size_t>(at)] != ids[i];
                }
                CHECK(wrong == 0);
                CHECK(graph.ids().largest() == ids.back());
                // In the order of ids, whatever the partition.
                const IdOrder order(world, graph.ids());
                const auto sorted = order.arrange(std::span<const Vertex>(by_owned_index));
                CHECK(world.all_gather_varying(std::span<const Vertex>(sorted)) == ids);
                for (Vertex k = 0; k < order.size(); ++k) {
                  const Vertex id = order.id_at(k);
                  wrong += order.find_here(id) != k || order.rank_of(id) != world.rank();
                }
                CHECK(wrong == 0);
              });
            }
      }
}

TEST_CASE("owners do not depend on the number of ranks that compute them, for machines of any size") {
  int variant = 0;
  for (const std::string text : {"grid:40x30", "kron:9", "star:200", "rmat:8:0.6,0.1,0.2"})
    for (const std::string machine : {"1", "3+1", "4x4", "2x3x5"})
      for (const PartitionOptions& placement : kPlacements) {
        if (shapes::kSanitized && random_at(3, static_cast<std::uint64_t>(++variant)) % 8 != 0) continue;
        CAPTURE(text);
        CAPTURE(machine);
        CAPTURE(static_cast<int>(placement.partition));
        std::vector<Rank> expected;
        const Hierarchy h = Hierarchy::parse(machine);
        for (const Rank ranks : {1, 2, 5}) {
          if (ranks == h.size()) continue;
          std::vector<Rank> got;
          run_ranks(ranks, plan_for(""), [&](World& world) {
            EdgeList edges = generate(world, text);
            const IdMap ids = number(world, edges);
            const auto mine = owners_of(world, edges, ids, h, placement);
            const auto all = world.all_gather_varying(std::span<const Rank>(mine));
            if (world.rank() == 0) got = all;
          });
          if (expected.empty()) expected = got;
          CHECK(got == expected);
          CHECK(std::all_of(got.begin(), got.end(), [&](Rank r) { return r >= 0 && r < h.size(); }));
        }
      }
}

TEST_CASE("the hierarchy partition keeps neighbours in road networks and communities in one domain, in balance") {
  run_ranks(2, plan_for(""), [](World& world) {
    const Hierarchy machine = Hierarchy::parse("4x4");
    for (const bool roads : {true, false}) {
      CAPTURE(roads);
      const auto edges = roads ? grid(100) : communities(100, 60);
      const Vertex n = roads ? 10000 : 6000;
      const auto of = [&](Partition partition, bool fusion = true) {
        return quality(world, shuffled(world, edges, n, 3), machine, {partition, fusion});
      };
      const PartitionQuality blocked = of(Partition::blocked), hashed = of(Partition::hashed);
      for (const bool fusion : {true, false}) {
        const PartitionQuality q = of(Partition::hierarchy, fusion);
        CHECK(q.between_leaves() * (roads ? 20 : 3) < blocked.between_leaves());
        CHECK(q.between_leaves() * (roads ? 20 : 3) < hashed.between_leaves());
        CHECK(q.equation1_s * 3 < hashed.equation1_s);
        CHECK(q.load_imbalance < 1.1);
      }
      CHECK(of(Partition::balanced).load_imbalance < 1.05);
    }
  });
}

TEST_CASE("quality counts each edge at the level that separates its endpoints") {
  run_ranks(3, plan_for(""), [](World& world) {
    EdgeList edges = generate(world, "path:8");  // ranks 0 0 1 1 2 2 3 3
    const IdMap ids = number(world, edges);
    const Hierarchy machine = Hierarchy::parse("2x2");
    const auto owner = owners_of(world, edges, ids, machine, {});
    const PartitionQuality q = quality_of(world, edges, ids, owner, machine, Cost::of_steps(0.5, std::vector{4.5}));
    CHECK(q.inside_ranks == 4);
    CHECK(q.at_level == std::vector<Edge>{2, 1});
    CHECK(q.between_leaves() == 1);
    CHECK(q.equation1_s == 2 * 1 + 1 * 10);
    CHECK(q.vertex_imbalance == 1);
    CHECK(q.edge_imbalance == doctest::Approx(4 * 4 / 14.0));
  });
}

TEST_CASE("a graph is split along the tree of domains: each cluster lies in one domain, whatever the order of ranks") {
  // Four cliques of four, joined in pairs by heavy edges and across the pairs by light ones.
  WeightedGraph g;
  const auto tie = [](std::size_t a, std::size_t b) {
    if (a / 4 == b / 4) return 10.0;
    if (a / 8 == b / 8) return 1.0;
    return a % 4 == b % 4 ? 0.1 : 0.0;
  };
  g.offsets.push_back(0);
  for (std::size_t a = 0; a < 16; ++a) {
    for (std::size_t b = 0; b < 16; ++b)
      if (a != b && tie(a, b) > 0) {
        g.targets.push_back(static_cast<std::uint32_t>(b));
        g.weights.push_back(tie(a, b));
      }
    g.offsets.push_back(g.targets.size());
    g.weight.push_back(1);
  }
  const Domain a{.kind = "node", .name = {}, .children = {}, .ranks = {0, 2}},
      b{.kind = "node", .name = {}, .children = {}, .ranks = {1, 3}};
  const Hierarchy cyclic(Domain{.kind = "system", .name = {}, .children = {a, b}, .ranks = {}});
  const auto owner = split_by_tree(g, cyclic);
  std::map<Rank, int> load;
  for (std::size_t v = 0; v < 16; ++v) {
    ++load[owner[v]];
    CHECK(owner[v] == owner[v / 4 * 4]);
    CHECK(cyclic.leaf_of(owner[v]) == cyclic.leaf_of(owner[v / 8 * 8]));
  }
  CHECK(load == std::map<Rank, int>{{0, 4}, {1, 4}, {2, 4}, {3, 4}});
  CHECK(split_by_tree({{0}, {}, {}, {}}, cyclic).empty());
}

TEST_CASE("no move of a single vertex that keeps the balance reduces the cut of a bisection") {
  constexpr std::size_t kVertices = 12;
  constexpr double kSlack = 0.2;  // parts of 5 to 7 vertices
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    const auto joined = [&](std::size_t a, std::size_t b) {
      return a != b && random_at(seed, std::min(a, b) * kVertices + std::max(a, b)) % 5 == 0;
    };
    WeightedGraph g;
    g.offsets.push_back(0);
    for (std::size_t a = 0; a < kVertices; ++a) {
      for (std::size_t b = 0; b < kVertices; ++b)
        if (joined(a, b)) {
          g.targets.push_back(static_cast<std::uint32_t>(b));
          g.weights.push_back(1);
        }
      g.offsets.push_back(g.targets.size());
      g.weight.push_back(1);
    }
    const auto owner = split_by_tree(g, Hierarchy::flat(2), kSlack);
    const auto balanced = [](auto size) { return 5 <= size && size <= 7; };
    const auto size_of_1 = std::count(owner.begin(), owner.end(), 1);
    CHECK(balanced(size_of_1));
    for (std::size_t v = 0; v < kVertices; ++v) {
      CAPTURE(v);
      int gain = 0;
      for (std::size_t u = 0; u < kVertices; ++u)
        if (joined(u, v)) gain += owner[u] != owner[v] ? 1 : -1;
      CHECK((gain <= 0 || !balanced(size_of_1 + (owner[v] == 1 ? -1 : 1))));
    }
  }
}

TEST_CASE("an unknown partition is rejected with the list of known ones") {
  CHECK_THROWS_WITH_AS(partition_named("metis"),
                       "partition 'metis' (there are blocked, balanced, hashed, hierarchy). Choose one.", UsageError);
}
