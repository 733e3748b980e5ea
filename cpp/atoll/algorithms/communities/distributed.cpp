// SPDX-License-Identifier: Apache-2.0
// Over ranks: each rank merges its rows' lists, so that they have no self-loops and no multi-edges; rank 0 puts them
// together to one level, goes on as one rank does, and tells each rank the labels of its vertices.
#include <algorithm>
#include <atoll/algorithms/communities/search.hpp>
#include <numeric>

namespace atl {
namespace {

constexpr std::size_t kMergingGrain = 256;

// All ranks' values, in their order, on rank 0; empty on the others.
template <class T>
Array<T> gathered(World& world, std::span<const T> mine) {
  const std::vector<std::size_t> sizes = world.all_gather(mine.size());
  const bool root = world.rank() == 0;
  Array<T> all(root ? std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}) : 0);
  std::vector<std::span<const std::byte>> outgoing(sizes.size());
  outgoing[0] = std::as_bytes(mine);
  std::vector<std::span<std::byte>> incoming(sizes.size());
  std::size_t first = 0;
  for (std::size_t r = 0; root && r < sizes.size(); ++r) {
    incoming[r] = std::as_writable_bytes(std::span(all.data() + first, sizes[r]));
    first += sizes[r];
  }
  world.exchange_bytes(outgoing, incoming);
  return all;
}

template <class T>
Array<T> gathered(World& world, const Array<T>& mine) {
  return gathered(world, std::span(mine.data(), mine.size()));
}

// The rows of a FirstLevel, the first of which is `first`; `number` is [local] what a target becomes. Lists are merged
// where they lie, and moved together afterwards, so that nothing grows with the vertices of all ranks.
CoarseLevel merged_rows(Team& team, const Level& level, const Array<Local>& number, Local first) {
  const auto edges = static_cast<std::size_t>(level.offsets[level.rows]);
  CoarseLevel rows;
  rows.offsets = Array<Edge>(level.rows + 1, 0);
  rows.targets = Array<Local>(edges);
  rows.weights = Array<double>(edges);
  rows.degree = Array<double>(level.rows);
  rows.inside = Array<double>(level.rows);
  std::vector<std::vector<std::pair<Local, double>>> lists(static_cast<std::size_t>(team.size()));
  with_level_weights(level, [&](const auto& weight) {
    team.for_range(level.rows, kMergingGrain, [&](int thread, std::size_t a, std::size_t b) {
      auto& list = lists[static_cast<std::size_t>(thread)];
      for (std::size_t v = a; v < b; ++v) {
        const Local own = first + static_cast<Local>(v);
        double inside = 0;
        list.clear();
        for (Edge e = level.offsets[v]; e < level.offsets[v + 1]; ++e) {
          const auto w = static_cast<double>(weight(e));
          const Local target = number[level.targets[e]];
          if (target == own) {
            inside += 2 * w;
          } else if (w > 0) {
            list.emplace_back(target, w);
          }
        }
        std::ranges::sort(list);
        const Edge begin = level.offsets[v];
        Edge end = begin;
        for (const auto& [target, w] : list) {
          if (end > begin && rows.targets[end - 1] == target) {
            rows.weights[end - 1] += w;
            continue;
          }
          rows.targets[end] = target;
          rows.weights[end++] = w;
        }
        rows.offsets[v + 1] = end - begin;
        rows.degree[v] = level.degree[v];
        rows.inside[v] = inside;
      }
    });
  });
  for (std::size_t v = 0; v < level.rows; ++v) {
    const Edge from = level.offsets[v], to = rows.offsets[v], count = rows.offsets[v + 1];
    std::copy_n(rows.targets.data() + from, count, rows.targets.data() + to);
    std::copy_n(rows.weights.data() + from, count, rows.weights.data() + to);
    rows.offsets[v + 1] += to;
  }
  rows.targets.truncate(static_cast<std::size_t>(rows.offsets[level.rows]));
  rows.weights.truncate(static_cast<std::size_t>(rows.offsets[level.rows]));
  return rows;
}

// The ranks' rows one behind the other, on rank 0.
CoarseLevel gathered_level(World& world, const CoarseLevel& part) {
  Array<Edge> lengths(part.degree.size());
  for (std::size_t s = 0; s < lengths.size(); ++s) lengths[s] = part.offsets[s + 1] - part.offsets[s];
  lengths = gathered(world, lengths);
  CoarseLevel level;
  level.offsets = Array<Edge>(lengths.size() + 1, 0);
  for (std::size_t s = 0; s < lengths.size(); ++s) level.offsets[s + 1] = level.offsets[s] + lengths[s];
  level.targets = gathered(world, part.targets);
  level.weights = gathered(world, part.weights);
  level.degree = gathered(world, part.degree);
  level.inside = gathered(world, part.inside);
  return level;
}

}  // namespace

CommunityDetection::Distributed::Distributed(const Graph& graph, CommunityMethod method, EdgeWeighting weights)
    : Search(graph, method, weights), exchange_(GraphView::all_of(graph)), number_(index(graph.locals())) {}

// This rank's rows, whose targets are numbers over all ranks.
CoarseLevel CommunityDetection::Distributed::own_rows() {
  World& world = graph_.world();
  const Level level = first_.view();
  const std::vector<Vertex> counts = world.all_gather(static_cast<Vertex>(level.rows));
  const auto mine = counts.begin() + world.rank();
  const Vertex first = std::accumulate(counts.begin(), mine, Vertex{0}),
               all = std::accumulate(mine, counts.end(), first);
  check(all <= INT32_MAX, "communities: {}: {} vertices have an edge (rank 0 holds at most {}). Use a smaller graph.",
        graph_.name(), all, INT32_MAX);
  for (std::size_t v = 0; v < level.rows; ++v) number_[v] = static_cast<Local>(first) + static_cast<Local>(v);
  exchange_.broadcast_all({number_.data(), number_.size()});
  return merged_rows(world.team(), level, number_, static_cast<Local>(first));
}

// Returns the label of each of this rank's rows.
std::vector<Vertex> CommunityDetection::Distributed::find_on_first_rank(const CommunityDetectionOptions& options,
                                                                        CommunityDetectionResult& result) {
  World& world = graph_.world();
  const std::size_t rows = index(graph_.active());
  std::vector<Vertex> mine(rows);
  for (std::size_t v = 0; v < rows; ++v) mine[v] = graph_.id_of(static_cast<Local>(v));
  const std::vector<std::size_t> counts = world.all_gather(rows);
  const Array<Vertex> ids = gathered(world, std::span<const Vertex>(mine));
  const CoarseLevel level = gathered_level(world, own_rows());
  std::vector<std::vector<Vertex>> outgoing(counts.size());
  world.collective_try([&] {
    if (world.rank() != 0) return;
    levels_.run(level.view(), terms_of(options), {}, options.progress);
    std::vector<Vertex> smallest(index(levels_.communities()), INT64_MAX);
    const auto least_of = [&](std::size_t v) -> Vertex& { return smallest[index(levels_.community()[v])]; };
    for (std::size_t v = 0; v < ids.size(); ++v) least_of(v) = std::min(least_of(v), ids[v]);
    std::size_t v = 0;
    for (std::size_t r = 0; r < counts.size(); ++r)
      for (std::size_t k = 0; k < counts[r]; ++k) outgoing[r].push_back(least_of(v++));
  });
  struct Found {
    Vertex communities;
    double modularity;
    std::int64_t levels;
  };
  Found found{levels_.communities(), levels_.modularity(), levels_.levels()};
  world.broadcast(std::span(&found, 1), 0);
  result.communities = found.communities;
  result.modularity = found.modularity;
  result.levels = static_cast<int>(found.levels);
  return world.exchange(std::move(outgoing))[0];
}

void CommunityDetection::Distributed::run(const CommunityDetectionOptions& options, CommunityDetectionResult& result) {
  const std::size_t owned = index(graph_.owned());
  if (result.community.size() != owned) result.community = Array<Vertex>(owned);
  std::vector<Vertex> labels;
  result.communities = result.levels = 0;
  result.modularity = 0;
  if (first_.total() > 0) labels = find_on_first_rank(options, result);
  Vertex singletons = 0;
  for (std::size_t k = 0; k < owned; ++k) {
    const Local v = graph_.local_of(static_cast<Vertex>(k));
    const bool found = index(v) < labels.size();
    result.community[k] = found ? labels[index(v)] : graph_.id_of(v);
    singletons += !found;
  }
  result.communities += graph_.world().sum(singletons);
}

std::size_t CommunityDetection::Distributed::memory_bytes() const {
  return first_.memory_bytes() + levels_.memory_bytes() + exchange_.memory_bytes() + number_.size() * sizeof(Local);
}

}  // namespace atl
