// SPDX-License-Identifier: Apache-2.0
#include <atoll/algorithms/communities/search.hpp>
#include <cmath>

namespace atl {

CommunityDetection::CommunityDetection(const Graph& graph, CommunityMethod method, EdgeWeighting weights) {
  if (graph.world().size() == 1) {
    search_ = std::make_unique<OneRank>(graph, method, weights);
  } else {
    search_ = std::make_unique<Distributed>(graph, method, weights);
  }
}

CommunityDetection::~CommunityDetection() = default;

void CommunityDetection::run(const CommunityDetectionOptions& options, CommunityDetectionResult& result) {
  check(options.resolution > 0 && std::isfinite(options.resolution),
        "communities: resolution is {} (above 0 and finite). Change it.", options.resolution);
  check(options.iterations > 0, "communities: iterations is {} (at least 1). Change it.", options.iterations);
  search_->run(options, result);
}

std::size_t CommunityDetection::memory_bytes() const { return search_->memory_bytes(); }

void CommunityDetection::OneRank::run(const CommunityDetectionOptions& options, CommunityDetectionResult& result) {
  const std::size_t owned = index(graph_.owned());
  if (result.community.size() != owned) result.community = Array<Vertex>(owned);
  const Level level = first_.view();
  const bool any = first_.total() > 0;
  if (any) levels_.run(level, terms_of(options), {}, options.progress);
  // Owned indices ascend by id, so the first vertex of a community has its smallest.
  std::vector<Vertex> smallest(any ? static_cast<std::size_t>(levels_.communities()) : 0, kNoVertex);
  result.communities = static_cast<Vertex>(smallest.size());
  for (std::size_t k = 0; k < owned; ++k) {
    const Local v = graph_.local_of(static_cast<Vertex>(k));
    result.community[k] = graph_.id_of(v);
    if (!any || index(v) >= level.rows) {
      ++result.communities;
      continue;
    }
    Vertex& first = smallest[index(levels_.community()[v])];
    if (first == kNoVertex) first = result.community[k];
    result.community[k] = first;
  }
  result.modularity = any ? levels_.modularity() : 0;
  result.levels = any ? levels_.levels() : 0;
}

}  // namespace atl
