// SPDX-License-Identifier: Apache-2.0
// Over ranks: each rank makes sets of its own vertices; a level of these sets is put together on rank 0, which goes on
// as one rank does and tells each rank the labels of its sets.
#include <atoll/algorithms/communities/search.hpp>

namespace atl {
namespace {

// All ranks' lists, in their order, on rank 0; empty on the others.
template <class T>
std::vector<T> gathered(World& world, std::span<const T> mine) {
  std::vector<std::vector<T>> outgoing(static_cast<std::size_t>(world.size()));
  outgoing[0].assign(mine.begin(), mine.end());
  const std::vector<std::vector<T>> incoming = world.exchange(std::move(outgoing));
  std::vector<T> all;
  if (world.rank() == 0)
    for (const std::vector<T>& part : incoming) all.insert(all.end(), part.begin(), part.end());
  return all;
}

template <class T>
Array<T> gathered_array(World& world, const Array<T>& mine) {
  const std::vector<T> all = gathered(world, std::span<const T>(mine.data(), mine.size()));
  Array<T> array(all.size());
  std::copy(all.begin(), all.end(), array.begin());
  return array;
}

// The ranks' rows one behind the other, on rank 0.
CoarseLevel gathered_level(World& world, const CoarseLevel& part) {
  Array<Edge> lengths(part.degree.size());
  for (std::size_t s = 0; s < lengths.size(); ++s) lengths[s] = part.offsets[s + 1] - part.offsets[s];
  lengths = gathered_array(world, lengths);
  CoarseLevel level;
  level.offsets = Array<Edge>(lengths.size() + 1, 0);
  for (std::size_t s = 0; s < lengths.size(); ++s) level.offsets[s + 1] = level.offsets[s] + lengths[s];
  level.targets = gathered_array(world, part.targets);
  level.weights = gathered_array(world, part.weights);
  level.degree = gathered_array(world, part.degree);
  level.inside = gathered_array(world, part.inside);
  return level;
}

}  // namespace

CommunityDetection::Distributed::Distributed(const Graph& graph, CommunityMethod method, CommunityWeights weights)
    : Search(graph, method, weights),
      exchange_(GraphView::all_of(graph)),
      sums_(static_cast<std::size_t>(graph.world().team().size())),
      aggregation_(graph.world().team(), sums_),
      set_(index(graph.active())),
      set_of_(index(graph.locals())) {}

void CommunityDetection::Distributed::make_part() {
  World& world = graph_.world();
  for (std::size_t v = 0; v < set_.size(); ++v) set_[v] = static_cast<Local>(v);
  const std::size_t sets = set_.size();
  const std::vector<Vertex> counts = world.all_gather(static_cast<Vertex>(sets));
  Vertex first = 0, all = 0;
  for (std::size_t r = 0; r < counts.size(); ++r) {
    if (r == static_cast<std::size_t>(world.rank())) first = all;
    all += counts[r];
  }
  check(all <= INT32_MAX,
        "communities: {}: {} vertices are left after the first level (rank 0 holds at most {}). Use a smaller graph.",
        graph_.name(), all, INT32_MAX);
  for (std::size_t v = 0; v < set_.size(); ++v) set_of_[v] = static_cast<Local>(first) + set_[v];
  exchange_.broadcast_all({set_of_.data(), set_of_.size()});
  aggregation_.run(first_.view(), sets, set_, {set_of_, static_cast<std::size_t>(all), static_cast<Local>(first)},
                   part_);
}

// Returns the label of each of this rank's sets.
std::vector<Vertex> CommunityDetection::Distributed::find_on_first_rank(const CommunityDetectionOptions& options,
                                                                        CommunityDetectionResult& result) {
  World& world = graph_.world();
  std::vector<Vertex> ids(part_.degree.size(), INT64_MAX);
  for (std::size_t v = 0; v < set_.size(); ++v)
    ids[index(set_[v])] = std::min(ids[index(set_[v])], graph_.id_of(static_cast<Local>(v)));
  const std::vector<Vertex> counts = world.all_gather(static_cast<Vertex>(ids.size()));
  ids = gathered(world, std::span<const Vertex>(ids));
  const CoarseLevel level = gathered_level(world, part_);
  world.collective_try([&] {
    if (world.rank() == 0) levels_.run(level.view(), terms_of(options), {}, options.progress);
  });
  std::vector<std::vector<Vertex>> outgoing(counts.size());
  if (world.rank() == 0) {
    std::vector<Vertex> smallest(static_cast<std::size_t>(levels_.communities()), INT64_MAX);
    for (std::size_t s = 0; s < ids.size(); ++s) {
      Vertex& least = smallest[index(levels_.community()[s])];
      least = std::min(least, ids[s]);
    }
    std::size_t s = 0;
    for (std::size_t r = 0; r < counts.size(); ++r)
      for (Vertex k = 0; k < counts[r]; ++k, ++s) outgoing[r].push_back(smallest[index(levels_.community()[s])]);
  }
  struct Found {
    Vertex communities;
    double modularity;
    int levels;
  };
  Found found{levels_.communities(), levels_.modularity(), levels_.levels()};
  world.broadcast(std::span(&found, 1), 0);
  result.communities = found.communities;
  result.modularity = found.modularity;
  result.levels = found.levels;
  return world.exchange(std::move(outgoing))[0];
}

void CommunityDetection::Distributed::run(const CommunityDetectionOptions& options, CommunityDetectionResult& result) {
  const std::size_t owned = index(graph_.owned());
  if (result.community.size() != owned) result.community = Array<Vertex>(owned);
  std::vector<Vertex> labels;
  result.communities = result.levels = 0;
  result.modularity = 0;
  if (first_.total() > 0) {
    make_part();
    labels = find_on_first_rank(options, result);
  }
  Vertex alone = 0;
  for (std::size_t k = 0; k < owned; ++k) {
    const Local v = graph_.local_of(static_cast<Vertex>(k));
    const bool found = !labels.empty() && index(v) < set_.size();
    result.community[k] = found ? labels[index(set_[v])] : graph_.id_of(v);
    alone += !found;
  }
  result.communities += graph_.world().sum(alone);
}

std::size_t CommunityDetection::Distributed::memory_bytes() const {
  std::size_t bytes = first_.memory_bytes() + levels_.memory_bytes() + aggregation_.memory_bytes() +
                      exchange_.memory_bytes() + part_.memory_bytes() + (set_.size() + set_of_.size()) * sizeof(Local);
  for (const ThreadSums& sums : sums_) bytes += sums.memory_bytes();
  return bytes;
}

}  // namespace atl
