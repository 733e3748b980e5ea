// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/random.hpp>
#include <atoll/graph/graph.hpp>
#include <atoll/runtime/job/launch.hpp>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

/// Small weighted graphs, directed or not, as lists and over ranks.
namespace pair_samples {

using namespace atl;

using Edges = std::map<std::pair<Vertex, Vertex>, double>;  // by ends, both ways of an undirected edge

struct PairSample {
  bool directed;
  std::vector<std::tuple<Vertex, Vertex, double>> list;
  Edges edges;
};

// Ids are far apart; some edges are there twice, of which the lighter one counts, some are loops.
inline PairSample random_pair_sample(std::size_t n, std::size_t m, bool directed, int greatest, std::uint64_t seed) {
  PairSample sample{directed, {}, {}};
  for (std::uint64_t e = 0; e < m; ++e) {
    const auto id = [&](std::uint64_t k) { return static_cast<Vertex>(random_at(seed, 3 * e + k) % n) * 1000 + 7; };
    const Vertex u = id(0), v = id(1);
    const auto w = static_cast<double>(random_at(seed, 3 * e + 2) % static_cast<std::uint64_t>(greatest + 1));
    sample.list.emplace_back(u, v, w);
    if (u == v) continue;
    for (const auto& ends : {std::pair(u, v), std::pair(v, u)}) {
      if (directed && ends != std::pair(u, v)) continue;
      const auto [at, is_new] = sample.edges.emplace(ends, w);
      if (!is_new) at->second = std::min(at->second, w);
    }
  }
  return sample;
}

inline Graph pair_graph(World& world, const PairSample& sample, Partition partition = Partition::blocked) {
  EdgeList list;
  std::vector<std::size_t> mine;
  for (std::size_t e = 0; e < sample.list.size(); ++e)
    if (static_cast<Rank>(e % static_cast<std::size_t>(world.size())) == world.rank()) mine.push_back(e);
  Array<Vertex> source(mine.size()), target(mine.size());
  Array<double> weight(mine.size());
  for (std::size_t k = 0; k < mine.size(); ++k) std::tie(source[k], target[k], weight[k]) = sample.list[mine[k]];
  list.source = std::move(source);
  list.target = std::move(target);
  list.weight = std::move(weight);
  list.directed = sample.directed;
  if (sample.list.empty()) list.range = IdRange{0, 0};
  list.name = "sample";
  return Graph::build(world, std::move(list), {.placement = {.partition = partition}});
}

inline Plan on_one_thread() {
  Plan plan;
  plan.threads = 1;
  return plan;
}

}  // namespace pair_samples
