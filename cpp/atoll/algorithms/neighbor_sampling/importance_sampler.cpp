// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/neighbor_sampling/importance_sampler.hpp>
#include <atoll/algorithms/neighbor_sampling/vertex_positions.hpp>
#include <limits>

// In the paper                         here
//
// random walks that start from u       `walks` walks of `length` steps, numbered by u's id
// L1-normalized visit count            Visited::count over the visits of all others
// T nodes with the highest ones        `most_visited`, at most `fanout` of a layer
namespace atl {
namespace {

constexpr std::size_t kVisitedGrain = 16;

struct Visited {
  Vertex id;
  std::int64_t count;
};

// The vertices in the walks of one that are not itself, the most visited first; and how often all were visited.
struct Visits {
  std::vector<Visited> most_visited;
  std::int64_t total = 0;
};

Visits visits_in(std::span<const Vertex> rows, Vertex from, Edge fanout) {
  std::vector<Vertex> ids;
  ids.reserve(rows.size());
  for (const Vertex id : rows)
    if (id != kNoVertex && id != from) ids.push_back(id);
  std::ranges::sort(ids);
  Visits visits{.most_visited = {}, .total = static_cast<std::int64_t>(ids.size())};
  std::vector<Visited>& all = visits.most_visited;
  for (const Vertex id : ids) {
    if (all.empty() || all.back().id != id) all.push_back({id, 0});
    ++all.back().count;
  }
  const std::size_t kept = fanout < 0 ? all.size() : std::min(all.size(), static_cast<std::size_t>(fanout));
  std::ranges::partial_sort(
      all, all.begin() + static_cast<std::ptrdiff_t>(kept),
      [](const Visited& a, const Visited& b) { return a.count != b.count ? a.count > b.count : a.id < b.id; });
  all.resize(kept);
  return visits;
}

}  // namespace

ImportanceSampler::ImportanceSampler(const Graph& graph, EdgeWeighting weighting)
    : graph_(graph), walks_(graph, weighting) {}

NeighborSample ImportanceSampler::sample(std::span<const Vertex> seeds, const ImportanceOptions& options) {
  for (const std::int64_t count : options.fanout)
    check(count >= -1, "a fanout is {} (it is a number of neighbors, or -1 for all). Correct it.", count);
  check(options.walks >= 1, "walks is {} (from each vertex there is one at least). Correct it.", options.walks);
  check(options.length >= 1, "length is {} (a walk has one step at least). Correct it.", options.length);
  NeighborSample sample;
  sample.vertices.assign(seeds.begin(), seeds.end());
  sample.vertices_by_layer.push_back(static_cast<std::int64_t>(seeds.size()));
  VertexPositions positions(std::numeric_limits<Vertex>::max());  // ids may be any numbers
  positions.clear(seeds.size());
  for (std::size_t k = 0; k < seeds.size(); ++k) positions.find_or_add(seeds[k], static_cast<std::int64_t>(k));
  const auto walks = static_cast<std::size_t>(options.walks), width = static_cast<std::size_t>(options.length) + 1;
  std::size_t begin = 0;
  for (const Edge fanout : options.fanout) {
    const std::size_t end = sample.vertices.size(), edges_before = sample.source.size();
    std::vector<WalkStart> starts;
    starts.reserve((end - begin) * walks);
    for (std::size_t at = begin; at < end; ++at)
      for (std::size_t k = 0; k < walks; ++k)
        starts.push_back({sample.vertices[at], static_cast<std::uint64_t>(sample.vertices[at]) * walks + k});
    const Array<Vertex> rows = walks_.run(starts, {.length = options.length, .seed = options.seed});
    std::vector<Visits> visits(end - begin);
    graph_.world().team().for_range(visits.size(), kVisitedGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t i = a; i < b; ++i)
        visits[i] = visits_in({rows.data() + i * walks * width, walks * width}, sample.vertices[begin + i], fanout);
    });
    for (std::size_t i = 0; i < visits.size(); ++i)
      for (const Visited& visited : visits[i].most_visited) {
        const auto next = static_cast<std::int64_t>(sample.vertices.size());
        const std::int64_t position = positions.find_or_add(visited.id, next);
        if (position == next) sample.vertices.push_back(visited.id);
        sample.source.push_back(position);
        sample.target.push_back(static_cast<std::int64_t>(begin + i));
        sample.weights.push_back(static_cast<double>(visited.count) / static_cast<double>(visits[i].total));
      }
    sample.vertices_by_layer.push_back(static_cast<std::int64_t>(sample.vertices.size() - end));
    sample.edges_by_layer.push_back(static_cast<std::int64_t>(sample.source.size() - edges_before));
    begin = end;
  }
  return sample;
}

}  // namespace atl
