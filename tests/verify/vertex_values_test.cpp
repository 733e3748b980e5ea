// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/verify/centrality/pagerank_residual.hpp>
#include <atoll/verify/clustering_samples.hpp>
#include <atoll/verify/components/component_labels.hpp>
#include <atoll/verify/core_numbers.hpp>
#include <atoll/verify/propagated_labels.hpp>
#include <atoll/verify/triangle_counts.hpp>
#include <limits>
#include <set>

#include "verify/mutations.hpp"

using namespace mutations;

namespace {

using Labels = std::vector<Vertex>;
using Scores = std::vector<double>;

// Neighbours in either direction, without loops.
std::vector<std::set<std::size_t>> near(const Sample& s) {
  std::vector<std::set<std::size_t>> sets(s.vertices());
  for (const auto& a : s.arcs()) {
    const auto u = static_cast<std::size_t>(a.from), v = static_cast<std::size_t>(a.to);
    if (u != v) sets[u].insert(v), sets[v].insert(u);
  }
  return sets;
}

Labels components(const Sample& s) {
  const auto sets = near(s);
  Labels label = s.edges.ids();
  for (bool any = true; any;) {
    any = false;
    for (std::size_t v = 0; v < sets.size(); ++v)
      for (const std::size_t u : sets[v])
        if (label[u] < label[v]) label[v] = label[u], any = true;
  }
  return label;
}

// Iterates to the largest h such that h neighbours have h.
Labels cores(const Sample& s) {
  const auto sets = near(s);
  Labels core;
  for (const auto& set : sets) core.push_back(static_cast<Vertex>(set.size()));
  for (bool any = true; any;) {
    any = false;
    for (std::size_t v = 0; v < sets.size(); ++v) {
      const auto enough =
          std::count_if(sets[v].begin(), sets[v].end(), [&](std::size_t u) { return core[u] >= core[v]; });
      if (enough < core[v]) --core[v], any = true;
    }
  }
  return core;
}

Labels propagate(const Sample& s, Labels label, int rounds) {
  const auto arcs = s.arcs();
  for (int i = 0; i < rounds; ++i) {
    std::vector<std::map<Vertex, int>> count(label.size());
    for (const auto& a : arcs) {
      const auto u = static_cast<std::size_t>(a.from), v = static_cast<std::size_t>(a.to);
      ++count[v][label[u]];
      if (s.directed) ++count[u][label[v]];
    }
    Labels next = label;
    for (std::size_t v = 0; v < label.size(); ++v) {
      int most = 0;
      for (const auto& [l, n] : count[v])
        if (n > most) most = n, next[v] = l;
    }
    label = next;
  }
  return label;
}

Scores page_ranks(const Sample& s, int iterations, bool spread) {
  const auto n = static_cast<double>(s.vertices());
  const auto arcs = s.arcs();
  Scores x(s.vertices(), 1 / n), degree(s.vertices(), 0.0);
  for (const auto& a : arcs) ++degree[static_cast<std::size_t>(a.from)];
  for (int i = 0; i < iterations; ++i) {
    Scores sum(x.size(), 0.0);
    double lost = 0;
    for (std::size_t v = 0; v < x.size(); ++v)
      if (degree[v] == 0 && spread) lost += x[v];
    for (const auto& a : arcs)
      sum[static_cast<std::size_t>(a.to)] +=
          x[static_cast<std::size_t>(a.from)] / degree[static_cast<std::size_t>(a.from)];
    for (std::size_t v = 0; v < x.size(); ++v) x[v] = 0.15 / n + 0.85 * (sum[v] + lost / n);
  }
  return x;
}

Scores coefficients(const Sample& s) {
  const auto sets = near(s);
  std::vector<std::set<std::size_t>> out(s.vertices());
  for (const auto& a : s.arcs())
    if (a.from != a.to) out[static_cast<std::size_t>(a.from)].insert(static_cast<std::size_t>(a.to));
  Scores c;
  for (const auto& set : sets) {
    double edges = 0;
    for (const std::size_t a : set)
      for (const std::size_t b : set) edges += static_cast<double>(out[a].count(b));
    const auto d = static_cast<double>(set.size());
    c.push_back(d < 2 ? 0 : edges / (d * (d - 1)));
  }
  return c;
}

}  // namespace

TEST_CASE("components: correct labels pass, and any change of one is found") {
  const auto verify = [](const Graph& g, std::span<const Vertex> v) { return verify_components(g, v); };
  for_each_sample([&](const Sample& s) {
    const auto ids = s.edges.ids();
    check_only_first_passes(
        said_of(s,
                mutants(components(s), 10,
                        [&](Vertex, std::size_t at, std::size_t i) {
                          return i % 3 == 0 ? ids[random_at(8, i) % ids.size()] : i % 3 == 1 ? ids[at] : -1;
                        }),
                verify));
  });
  const auto of = [&](const Labels& labels) { return said_of<Vertex>(two_triangles(), {labels}, verify)[0]; };
  CHECK(of({1, 1, 1, 1, 1, 1, 8, 8}) == "");
  CHECK(of({1, 1, 1, 1, 1, 1, 1, 1}) == "rule 3: vertex 8 has the label 1, but no path joins it and a vertex 1");
  CHECK(of({1, 1, 1, 4, 4, 4, 8, 8}) == "rule 2: an edge joins vertices 3 and 4, whose labels are 1 and 4");
  CHECK(of({1, 1, 1, 1, 1, 1, 7, 7}) == "rule 3: vertex 8 has the label 7, but no path joins it and a vertex 7");
  CHECK(of({1, 1, 1, 1, 1, 1, 9, 9}) ==
        "rule 1: vertex 8 has the label 9 (the smallest id of its component is at most its own)");
}

TEST_CASE("core numbers: correct ones pass, and any change of one is found") {
  const auto verify = [](const Graph& g, std::span<const Vertex> v) { return verify_coreness(g, v); };
  for_each_sample([&](const Sample& s) {
    if (s.directed) return;
    check_only_first_passes(
        said_of(s,
                mutants(cores(s), 10,
                        [](Vertex c, std::size_t, std::size_t i) {
                          return i % 3 == 0 ? c + 1 : i % 3 == 1 ? std::max<Vertex>(0, c - 1) : Vertex{0};
                        }),
                verify));
  });
  const auto of = [&](const Labels& c) { return said_of<Vertex>(two_triangles(), {c}, verify)[0]; };
  CHECK(of({2, 2, 2, 2, 2, 2, 1, 1}) == "");
  CHECK(of({2, 2, 3, 2, 2, 2, 1, 1}) ==
        "rule 1: vertex 3 has the core number 3 (too large, or a neighbour's is too small: 0 of its neighbours have 3 "
        "or more)");
  CHECK(of({1, 1, 1, 2, 2, 2, 1, 1}) ==
        "rule 2: vertex 1 has the core number 1 (too small: it is in a subgraph whose vertices have 2 neighbours or "
        "more)");
  CHECK(of({2, 2, 2, 2, 2, 2, -1, 1}) == "rule 1: vertex 8 has the core number -1 (0 or more)");
}

TEST_CASE("label propagation: correct labels pass, from the ids or the previous round, and any change is found") {
  for_each_sample([](const Sample& s) {
    const auto ids = s.edges.ids();
    const Labels two = propagate(s, ids, 2), three = propagate(s, two, 1);
    const auto answers = mutants(three, 6, [&](Vertex l, std::size_t, std::size_t i) { return i % 2 ? l + 1 : -5; });
    check_only_first_passes(said_of(s, answers, [](const Graph& g, std::span<const Vertex> v) {
      return verify_label_propagation(g, v, {.iterations = 3});
    }));
    check_only_first_passes(said_of(s, answers, [&](const Graph& g, std::span<const Vertex> v) {
      const Array<Vertex> previous = by_owned_index(g, ids, two);
      return verify_label_propagation(g, v, {.iterations = 1, .previous = span(previous)});
    }));
  });
  CHECK(said_of<Vertex>(two_triangles(), {{1, 1, 1, 4, 4, 4, 9, 7}},
                        [](const Graph& g, std::span<const Vertex> v) {
                          return verify_label_propagation(g, v, {.iterations = 1});
                        })[0]
            .starts_with("rule 1: vertex "));
}

TEST_CASE("pagerank: scores after any number of iterations pass, and changes beyond the bound are found") {
  for (const LostRank lost : {LostRank::spread, LostRank::ignored})
    for_each_sample([&](const Sample& s) {
      for (const int iterations : {1, 10, 200}) {
        auto answers = mutants(page_ranks(s, iterations, lost == LostRank::spread), iterations == 200 ? 9 : 0,
                               [](double x, std::size_t, std::size_t i) {
                                 return i == 0       ? std::numeric_limits<double>::quiet_NaN()
                                        : i % 3 == 0 ? 0
                                        : i % 3 == 1 ? x * 1.01
                                                     : x * 0.99;
                               });
        check_only_first_passes(said_of(s, answers, [&](const Graph& g, std::span<const double> v) {
          return verify_pagerank(g, v, {.tolerance = {}, .iterations = iterations, .lost = lost});
        }));
        if (iterations == 200)
          check_only_first_passes(said_of(s, answers, [&](const Graph& g, std::span<const double> v) {
            return verify_pagerank(g, v, {.tolerance = 1e-9, .lost = lost});
          }));
      }
    });
  Scores x = page_ranks(two_triangles(), 200, true);
  x[2] += 0.01;
  x[7] -= 0.01;
  CHECK(said_of<double>(two_triangles(), {x},
                        [](const Graph& g, std::span<const double> v) { return verify_pagerank(g, v); })[0]
            .find("vertex 3 the most") != std::string::npos);
}

TEST_CASE("pagerank: repeated iterations find any change beyond rounding, and two swapped scores") {
  for (const LostRank lost : {LostRank::spread, LostRank::ignored})
    for_each_sample([&](const Sample& s) {
      for (const int iterations : {1, 2, 10}) {
        const Scores right = page_ranks(s, iterations, lost == LostRank::spread);
        auto answers = mutants(right, 6, [](double x, std::size_t, std::size_t i) {
          return i % 2 == 0 ? x * (1 + 1e-9) : x * (1 - 1e-9);
        });
        for (std::size_t v = 1; v < right.size(); ++v)
          if (std::abs(right[v] - right[0]) > 1e-9 * right[0]) {
            answers.push_back(right);
            std::swap(answers.back()[0], answers.back()[v]);
            break;
          }
        check_only_first_passes(said_of(s, answers, [&](const Graph& g, std::span<const double> v) {
          return verify_pagerank(
              g, v, {.tolerance = {}, .iterations = iterations, .check = Iterations::repeated, .lost = lost});
        }));
        const std::vector<Scores> narrow{[&] {
          Scores x = right;
          for (double& score : x) score = static_cast<double>(static_cast<float>(score));
          return x;
        }()};
        check_only_first_passes(said_of(s, narrow, [&](const Graph& g, std::span<const double> v) {
          return verify_pagerank(g, v,
                                 {.tolerance = {},
                                  .iterations = iterations,
                                  .check = Iterations::repeated,
                                  .lost = lost,
                                  .unit = 0x1p-24});
        }));
      }
    });
}

TEST_CASE("clustering: correct coefficients pass, and any change of one is found where all are counted") {
  for_each_sample([](const Sample& s) {
    const auto answers = mutants(coefficients(s), 10, [](double c, std::size_t, std::size_t i) {
      return i == 0       ? std::numeric_limits<double>::quiet_NaN()
             : i % 3 == 0 ? 1.5
             : i % 3 == 1 ? c * 0.5 + 0.25
                          : -c - 1;
    });
    check_only_first_passes(said_of(s, answers, [&](const Graph& g, std::span<const double> v) {
      return verify_clustering(g, v, {.samples = 1000});
    }));
  });
  const auto of = [&](const Scores& x, Vertex samples) {
    return said_of<double>(two_triangles(), {x}, [&](const Graph& g, std::span<const double> v) {
      return verify_clustering(g, v, {.samples = samples});
    })[0];
  };
  const double third = 1.0 / 3;
  CHECK(of({1, 1, third, third, 1, 1, 0, 0}, 4) == "");
  CHECK(of({0, 1, third, third, 1, 1, 0, 0}, 8) ==
        "rule 3: vertex 1 has the coefficient 0 (1: 2 edges join two of its neighbours)");
  CHECK(of({0, 1, third, third, 1, 1, 0, 0}, 0) == "");  // only samples detect this
  CHECK(of({1, 1, 0.5, third, 1, 1, 0, 0}, 0) ==
        "rule 2: vertex 3 with 3 neighbours has the coefficient 0.5, 3 edges between them (a whole number, and even)");
  CHECK(of({1, 1, third, third, 1, 1, 1, 0}, 0) ==
        "rule 1: vertex 8 has the coefficient 1 (1 neighbours; it is 0 below two)");
}

TEST_CASE("triangles: correct counts pass, and any change of one is found, by bounds, by the sum or by counting") {
  const auto triangles = [](const Sample& s) {
    const auto sets = near(s);
    Labels count;
    for (const auto& set : sets) {
      Vertex ends = 0;
      for (const std::size_t a : set)
        for (const std::size_t b : set) ends += static_cast<Vertex>(sets[a].count(b));
      count.push_back(ends / 2);
    }
    return count;
  };
  for_each_sample([&](const Sample& s) {
    const Labels right = triangles(s);
    const auto change = [](Vertex t, std::size_t, std::size_t i) {
      return i == 0 ? -1 : t + 1 + static_cast<Vertex>(i % 2);
    };
    for (const Vertex samples : {0, 1000})
      check_only_first_passes(said_of(s, mutants(right, 6, change), [&](const Graph& g, std::span<const Vertex> v) {
        return verify_triangles(g, v, {.samples = samples});
      }));
    check_only_first_passes(said_of(
        s,
        mutants(right, 6, [](Vertex t, std::size_t, std::size_t i) { return i % 2   ? t + 3
                                                                            : t > 2 ? t - 3
                                                                                    : t + 6; }),
        [&](const Graph& g, std::span<const Vertex> v) { return verify_triangles(g, v, {.samples = 1000}); }));
  });
  const auto of = [&](const Labels& t, Vertex samples, std::optional<Vertex> total) {
    return said_of<Vertex>(two_triangles(), {t}, [&](const Graph& g, std::span<const Vertex> v) {
      return verify_triangles(g, v, {.samples = samples, .total = total});
    })[0];
  };
  CHECK(of({1, 1, 1, 1, 1, 1, 0, 0}, 8, 2) == "");
  CHECK(of({1, 1, 1, 1, 1, 1, 1, 0}, 0, {}) ==
        "rule 1: vertex 8 has 1 triangles (0 or more, and at most 0 with its neighbours' degrees)");
  CHECK(of({1, 0, 0, 1, 1, 1, 0, 0}, 0, {}) ==
        "rule 2: vertex 1 has 1 triangles (each is one of two of its neighbours, which have 0 in all)");
  CHECK(of({1, 1, 2, 2, 1, 1, 0, 0}, 0, {}) == "rule 3: the counts sum to 8 (each triangle counts three times)");
  CHECK(of({1, 1, 1, 1, 1, 1, 0, 0}, 0, 3) == "rule 3: the counts sum to 6 (three times the total of 3)");
  CHECK(of({0, 0, 0, 1, 1, 1, 0, 0}, 0, {}) == "");  // only samples detect this
  CHECK(of({0, 0, 0, 1, 1, 1, 0, 0}, 8, {}) ==
        "rule 4: vertex 1 has 0 triangles (1 pairs of its neighbours are joined by an edge)");
}

TEST_CASE("invalid options are rejected on every rank") {
  Plan plan;
  plan.threads = 1;
  run_ranks(3, plan, [](World& world) {
    const Graph graph = Graph::build(world, generate(world, "kron:5"));
    const Array<Vertex> labels(static_cast<std::size_t>(graph.owned()), 0);
    const Array<double> scores(labels.size(), 0.0);
    const auto l = span(labels);
    const auto s = span(scores);
    CHECK_THROWS_AS(verify_label_propagation(graph, l, {.iterations = -1}), InputError);
    CHECK_THROWS_AS(verify_pagerank(graph, s, {.damping = 1}), InputError);
    CHECK_THROWS_AS(verify_pagerank(graph, s, {.tolerance = {}}), InputError);
    CHECK_THROWS_AS(verify_pagerank(graph, s, {.check = Iterations::repeated}), InputError);
    CHECK_THROWS_AS(verify_components(graph, l.subspan(0, world.rank() == 1 ? 0 : l.size())), InputError);
    EdgeList arcs = generate(world, "kron:5");
    arcs.directed = true;
    CHECK_THROWS_AS(verify_coreness(Graph::build(world, std::move(arcs)), l), InputError);
    CHECK(world.sum(1) == 3);  // the ranks still meet
  });
}
