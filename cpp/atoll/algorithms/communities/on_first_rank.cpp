// SPDX-License-Identifier: Apache-2.0
// Over ranks, where the graph fits on rank 0: that gets all lists, goes on as one rank does, and tells each rank the
// labels of its vertices.
#include <algorithm>
#include <atoll/algorithms/communities/search.hpp>
#include <atoll/engine/first_rank.hpp>

namespace atl {
namespace {

// A first level that owns its lists.
struct WholeLevel {
  Csr lists;
  Array<double> degree;

  Level view() const {
    Level level{.rows = degree.size(),
                .offsets = lists.offsets.data(),
                .targets = lists.targets.data(),
                .weights = {},
                .degree = degree.data()};
    if (const auto* narrow = std::get_if<Array<float>>(&lists.weights)) level.weights = narrow->data();
    if (const auto* wide = std::get_if<Array<double>>(&lists.weights)) level.weights = wide->data();
    return level;
  }
};

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
    const WholeLevel level{rows_.gather(graph_.out(), weights_),
                           gather_on_first_rank(world, std::span(first_.view().degree, first_.view().rows))};
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
