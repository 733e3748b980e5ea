// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/communities/community_detection.hpp>
#include <atoll/base/error.hpp>
#include <atoll/verify/communities/communities.hpp>
#include <cmath>
#include <limits>
#include <set>

#include "algorithms/spread_samples.hpp"

using namespace atl;
using samples::Sample;

namespace {

constexpr CommunityMethod kMethods[] = {CommunityMethod::louvain, CommunityMethod::leiden};

// By the formula, from a list of arcs.
double modularity(const Sample& sample, const std::vector<Vertex>& label, double resolution, bool by_weight) {
  std::map<Vertex, double> degree;
  double inside = 0, total = 0;
  for (const auto& a : sample.arcs()) {
    const double weight = (by_weight ? a.weight : 1.0) * (a.from == a.to ? 2 : 1);
    const Vertex from = label[static_cast<std::size_t>(a.from)], to = label[static_cast<std::size_t>(a.to)];
    degree[from] += weight;
    total += weight;
    if (from == to) inside += weight;
  }
  if (total == 0) return 0;
  double q = inside / total;
  for (const auto& [community, sum] : degree) q -= resolution * sum * sum / total / total;
  return q;
}

bool every_community_is_connected(const Sample& sample, const std::vector<Vertex>& label) {
  std::vector<Vertex> reached = sample.edges.ids();
  const auto arcs = sample.arcs();
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& a : arcs) {
      const auto from = static_cast<std::size_t>(a.from), to = static_cast<std::size_t>(a.to);
      if (label[from] != label[to] || reached[from] >= reached[to]) continue;
      reached[to] = reached[from];
      changed = true;
    }
  }
  return reached == label;
}

void check_answer(const Sample& sample, const Graph& graph, CommunityMethod method, bool by_weight) {
  CommunityDetection detection(graph, method, by_weight ? EdgeWeighting::of_edges : EdgeWeighting::ones);
  CommunityDetectionResult result;
  const auto ids = sample.edges.ids();
  for (const double resolution : {1.0, 0.3, 4.0}) {
    detection.run({.resolution = resolution, .iterations = 2, .progress = {}}, result);
    const std::vector<Vertex> label = samples::by_id(graph, result.community);
    std::map<Vertex, Vertex> smallest;
    for (std::size_t v = 0; v < label.size(); ++v) smallest.try_emplace(label[v], ids[v]);
    for (const auto& [name, least] : smallest) CHECK(name == least);
    CHECK(result.communities == static_cast<Vertex>(smallest.size()));
    CHECK(result.modularity == doctest::Approx(modularity(sample, label, resolution, by_weight)).epsilon(1e-6));
    CHECK(result.modularity >= modularity(sample, ids, resolution, by_weight) - 1e-9);
    if (method == CommunityMethod::leiden) CHECK(every_community_is_connected(sample, label));
    const Verdict verdict = verify_communities(graph, {result.community.data(), result.community.size()},
                                               {.weighting = by_weight ? EdgeWeighting::of_edges : EdgeWeighting::ones,
                                                .resolution = resolution,
                                                .modularity = result.modularity,
                                                .connected = method == CommunityMethod::leiden});
    CHECK(verdict.what == "");
  }
}

Plan with_threads(int threads, std::size_t replicated_bytes = Plan{}.replicated_bytes) {
  Plan plan;
  plan.threads = threads;
  plan.replicated_bytes = replicated_bytes;
  return plan;
}

// `count` cliques of `size` vertices in a ring, one edge between one and the next.
EdgeList ring_of_cliques(World& world, Vertex count, Vertex size) {
  EdgeList list;
  std::vector<Vertex> source, target;
  if (world.rank() == 0)
    for (Vertex c = 0; c < count; ++c)
      for (Vertex i = 0; i < size; ++i) {
        for (Vertex j = i + 1; j < size; ++j) {
          source.push_back(c * size + i);
          target.push_back(c * size + j);
        }
        if (i == 0) {
          source.push_back(c * size);
          target.push_back((c + 1) % count * size + 1);
        }
      }
  Array<Vertex> from(source.size()), to(target.size());
  std::copy(source.begin(), source.end(), from.begin());
  std::copy(target.begin(), target.end(), to.begin());
  list.name = "cliques";
  list.directed = false;
  list.source = std::move(from);
  list.target = std::move(to);
  return list;
}

}  // namespace

TEST_CASE("communities have the modularity that is told, over any ranks, routes and cuts") {
  samples::for_each_spread(cases::Weight::none, [](const Sample& sample, const Graph& graph) {
    if (graph.directed()) return;
    for (const CommunityMethod method : kMethods) check_answer(sample, graph, method, false);
  });
}

TEST_CASE("communities by weight have the modularity that is told, over any ranks, routes and cuts") {
  samples::for_each_spread(cases::Weight::wide, [](const Sample& sample, const Graph& graph) {
    if (graph.directed()) return;
    for (const CommunityMethod method : kMethods) check_answer(sample, graph, method, true);
  });
}

TEST_CASE(
    "graphs that do not fit on rank 0 have communities with the modularity that is told, over any ranks and cuts") {
  std::uint64_t variant = 0;
  for (const char* text : {"kron:8", "uniform:8:3", "grid:11x9", "star:200", "path:60", "communities:8:12:0.1:1"})
    for (const samples::Spread& spread : samples::kSpreads) {
      if (spread.ranks == 1 || (shapes::kSanitized && random_at(8, ++variant) % 8 != 0)) continue;
      const Sample sample{samples::from_text(text), false, Duplicates::merge_min};
      for (const bool by_weight : {false, true})
        samples::on_spread(
            spread, sample, by_weight ? cases::Weight::wide : cases::Weight::none,
            [&](const Sample&, const Graph& graph) {
              for (const CommunityMethod method : kMethods) check_answer(sample, graph, method, by_weight);
            },
            2000);
    }
}

TEST_CASE("self-loops and multi-edges count on one rank, by any number of threads") {
  samples::for_each(cases::Weight::narrow, {machine_isa()}, [](const Sample& sample, const Graph& graph) {
    if (graph.directed()) return;
    for (const CommunityMethod method : kMethods) {
      check_answer(sample, graph, method, false);
      check_answer(sample, graph, method, true);
    }
  });
}

TEST_CASE("cliques in a ring are communities") {
  for (const Rank ranks : {1, 3})
    run_ranks(ranks, with_threads(2), [](World& world) {
      const Graph graph = Graph::build(world, ring_of_cliques(world, 12, 6));
      for (const CommunityMethod method : kMethods) {
        CommunityDetectionResult result;
        CommunityDetection(graph, method).run({}, result);
        CHECK(result.communities == 12);
        for (std::size_t k = 0; k < result.community.size(); ++k)
          CHECK(result.community[k] == graph.ids().id_of(static_cast<Vertex>(k)) / 6 * 6);
      }
    });
}

TEST_CASE("edges of weight 0 count for nothing, and multi-edges add up") {
  for (const Rank ranks : {1, 3})
    run_ranks(ranks, with_threads(2), [](World& world) {
      const EdgeList once = ring_of_cliques(world, 12, 6);
      const auto& source = std::get<Array<Vertex>>(once.source);
      const auto& target = std::get<Array<Vertex>>(once.target);
      const std::size_t edges = source.size();
      Array<Vertex> from(4 * edges), to(4 * edges);
      Array<float> weight(4 * edges);
      for (std::size_t e = 0; e < 4 * edges; ++e) {
        from[e] = source[e % edges];
        to[e] = target[e % edges];
        weight[e] = e < edges || from[e] / 6 == to[e] / 6 ? 0.5F : 0.0F;
      }
      EdgeList list;
      list.name = "cliques";
      list.source = std::move(from);
      list.target = std::move(to);
      list.weight = std::move(weight);
      const Graph graph = Graph::build(world, std::move(list), {.duplicates = Duplicates::keep});
      for (const CommunityMethod method : kMethods) {
        CommunityDetectionResult result;
        CommunityDetection(graph, method, EdgeWeighting::of_edges).run({}, result);
        CHECK(result.communities == 12);
        CHECK(result.modularity == doctest::Approx(30 / 30.5 - 1.0 / 12));
      }
    });
}

TEST_CASE("planted communities are found") {
  run_ranks(2, with_threads(2), [](World& world) {
    const Graph graph = Graph::build(world, generate(world, "communities:12:24:0.1:1"));
    for (const CommunityMethod method : kMethods) {
      CommunityDetectionResult result;
      CommunityDetection(graph, method).run({}, result);
      CHECK(result.modularity > 0.74);
      CHECK(result.levels < 40);
    }
  });
}

TEST_CASE("ranks that move their own vertices lose little") {
  for (const char* text : {"kron:10", "communities:11:16:0.2:1", "grid:40x40"}) {
    double by_one_rank[2];
    for (const Rank ranks : {1, 3, 8})
      run_ranks(ranks, with_threads(1, 10000), [&](World& world) {
        const Graph graph = Graph::build(world, generate(world, text));
        for (const CommunityMethod method : kMethods) {
          CommunityDetectionResult result;
          CommunityDetection(graph, method).run({}, result);
          double& best = by_one_rank[static_cast<int>(method)];
          if (ranks == 1) best = result.modularity;
          CAPTURE(text);
          CAPTURE(ranks);
          CHECK(result.modularity > 0.98 * best);
          CHECK(result.levels < 60);
        }
      });
  }
}

TEST_CASE("one thread on one rank always finds the same communities") {
  const auto world = World::alone(with_threads(1));
  const Graph graph = Graph::build(*world, generate(*world, "kron:10"));
  for (const CommunityMethod method : kMethods) {
    CommunityDetectionResult first, second;
    CommunityDetection detection(graph, method);
    detection.run({}, first);
    detection.run({}, second);
    CommunityDetectionResult other;
    CommunityDetection(graph, method).run({}, other);
    for (const CommunityDetectionResult* again : {&second, &other}) {
      CHECK(std::ranges::equal(again->community, first.community));
      CHECK(again->modularity == first.modularity);
    }
  }
}

TEST_CASE("what has no modularity here is refused the same on all ranks") {
  run_ranks(3, with_threads(1), [](World& world) {
    EdgeList edges = generate(world, "path:9");
    edges.directed = true;
    const Graph directed = Graph::build(world, std::move(edges));
    CHECK_THROWS_AS(CommunityDetection(directed, CommunityMethod::louvain), InputError);
    const Graph graph = Graph::build(world, generate(world, "path:9"));
    CHECK_THROWS_AS(CommunityDetection(graph, CommunityMethod::leiden, EdgeWeighting::of_edges), InputError);
    CommunityDetection detection(graph, CommunityMethod::leiden);
    CommunityDetectionResult result;
    for (const double resolution : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")})
      CHECK_THROWS_AS(detection.run({.resolution = resolution, .iterations = 2, .progress = {}}, result), InputError);
    CHECK_THROWS_AS(detection.run({.resolution = 1, .iterations = 0, .progress = {}}, result), InputError);
    for (const float weight : {-1.0F, std::numeric_limits<float>::infinity(), std::nanf("")}) {
      EdgeList weighted = generate(world, "path:9");
      Array<float> weights(weighted.size(), 1.0F);
      if (world.rank() == 1 && !weights.empty()) weights[0] = weight;
      weighted.weight = std::move(weights);
      const Graph bad = Graph::build(world, std::move(weighted));
      CHECK_THROWS_AS(CommunityDetection(bad, CommunityMethod::louvain, EdgeWeighting::of_edges), InputError);
    }
    CHECK(world.sum(1) == 3);
  });
}
