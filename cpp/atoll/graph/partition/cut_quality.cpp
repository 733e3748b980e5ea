// SPDX-License-Identifier: Apache-2.0
// A vertex is read on each rank that has one of its leaving edges, and written on each that has one of its entering
// edges. The owner knows all of these edges, and the rule derives their ranks from owners: so each rank counts the
// mirrors of its own vertices without communication.
#include <atoll/graph/mirror_values.hpp>
#include <atoll/graph/partition/cut_quality.hpp>
#include <atoll/graph/partition/load_balance.hpp>
#include <limits>

namespace atl {
namespace {

constexpr std::size_t kQualityGrain = 256;

struct Count {
  std::vector<Edge> edges, copies;           // [rank]
  std::vector<Local> read_for, written_for;  // [rank] the last vertex counted for the rank
  Edge read = 0, written = 0;
};

}  // namespace

CutQuality quality_of(const Graph& graph, std::span<const Rank> owner, Rank ranks, const CutRule& rule) {
  World& world = graph.world();
  const auto p = static_cast<std::size_t>(ranks);
  Array<Edge> in_degree(static_cast<std::size_t>(graph.locals()), 0);
  for (Local v = 0; v < graph.active(); ++v) in_degree[v] = graph.in().degree(v);
  broadcast_to_mirrors(graph, std::span(in_degree.data(), in_degree.size()));
  const Count none{std::vector<Edge>(p, 0), std::vector<Edge>(p, 0), std::vector<Local>(p, -1),
                   std::vector<Local>(p, -1)};
  std::vector<Count> counts(static_cast<std::size_t>(world.team().size()), none);
  world.team().for_range(
      static_cast<std::size_t>(graph.owned()), kQualityGrain, [&](int thread, std::size_t a, std::size_t b) {
        Count& count = counts[thread];
        const auto once = [](std::vector<Local>& seen, Rank at, Local v) { return std::exchange(seen[at], v) != v; };
        for (std::size_t i = a; i < b; ++i) {
          const auto v = static_cast<Local>(i);
          const Rank here = owner[i];
          ++count.copies[here];
          const auto read = [&](Rank at) {
            if (at == here || !once(count.read_for, at, v)) return;
            ++count.read;
            ++count.copies[at];
          };
          if (rule.cut() == Cut::edge) {
            for (const Local u : graph.out().neighbours(v)) read(owner[u]);
            for (const Local u : graph.in().neighbours(v)) read(owner[u]);
            count.edges[here] += graph.out().degree(v);
            continue;
          }
          for (const Local u : graph.out().neighbours(v)) {
            const auto to = static_cast<std::size_t>(u);
            const Rank at = rule.place(here, owner[to], in_degree[to]);
            ++count.edges[at];
            read(at);
          }
          for (const Local u : graph.in().neighbours(v)) {
            const Rank at = rule.place(owner[u], here, in_degree[i]);
            if (at == here || !once(count.written_for, at, v)) continue;
            ++count.written;
            if (count.read_for[at] != v) ++count.copies[at];
          }
        }
      });
  for (std::size_t t = 1; t < counts.size(); ++t) {
    counts[0].read += counts[t].read;
    counts[0].written += counts[t].written;
    for (std::size_t r = 0; r < p; ++r) {
      counts[0].edges[r] += counts[t].edges[r];
      counts[0].copies[r] += counts[t].copies[r];
    }
  }
  CutQuality q;
  q.read = world.sum(counts[0].read);
  q.written = world.sum(counts[0].written);
  const std::vector<Edge> copies = sum_each(world, counts[0].copies);
  for (const Edge c : copies) q.copies += c;
  q.replication = static_cast<double>(q.copies) / static_cast<double>(std::max<Vertex>(1, graph.vertices()));
  q.vertex_imbalance = imbalance_of(copies);
  q.edge_imbalance = imbalance_of(sum_each(world, counts[0].edges));
  return q;
}

CutRule choose_cut(const Graph& graph, Edge heavy) {
  std::vector<Rank> owner(static_cast<std::size_t>(graph.locals()), graph.world().rank());
  broadcast_to_mirrors(graph, std::span(owner));
  return choose_cut(graph, owner, graph.world().size(), heavy);
}

CutRule choose_cut(const Graph& graph, std::span<const Rank> owner, Rank ranks, Edge heavy) {
  const CutRule edge_cut(Cut::edge, ranks);
  const CutQuality of_edge_cut = quality_of(graph, owner, ranks, edge_cut);
  const auto bytes = static_cast<double>(of_edge_cut.bytes_per_round());
  CutRule best = edge_cut;
  auto least = std::numeric_limits<double>::infinity();
  for (const Cut cut : {Cut::cartesian, Cut::hybrid}) {
    const CutRule rule(cut, ranks, heavy);
    const CutQuality q = quality_of(graph, owner, ranks, rule);
    const auto moved = static_cast<double>(q.bytes_per_round());
    const bool worthwhile = moved <= kWorthwhile * bytes ||
                            (moved <= bytes && q.edge_imbalance <= kWorthwhile * of_edge_cut.edge_imbalance);
    if (!worthwhile || moved >= least) continue;
    least = moved;
    best = rule;
  }
  return best;
}

}  // namespace atl
