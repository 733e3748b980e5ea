// SPDX-License-Identifier: Apache-2.0
// Bellman and Ford's algorithm [1, 2] as a vertex program: in a round the vertices whose distance has fallen relax their
// edges, those of each rank by all of its threads.
//
//   in the paper      here                  meaning
//   f_i               relaxing_             least sum of a walk from the source that is known
//   n - 1 steps       until nothing falls   a round is at least one step of all walks
//
// Where a negative cycle is reached, distances fall for ever. So after 16, 32, 64 .. rounds the edges that could have given
// their heads the distances that these have are gathered, and searched for one (negative_cycle.hpp). Such an edge
// enters each vertex that is reached, but the source. Contract each cycle of sum 0 among them: if there is no other,
// what remains leads back from every vertex to the source, and no distance is below that of a simple path. Around a
// negative cycle distances fall below any bound, so that it is found.
//
// Where no weight is negative there is no such cycle, and delta-stepping finds the distances: it settles a vertex mostly
// once. Both give the least sum over all walks of sums that are rounded one by one, the same to the last bit.
//
// The tree: a vertex is as many edges from the source as the fewest among its shortest paths, and its parent is the
// least id among those before it on such paths. So edges of weight 0, and cycles of sum 0, lead nobody in a circle.
//
// [1] R. Bellman. "On a routing problem." Quarterly of Applied Mathematics 16(1), 1958.
// [2] L. Ford. "Network flow theory." RAND Corporation P-923, 1956.
#include <algorithm>
#include <atoll/algorithms/bellman_ford/bellman_ford.hpp>
#include <atoll/algorithms/bellman_ford/negative_cycle.hpp>
#include <atoll/algorithms/sssp/sssp.hpp>
#include <atoll/algorithms/sssp/whole_weights.hpp>
#include <atoll/engine/vertex_program.hpp>
#include <cmath>
#include <limits>

namespace atl {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();
constexpr std::int32_t kNoHops = std::numeric_limits<std::int32_t>::max();
constexpr Vertex kNoParent = kUnreachable;  // above all ids
constexpr std::size_t kRowGrain = 1024;
constexpr int kFirstLook = 16;  // rounds; a look costs about as much as a round

GraphView all_mirrors_of(const Graph& graph) {
  const VertexCut* cut = graph.vertex_cut_if_any(CutRows::sources);
  return cut ? GraphView::all_of(*cut) : GraphView::all_of(graph);
}

// The signs of all weights, the same on all ranks.
struct WeightSigns {
  bool any_negative, all_whole;
};

WeightSigns checked_signs(const Graph& graph) {
  World& world = graph.world();
  const WeightSigns mine = world.collective_try([&] {
    check(graph.weighted(), "bellman_ford: {} has no weights. Give its edges weights, or use what counts edges (bfs).",
          graph.name());
    WeightSigns signs{false, true};
    for (Local v = 0; v < graph.active(); ++v)
      graph.out().for_edges(v, [&](Local u, auto w) {
        check(
            std::isfinite(w),
            "bellman_ford: {}: the edge between {} and {} weighs {} (a path's weights are added up: they are finite). "
            "Correct it.",
            graph.name(), graph.id_of(v), graph.id_of(u), w);
        signs.any_negative |= w < 0;
        signs.all_whole &= std::trunc(w) == w;
      });
    return signs;
  });
  return {world.any(mine.any_negative), world.all(mine.all_whole)};
}

}  // namespace

class BellmanFord::Search {
 public:
  explicit Search(const Graph& graph)
      : graph_(graph),
        world_(graph.world()),
        team_(world_.team()),
        signs_(checked_signs(graph)),
        relaxing_(graph),
        hops_(graph),
        proposing_(graph),
        rows_(relaxing_.cut() ? relaxing_.cut()->rows() : graph.out()),
        to_mirrors_(all_mirrors_of(graph)),
        distance_(relaxing_.values().size(), kFar),
        id_(distance_.size(), kNoVertex) {
    // Beyond 2^53 whole sums are refused here, in words of this search.
    if (!signs_.any_negative && (!signs_.all_whole || longest_whole_path(graph) < kMostExact))
      nonnegative_ = std::make_unique<Sssp<double>>(graph);
    for (Local v = 0; v < graph.owned(); ++v) id_[v] = graph.id_of(v);
    MirrorExchange<Vertex, MinOf>(all_mirrors_of(graph)).broadcast_all({id_.data(), id_.size()});
  }

  void run(Vertex source, BellmanFordResult& result) {
    const Local from = graph_.master_of(source).value_or(-1);
    result.rounds = 0;
    if (nonnegative_) {
      nonnegative_->run(source, settled_);
      for (Vertex v = 0; v < graph_.owned(); ++v) distance_[graph_.local_of(v)] = settled_.distance[index(v)];
      to_mirrors_.broadcast_all({distance_.data(), distance_.size()});
    } else {
      start_at(from);
      const NegativeCycle cycle = relax_to_end(result.rounds);
      world_.collective_try([&] {
        if (!cycle.vertices.empty()) refuse(cycle);
      });
      share_distances();
      refuse_rounded();
    }
    find_parents(from);
    write(from, result);
  }
  std::vector<Vertex> negative_cycle(std::optional<Vertex> source) {
    if (source) {
      start_at(graph_.master_of(*source).value_or(-1));
    } else {
      relaxing_.start([](Local) { return 0.0; });
      for (Local v = 0; v < graph_.owned(); ++v) relaxing_.activate(v);
    }
    int rounds = 0;
    return signs_.any_negative ? relax_to_end(rounds).vertices : std::vector<Vertex>();
  }
  std::size_t memory_bytes() const {
    return relaxing_.memory_bytes() + hops_.memory_bytes() + proposing_.memory_bytes() + to_mirrors_.memory_bytes() +
           (nonnegative_ ? nonnegative_->memory_bytes() : 0) +
           settled_.distance.size() * (sizeof(double) + sizeof(Vertex)) +
           distance_.size() * (sizeof(double) + sizeof(Vertex));
  }

 private:
  void start_at(Local from) {
    relaxing_.start(kFar);
    if (from >= 0) relaxing_.update(from, 0);
  }

  // Until no distance falls, or a negative cycle is found. Without a negative weight there is none to look for.
  NegativeCycle relax_to_end(int& rounds) {
    const auto add = [](double distance, const auto& edge) { return distance + static_cast<double>(edge.weight); };
    const Vertex longest = graph_.vertices();  // rounds: more than a simple path has edges
    for (Vertex look = kFirstLook; relaxing_.round(add);) {
      if (++rounds < look || !signs_.any_negative) continue;
      NegativeCycle cycle = look_for_cycle(rounds >= longest);
      if (!cycle.vertices.empty()) return cycle;
      look = rounds < longest ? std::min<Vertex>(2 * look, longest) : 2 * look;
    }
    return {};
  }

  // Gives the mirrors of both kinds the distances of their masters; masters have what all ranks have found.
  void share_distances() {
    relaxing_.synchronize();
    std::copy(relaxing_.values().begin(), relaxing_.values().end(), distance_.begin());
    to_mirrors_.broadcast_all({distance_.data(), distance_.size()});
  }

  // `rounded`: after more rounds than a simple path has edges.
  NegativeCycle look_for_cycle(bool rounded) {
    share_distances();
    std::vector<std::vector<AdmissibleEdge>> found(static_cast<std::size_t>(team_.size()));
    team_.for_range(rows_.offsets.size() - 1, kRowGrain, [&](int thread, std::size_t a, std::size_t b) {
      for (auto u = static_cast<Local>(a); u < static_cast<Local>(b); ++u) {
        if (distance_[u] == kFar) continue;
        rows_.for_edges(u, [&](Local v, auto w) {
          const double weight = static_cast<double>(w), through = distance_[u] + weight;
          if (through <= distance_[v])
            found[static_cast<std::size_t>(thread)].push_back({id_[u], id_[v], weight, through < distance_[v]});
        });
      }
    });
    for (std::size_t t = 1; t < found.size(); ++t) found[0].insert(found[0].end(), found[t].begin(), found[t].end());
    const std::vector<AdmissibleEdge> all = world_.all_gather_varying(std::span<const AdmissibleEdge>(found[0]));
    return negative_cycle_among(all, rounded);
  }

  [[noreturn]] void refuse(const NegativeCycle& cycle) const {
    constexpr std::size_t kShown = 12;
    const std::size_t size = cycle.vertices.size();
    std::string text;
    for (std::size_t k = 0; k < std::min(size, kShown); ++k) text += fmt::format("{} -> ", cycle.vertices[k]);
    if (size > kShown) text += fmt::format("{} more -> ", size - kShown);
    const std::string_view remedy = cycle.sum >= 0 ? "Its sum is 0 but for rounding: use whole weights."
                                    : graph_.directed() || size > 2
                                        ? "Raise its weights or remove an edge of it."
                                        : "Each undirected edge is a cycle: use weights of 0 and above, or --directed.";
    throw InputError(
        fmt::format("bellman_ford: {}: the cycle {}{} weighs {} (around a negative one paths get ever shorter). {}",
                    graph_.name(), text, cycle.vertices.front(), cycle.sum, remedy));
  }

  // Sums of whole numbers are exact while they are below 2^53: then so is which path is the shortest.
  void refuse_rounded() {
    if (!signs_.all_whole) return;
    world_.collective_try([&] {
      for (Local v = 0; v < graph_.owned(); ++v)
        check(distance_[v] == kFar || std::abs(distance_[v]) < kMostExact,
              "bellman_ford: {}: the shortest path to {} is {} long (float64 does not hold every whole number beyond "
              "2^53). Scale the weights down.",
              graph_.name(), id_[v], distance_[v]);
    });
  }

  template <class Edge>
  bool is_tight(const Edge& edge) const {
    return distance_[edge.source] + static_cast<double>(edge.weight) == distance_[edge.target];
  }

  void find_parents(Local from) {
    hops_.start(kNoHops);
    if (from >= 0) hops_.update(from, 0);
    while (hops_.round([this](std::int32_t hops, const auto& edge) { return is_tight(edge) ? hops + 1 : kNoHops; })) {
    }
    hops_.synchronize_mirrors();
    proposing_.start(kNoParent);
    for (Local v = 0; v < graph_.owned(); ++v)
      if (hops_[v] != kNoHops) proposing_.activate(v);
    proposing_.round([this](Vertex, const auto& edge) {
      return is_tight(edge) && hops_[edge.source] + 1 == hops_[edge.target] ? id_[edge.source] : kNoParent;
    });
    proposing_.synchronize();
  }

  void write(Local from, BellmanFordResult& result) {
    const std::size_t owned = index(graph_.owned());
    if (result.distance.size() != owned) result.distance = Array<double>(owned);
    if (result.parent.size() != owned) result.parent = Array<Vertex>(owned);
    Vertex reached = 0;
    for (std::size_t k = 0; k < owned; ++k) {
      const Local v = graph_.local_of(static_cast<Vertex>(k));
      const bool is_reached = distance_[v] != kFar;
      result.distance[k] = distance_[v];
      result.parent[k] = !is_reached ? kNoVertex : v == from ? id_[v] : proposing_[v];
      reached += is_reached;
    }
    result.reached = world_.sum(reached);
  }

  const Graph& graph_;
  World& world_;
  Team& team_;
  const WeightSigns signs_;
  VertexProgram<double, MinOf> relaxing_;
  VertexProgram<std::int32_t, MinOf> hops_;    // fewest edges of a shortest path
  VertexProgram<Vertex, MinOf> proposing_;     // parents
  std::unique_ptr<Sssp<double>> nonnegative_;  // only where no weight is negative
  SsspResult<double> settled_;                 // what it finds
  const Csr& rows_;                            // leaving edges; over a vertex-cut of mirrors too
  MirrorExchange<double, MinOf> to_mirrors_;
  Array<double> distance_;  // [local] what relaxing_ has found
  Array<Vertex> id_;        // [local]
};

BellmanFord::BellmanFord(const Graph& graph) : search_(std::make_unique<Search>(graph)) {}
BellmanFord::~BellmanFord() = default;
void BellmanFord::run(Vertex source, BellmanFordResult& result) { search_->run(source, result); }
std::vector<Vertex> BellmanFord::negative_cycle(std::optional<Vertex> source) {
  return search_->negative_cycle(source);
}
std::size_t BellmanFord::memory_bytes() const { return search_->memory_bytes(); }

}  // namespace atl
