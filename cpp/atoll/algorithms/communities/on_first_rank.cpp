// SPDX-License-Identifier: Apache-2.0
// Over ranks, where the graph fits on rank 0: that gets all lists, goes on as one rank does, and tells each rank the
// labels of its vertices.
#include <algorithm>
#include <atoll/algorithms/communities/search.hpp>
#include <atoll/engine/first_rank.hpp>
#include <numeric>

namespace atl {
namespace {

constexpr std::size_t kTargetsGrain = 1 << 14;

// A first level that owns its lists.
struct WholeLevel {
  Array<Edge> offsets;
  Array<Local> targets;
  std::variant<std::monostate, Array<float>, Array<double>> weights;
  Array<double> degree;

  Level view() const {
    Level level{.rows = degree.size(),
                .offsets = offsets.data(),
                .targets = targets.data(),
                .weights = {},
                .degree = degree.data()};
    if (const auto* narrow = std::get_if<Array<float>>(&weights)) level.weights = narrow->data();
    if (const auto* wide = std::get_if<Array<double>>(&weights)) level.weights = wide->data();
    return level;
  }
};

// The ranks' rows one behind the other, on rank 0. `row`: [target] its row there. Collective.
WholeLevel whole_level(World& world, const Level& part, const Array<Local>& row) {
  const auto edges = static_cast<std::size_t>(part.offsets[part.rows]);
  std::vector<Edge> lengths(part.rows);
  for (std::size_t v = 0; v < part.rows; ++v) lengths[v] = part.offsets[v + 1] - part.offsets[v];
  const Array<Edge> all = gather_on_first_rank(world, std::span<const Edge>(lengths));
  WholeLevel level;
  level.offsets = Array<Edge>(all.size() + 1);
  level.offsets[0] = 0;
  std::inclusive_scan(all.begin(), all.end(), level.offsets.begin() + 1);
  {
    Array<Local> targets(edges);
    world.team().for_range(edges, kTargetsGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t e = a; e < b; ++e) targets[e] = row[part.targets[e]];
    });
    level.targets = gather_on_first_rank(world, std::span<const Local>(targets.data(), edges));
  }
  if (const auto* narrow = std::get_if<const float*>(&part.weights))
    level.weights = gather_on_first_rank(world, std::span(*narrow, edges));
  if (const auto* wide = std::get_if<const double*>(&part.weights))
    level.weights = gather_on_first_rank(world, std::span(*wide, edges));
  level.degree = gather_on_first_rank(world, std::span(part.degree, part.rows));
  return level;
}

}  // namespace

// A row has its offset, degree and id, and what the levels behind it hold; an edge its target and weight here, in the
// level behind it and, while that is made, in the threads' lists.
double CommunityDetection::OnFirstRank::gathered_bytes(double rows, double edges, EdgeWeighting weights) {
  const double weight = weights == EdgeWeighting::ones ? 0 : sizeof(double);
  return rows * (60 + 3 * sizeof(Vertex)) + edges * (3 * sizeof(Local) + weight + 2 * sizeof(double));
}

void CommunityDetection::OnFirstRank::run(const CommunityDetectionOptions& options, CommunityDetectionResult& result) {
  struct Found {
    Vertex communities = 0;
    double modularity = 0;
    std::int64_t levels = 0;
  } found;
  World& world = graph_.world();
  std::vector<Vertex> labels;
  if (first_.total() > 0) {
    const Array<Vertex> ids = gather_on_first_rank(world, std::span<const Vertex>(own_ids()));
    const WholeLevel level = whole_level(world, first_.view(), rows_.of());
    std::vector<std::ptrdiff_t> begins;
    for (Rank r = 0; r < world.size(); ++r) begins.push_back(static_cast<std::ptrdiff_t>(rows_.blocks().begin(r)));
    std::vector<Vertex> names;
    world.collective_try([&] {
      if (world.rank() != 0) return;
      levels_.run(level.view(), terms_of(options), {}, options.progress);
      names = smallest_of_communities({ids.data(), ids.size()});
      found = {levels_.communities(), levels_.modularity(), levels_.levels()};
    });
    world.broadcast(std::span(&found, 1), 0);
    labels = from_first_rank(world, begins, names);
  }
  result.modularity = found.modularity;
  result.levels = static_cast<int>(found.levels);
  result.communities = found.communities;
  label_owned(labels, result);
}

}  // namespace atl
