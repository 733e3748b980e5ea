// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/graph/mirror_values.hpp>
#include <atoll/graph/partition/cluster_partition.hpp>
#include <atoll/graph/partition/clustering.hpp>
#include <atoll/graph/partition/contraction.hpp>
#include <atoll/graph/partition/refinement.hpp>
#include <atoll/graph/partition/tree_split.hpp>
#include <memory>
#include <numeric>

namespace atl {
namespace {

// A cluster weighs at most 1 / kClustersPerRank of a rank's share, so that shares can be balanced; clustering ends when
// there are about twice as many clusters per rank.
constexpr Edge kClustersPerRank = 32;
// A super-vertex weighs at most as much as this many vertices of mean degree.
constexpr Edge kFused = 8;
// Coarsening ends with a level that leaves more than this fraction of its vertices.
constexpr double kLeast = 0.95;
constexpr int kMostLevels = 24;
// Maximum load over the mean that refinement allows; single heavy clusters may have exceeded it before.
constexpr double kMostOverMean = 1.04;

// One level of the hierarchy of graphs; the first is the input, each other a contraction of the one before.
struct Level {
  const Graph* graph;
  std::span<const Edge> weight;
  std::vector<Rank> owner;  // [local master]
};

Vertex active_of(const Graph& graph) { return graph.world().sum(static_cast<Vertex>(graph.active())); }

struct Connectivity {
  std::uint32_t a, b;
  double weight;
};

// The whole graph on rank 0; elsewhere nothing. Vertices by dense number. Collective.
WeightedGraph gather(const Graph& graph, std::span<const Edge> weight) {
  World& world = graph.world();
  const auto ranks = static_cast<std::size_t>(world.size());
  const std::vector<Vertex> dense = dense_numbers(graph);
  std::vector<std::vector<Connectivity>> connections(ranks);
  std::vector<std::vector<Edge>> weights(ranks);
  for (Local v = 0; v < graph.active(); ++v)
    for_each_neighbour(graph, v, [&](Local u, double w) {
      const auto a = dense[v], b = dense[u];
      if (a != b) connections[0].push_back({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), w});
    });
  for (Vertex k = 0; k < graph.owned(); ++k) weights[0].push_back(weight[graph.local_of(k)]);
  const auto all_connections = world.exchange(std::move(connections));
  const auto all_weights = world.exchange(std::move(weights));
  WeightedGraph whole;
  for (const auto& part : all_weights) whole.weight.insert(whole.weight.end(), part.begin(), part.end());
  whole.offsets.assign(whole.size() + 1, 0);
  for (const auto& part : all_connections)
    for (const Connectivity& t : part) ++whole.offsets[t.a + 1];
  std::partial_sum(whole.offsets.begin(), whole.offsets.end(), whole.offsets.begin());
  std::vector<std::pair<std::uint32_t, double>> rows(whole.offsets.back());
  std::vector<std::size_t> next(whole.offsets.begin(), whole.offsets.end() - 1);
  for (const auto& part : all_connections)
    for (const Connectivity& t : part) rows[next[t.a]++] = {t.b, t.weight};
  // Lists arrive in the order of local numbers, which depends on the number of ranks; the result must not.
  for (std::size_t v = 0; v < whole.size(); ++v)
    std::sort(rows.begin() + static_cast<std::ptrdiff_t>(whole.offsets[v]),
              rows.begin() + static_cast<std::ptrdiff_t>(whole.offsets[v + 1]));
  for (const auto& [target, weight] : rows) {
    whole.targets.push_back(target);
    whole.weights.push_back(weight);
  }
  return whole;
}

// Distributes clusters without neighbours and vertices without edges, in order, over the remaining capacities of the
// ranks. `load`: current load of each rank of the machine, the same on all ranks of the job. Collective.
void fill_capacity(Level& level, Edge total, std::vector<Edge>& load) {
  const Graph& graph = *level.graph;
  World& world = graph.world();
  Edge mine = 0;
  for (Local v = graph.active(); v < graph.owned(); ++v) mine += level.weight[v];
  Edge before = 0, all = 0;
  const std::vector<Edge> sums = world.all_gather(mine);
  for (std::size_t r = 0; r < sums.size(); ++r) {
    if (r < static_cast<std::size_t>(world.rank())) before += sums[r];
    all += sums[r];
  }
  if (all == 0) return;
  const double share = static_cast<double>(total) / static_cast<double>(load.size());
  std::vector<double> room_up_to;
  double rooms = 0;
  for (const Edge l : load) room_up_to.push_back(rooms += std::max(0.0, share - static_cast<double>(l)));
  std::vector<Edge> added(load.size(), 0);
  for (Local v = graph.active(); v < graph.owned(); ++v) {
    const Edge w = level.weight[v];
    const double at = (static_cast<double>(before) + static_cast<double>(w) / 2) / static_cast<double>(all) * rooms;
    const auto r = std::min<std::size_t>(
        static_cast<std::size_t>(std::upper_bound(room_up_to.begin(), room_up_to.end(), at) - room_up_to.begin()),
        load.size() - 1);
    level.owner[v] = static_cast<Rank>(r);
    added[r] += w;
    before += w;
  }
  const std::vector<Edge> parts = world.all_gather_varying(std::span<const Edge>(added));
  for (std::size_t i = 0; i < parts.size(); ++i) load[i % load.size()] += parts[i];
}

// Splits the coarsest graph on rank 0 and broadcasts the result. Covers only clusters with neighbours.
void split(Level& last, const Hierarchy& machine) {
  const Graph& graph = *last.graph;
  World& world = graph.world();
  WeightedGraph whole = gather(graph, last.weight);
  // Clusters without neighbours are assigned by weight later.
  for (std::size_t v = 0; v < whole.size(); ++v)
    if (whole.offsets[v] == whole.offsets[v + 1]) whole.weight[v] = 0;
  std::vector<Rank> owner = world.collective_try([&] { return split_by_tree(whole, machine); });
  owner.resize(static_cast<std::size_t>(graph.vertices()));
  world.broadcast(std::span(owner), 0);
  const Vertex begin = graph.blocks().begin(world.rank());
  for (Local v = 0; v < graph.active(); ++v) last.owner[v] = owner[begin + graph.owned_index_of(v)];
}

}  // namespace

std::vector<Rank> cluster_placement(World& world, const EdgeList& edges, const IdMap& ids, const Hierarchy& machine,
                                    bool fusion, std::map<std::string, double>* seconds) {
  RankTimer timer(world);
  const auto lap = [&](const char* step) {
    if (seconds) (*seconds)[step] += timer.lap();
  };
  const Graph graph = Graph::build(world, edges, ids, {.self_loops = SelfLoops::drop});
  const std::vector<Edge> by_owned_index = weights_of(world, edges, ids.blocks());
  std::vector<Edge> weight(by_owned_index.size());
  Edge sum = 0;
  for (Local v = 0; v < graph.owned(); ++v) sum += weight[v] = by_owned_index[graph.owned_index_of(v)];
  const Edge total = world.sum(sum), limit = std::max<Edge>(1, total / machine.size() / kClustersPerRank);
  lap("degrees");

  std::vector<Level> pyramid{{&graph, weight, {}}};
  std::vector<std::unique_ptr<const Contraction>> steps;
  const auto contract = [&](const ClusterOptions& options) {
    const Level& top = pyramid.back();
    steps.push_back(
        std::make_unique<const Contraction>(*top.graph, top.weight, cluster(*top.graph, top.weight, options)));
    pyramid.push_back({&steps.back()->graph(), steps.back()->weight(), {}});
  };
  Vertex left = active_of(graph);
  if (fusion && left > 0) {
    const Edge mean = (total - graph.vertices() + left - 1) / left;
    contract({.limit = std::min(limit, kFused * (mean + 1)), .most_degree = std::max<Edge>(2, mean), .rounds = 3});
    left = active_of(*pyramid.back().graph);
    lap("fuse");
  }
  const Vertex enough = 2 * static_cast<Vertex>(kClustersPerRank) * machine.size();
  while (left > enough && pyramid.size() < kMostLevels) {
    contract({.limit = limit, .bin_leftovers = true});
    const Vertex before = std::exchange(left, active_of(*pyramid.back().graph));
    if (static_cast<double>(left) > kLeast * static_cast<double>(before)) break;
  }
  lap("cluster");

  for (Level& level : pyramid) level.owner.assign(static_cast<std::size_t>(level.graph->owned()), 0);
  split(pyramid.back(), machine);
  lap("split");
  std::vector<Edge> load(static_cast<std::size_t>(machine.size()), 0);
  {
    const Level& last = pyramid.back();
    for (Local v = 0; v < last.graph->active(); ++v) load[last.owner[v]] += last.weight[v];
    const std::vector<Edge> parts = world.all_gather_varying(std::span<const Edge>(load));
    std::fill(load.begin(), load.end(), 0);
    for (std::size_t i = 0; i < parts.size(); ++i) load[i % load.size()] += parts[i];
  }
  const Cost cost = cost_for(world, machine);
  const auto most = static_cast<Edge>(kMostOverMean * static_cast<double>(total) / machine.size());
  for (std::size_t l = pyramid.size(); l-- > 0;) {
    if (l + 1 < pyramid.size()) pyramid[l].owner = steps[l]->spread(std::span<const Rank>(pyramid[l + 1].owner));
    fill_capacity(pyramid[l], total, load);
    refine(*pyramid[l].graph, pyramid[l].weight, machine, cost, most, pyramid[l].owner, load);
  }
  std::vector<Rank> owner(static_cast<std::size_t>(graph.owned()));
  for (Local v = 0; v < graph.owned(); ++v) owner[graph.owned_index_of(v)] = pyramid[0].owner[v];
  lap("refine");
  return owner;
}

}  // namespace atl
