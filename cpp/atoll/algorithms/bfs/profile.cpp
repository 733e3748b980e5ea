// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/bfs/bfs.hpp>
#include <atoll/algorithms/bfs/profile.hpp>
#include <cmath>

namespace atl {

BfsProfile BfsProfile::of(const Graph& graph, Vertex source) {
  World& world = graph.world();
  BfsResult result;
  Bfs(graph, {.depths = Depths::yes}).run(source, result);
  BfsProfile profile;
  std::vector<Vertex> vertices(static_cast<std::size_t>(result.levels), 0);
  std::vector<Edge> edges(vertices.size(), 0), degrees;
  for (Vertex v = 0; v < graph.owned(); ++v) {
    const Local local = graph.local_of(v);
    const Edge degree = local < graph.active() ? graph.out().degree(local) : 0;
    if (degree > 0) degrees.push_back(degree);
    const Vertex depth = result.depth[v];
    if (depth == kUnreachable) continue;
    ++vertices[depth];
    edges[depth] += degree;
  }
  for (std::size_t l = 0; l < vertices.size(); ++l)
    profile.levels.push_back({static_cast<double>(world.sum(vertices[l])), static_cast<double>(world.sum(edges[l]))});
  result.rounds.for_each([&](std::size_t k, const BfsRound& round) {
    if (k + 1 < profile.levels.size()) profile.levels[k + 1].pulled = round.pulled;
  });
  for (const Edge degree : world.all_gather_varying(std::span<const Edge>(degrees))) {
    ++profile.degrees[degree];
    profile.vertices += 1;
    profile.edges += static_cast<double>(degree);
  }
  profile.record_bytes = sizeof(Local) + (graph.ids().largest() < kNarrowIds ? 4 : sizeof(Vertex));
  return profile;
}

BfsProfile BfsProfile::scaled(double times) const {
  BfsProfile more = *this;
  more.vertices *= times;
  more.edges *= times;
  for (auto& [_, vertices] : more.degrees) vertices *= times;
  for (Level& level : more.levels) {
    if (level.vertices <= 1) continue;  // the level of the source keeps one vertex
    level.vertices *= times;
    level.edges *= times;
  }
  return more;
}

// Expected pairs of a vertex and another rank that has an edge of it.
double BfsProfile::mirrors(double ranks) const {
  double sum = 0;
  for (const auto& [degree, vertices_of_it] : degrees)
    sum -= vertices_of_it * (ranks - 1) * std::expm1(-static_cast<double>(degree) / ranks);
  return sum;
}

// One bit for each mirror, `share` of them set. Those of a pair of ranks begin with a word of their own.
Exchange BfsProfile::bits(double ranks, double share, bool words_as_records) const {
  constexpr double kWordBits = 64;
  const double pairs = ranks * (ranks - 1), of_pair = mirrors(ranks) / pairs;
  const double words = -pairs * std::expm1(-of_pair) * std::max(1.0, of_pair / kWordBits + 0.5);
  const double set_bits = kWordBits * share * std::min(1.0, of_pair / kWordBits);
  if (!words_as_records) return {.records = words, .record_bytes = sizeof(std::uint64_t)};
  return {.records = -words * std::expm1(-set_bits), .record_bytes = sizeof(std::uint32_t) + sizeof(std::uint64_t)};
}

std::vector<Exchange> BfsProfile::exchanges(double ranks, const Ways& ways) const {
  const bool chooses = ways.direction == Direction::automatic;
  const double all_mirrors = mirrors(ranks);
  double unclaimed = all_mirrors;
  std::vector<Exchange> all;
  const auto broadcast = [&](const Level& frontier) {
    const double share = edges > 0 ? std::min(1.0, frontier.edges / edges) : 0;
    all.push_back(bits(ranks, share, ways.words_as_records));
    unclaimed = std::max(0.0, unclaimed - share * all_mirrors);  // mirrors whose bit arrives are visited
  };
  bool pulling = false;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const Level& frontier = levels[l];
    const bool pull = ways.direction == Direction::pull || (chooses && l + 1 < levels.size() && levels[l + 1].pulled);
    if (pull) {
      if (!pulling) {
        broadcast(frontier);
        all.back().agrees_apart = false;
      }
      broadcast(l + 1 < levels.size() ? levels[l + 1] : Level{});
    } else {
      const double across = frontier.edges * (ranks - 1) / ranks;
      const double records = !ways.claims ? across : unclaimed > 0 ? -unclaimed * std::expm1(-across / unclaimed) : 0;
      unclaimed -= records;
      all.push_back({.records = records,
                     .record_bytes = record_bytes,
                     .keys = vertices / ranks,
                     .agrees_apart = ways.direction != Direction::push});
    }
    pulling = pull;
  }
  return all;
}

double BfsProfile::traversed_edges(bool undirected) const {
  double sum = 0;
  for (const Level& level : levels) sum += level.edges;
  return undirected ? sum / 2 : sum;
}

}  // namespace atl
