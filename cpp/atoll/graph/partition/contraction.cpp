// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/graph/id_order.hpp>
#include <atoll/graph/mirror_values.hpp>
#include <atoll/graph/partition/contraction.hpp>

namespace atl {
namespace {

struct PairWeight {
  Vertex a, b;
  double weight;
};

// Edges between groups, each once; this rank's edges between the same two groups are summed.
EdgeList connections_between(const Graph& fine, std::span<const Vertex> label) {
  std::vector<PairWeight> connections;
  for (Local v = 0; v < fine.active(); ++v) {
    const Vertex a = label[v];
    for_each_neighbour(fine, v, [&](Local u, double w) {
      // Every edge, also a directed one, is in two lists; a < b takes it once.
      if (const Vertex b = label[u]; a < b) connections.push_back({a, b, w});
    });
  }
  std::sort(connections.begin(), connections.end(),
            [](const PairWeight& x, const PairWeight& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; });
  std::size_t n = 0;
  for (const PairWeight& t : connections) {
    if (n > 0 && connections[n - 1].a == t.a && connections[n - 1].b == t.b) {
      connections[n - 1].weight += t.weight;
    } else {
      connections[n++] = t;
    }
  }
  Array<Vertex> source(n), target(n);
  Array<double> weight(n);
  for (std::size_t i = 0; i < n; ++i) {
    source[i] = connections[i].a;
    target[i] = connections[i].b;
    weight[i] = connections[i].weight;
  }
  EdgeList edges;
  edges.source = std::move(source);
  edges.target = std::move(target);
  edges.weight = std::move(weight);
  edges.name = fine.name();
  return edges;
}

}  // namespace

Contraction::Contraction(const Graph& fine, std::span<const Edge> weight, std::vector<Vertex> label) {
  World& world = fine.world();
  const auto ranks = static_cast<std::size_t>(world.size());
  label.resize(static_cast<std::size_t>(fine.locals()), kNoVertex);
  broadcast_to_mirrors(fine, std::span(label));
  EdgeList edges = connections_between(fine, label);

  std::vector<Vertex> distinct(label.begin(), label.begin() + fine.active());
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  edges.vertices = distinct;
  // A rank without connections must have the same column types as the others.
  IdMap ids = number(world, edges);
  graph_ = Graph::build(world, edges, std::move(ids), {.duplicates = Duplicates::merge_sum});

  coarse_index_.assign(static_cast<std::size_t>(fine.owned()), -1);
  std::vector<Edge> held(distinct.size(), 0);
  for (Local v = 0; v < fine.active(); ++v) {
    const auto at = static_cast<std::size_t>(v);
    coarse_index_[at] =
        static_cast<Local>(std::lower_bound(distinct.begin(), distinct.end(), label[at]) - distinct.begin());
    held[coarse_index_[at]] += weight[at];
  }
  // Labels ascend, and so do the blocks of their owners.
  const IdOrder order(world, graph_.ids());
  std::vector<std::vector<Vertex>> asked(ranks);
  std::vector<std::vector<Edge>> parts(ranks);
  for (std::size_t i = 0; i < distinct.size(); ++i) {
    const auto home = static_cast<std::size_t>(order.rank_of(distinct[i]));
    asked[home].push_back(distinct[i]);
    parts[home].push_back(held[i]);
  }
  const auto labels = world.exchange(std::move(asked));
  const auto weights = world.exchange(std::move(parts));
  weight_.assign(static_cast<std::size_t>(graph_.owned()), 0);
  requested_.resize(ranks);
  for (std::size_t r = 0; r < ranks; ++r)
    for (std::size_t i = 0; i < labels[r].size(); ++i) {
      const Local v = graph_.local_of(graph_.ids().find_here(labels[r][i]));
      requested_[r].push_back(v);
      weight_[v] += weights[r][i];
    }
}

}  // namespace atl
