// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/device/graph_on_device.hpp>

namespace atl {
namespace {

// On one rank all locals are masters; those without edges have empty lists.
SparsePattern pattern_of(const Graph& graph, const Csr& lists) {
  return {graph.owned(),
          graph.owned(),
          {lists.offsets.data(), lists.offsets.size()},
          {lists.targets.data(), static_cast<std::size_t>(lists.size())}};
}

DeviceCsr uploaded(const Stream& stream, const Graph& graph) {
  if (!graph.directed()) return {stream, pattern_of(graph, graph.out())};
  return {stream, pattern_of(graph, graph.out()), pattern_of(graph, graph.in())};
}

std::shared_ptr<Device> device_for(const Graph& graph, const std::string& kind) {
  if (graph.world().size() > 1)
    throw UsageError(
        fmt::format("--device {} on {} ranks (graphs on devices are those of one rank). Start one rank, or "
                    "take --device cpu.",
                    kind, graph.world().size()));
  return open_device(kind, 0);
}

// Vertices of an undirected graph with edges to themselves, and how many. Looked for once: a search takes less time.
std::vector<std::pair<Local, Edge>> loops_of(const Graph& graph) {
  std::vector<std::pair<Local, Edge>> all;
  if (graph.directed() || 2 * graph.edges() == graph.out().size()) return all;
  Team& team = graph.world().team();
  std::vector<std::vector<std::pair<Local, Edge>>> found(static_cast<std::size_t>(team.size()));
  constexpr std::size_t kGrain = 4096;
  team.for_range(static_cast<std::size_t>(graph.active()), kGrain, [&](int thread, std::size_t a, std::size_t b) {
    for (auto v = static_cast<Local>(a); v < static_cast<Local>(b); ++v) {
      const auto list = graph.out().neighbours(v);
      const auto [first, last] = std::equal_range(list.begin(), list.end(), v);
      if (first != last) found[thread].emplace_back(v, last - first);
    }
  });
  for (const auto& of_thread : found) all.insert(all.end(), of_thread.begin(), of_thread.end());
  return all;
}

}  // namespace

GraphOnDevice::GraphOnDevice(const Graph& graph, const std::string& kind)
    : graph_(graph), device_(device_for(graph, kind)), stream_(*device_), csr_(uploaded(stream_, graph)) {}

// --- breadth-first search -------------------------------------------------------------------------------------------

BfsOnDevice::BfsOnDevice(const Graph& graph, const std::string& kind, const BfsOptions& options)
    : lists_(graph, kind), options_(options), search_(lists_.stream(), lists_.csr()), loops_(loops_of(graph)) {}

void BfsOnDevice::run(Vertex source, BfsResult& result) {
  using Way = DeviceBfsOptions::Direction;
  const Graph& graph = lists_.graph();
  const Local from = graph.local_of(graph.find(source).second);
  const Way way = options_.direction == Direction::push   ? Way::push
                  : options_.direction == Direction::pull ? Way::pull
                                                          : Way::automatic;
  search_.run(from, {.direction = way}, found_);
  const auto owned = static_cast<std::size_t>(graph.owned());
  const bool depths = options_.depths == Depths::yes;
  result.listed.reset();
  if (result.parent.size() != owned) result.parent = Array<Vertex>(owned);
  if (depths && result.depth.size() != owned) result.depth = Array<Vertex>(owned);
  constexpr std::size_t kGrain = 4096;
  graph.world().team().for_range(owned, kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) {
      const auto local = static_cast<std::size_t>(graph.local_of(static_cast<Vertex>(v)));
      const Local parent = found_.parent[local], depth = found_.depth[local];
      result.parent[v] = parent < 0 ? kNoVertex : graph.id_of(parent);
      if (depths) result.depth[v] = depth < 0 ? kUnreachable : depth;
    }
  });
  result.reached = found_.reached;
  result.edges = edges_reached();
  result.levels = found_.levels;
  result.pulls = found_.pulls;
  result.rounds.clear();
}

// An undirected edge is in two lists, but a self-loop in one.
Edge BfsOnDevice::edges_reached() const {
  if (lists_.graph().directed()) return found_.edges;
  Edge loops = 0;
  for (const auto& [v, count] : loops_)
    if (found_.depth[v] >= 0) loops += count;
  return (found_.edges + loops) / 2;
}

// --- PageRank -------------------------------------------------------------------------------------------------------

template <class Real>
PageRankOnDevice<Real>::PageRankOnDevice(const Graph& graph, const std::string& kind)
    : lists_(graph, kind), pagerank_(lists_.stream(), lists_.csr()) {}

template <class Real>
void PageRankOnDevice<Real>::run(const PageRankOptions& options, PageRankResult<Real>& result) {
  if (!options.personalization.empty())
    throw UsageError("--personalization on a device (its walks jump anywhere). Leave it out, or take --device cpu.");
  const Graph& graph = lists_.graph();
  check_options(options, graph.owned(), graph.name());
  pagerank_.run({.damping = options.damping,
                 .tolerance = options.tolerance,
                 .max_iterations = options.max_iterations,
                 .spread_dangling = options.dangling == Dangling::spread},
                found_);
  const auto owned = static_cast<std::size_t>(graph.owned());
  if (result.score.size() != owned) result.score = Array<Real>(owned);
  constexpr std::size_t kGrain = 4096;
  graph.world().team().for_range(owned, kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) result.score[v] = found_.rank[graph.local_of(static_cast<Vertex>(v))];
  });
  result.iterations = found_.iterations;
  result.change = found_.change;
  result.converged = found_.converged;
}

template class PageRankOnDevice<float>;
template class PageRankOnDevice<double>;

}  // namespace atl
