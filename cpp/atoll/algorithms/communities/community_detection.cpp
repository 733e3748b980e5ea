// SPDX-License-Identifier: Apache-2.0
#include <atoll/algorithms/communities/search.hpp>
#include <cmath>
#include <limits>

namespace atl {

CommunityDetection::CommunityDetection(const Graph& graph, CommunityMethod method, EdgeWeighting weights) {
  if (graph.world().size() == 1) {
    search_ = std::make_unique<OneRank>(graph, method, weights);
    return;
  }
  World& world = graph.world();
  const double rows = static_cast<double>(world.sum(Vertex{graph.active()})),
               edges = static_cast<double>(world.sum(Vertex{graph.out().offsets[index(graph.active())]}));
  if (OnFirstRank::gathered_bytes(rows, edges, weights) <= static_cast<double>(world.plan().replicated_bytes)) {
    search_ = std::make_unique<OnFirstRank>(graph, method, weights);
  } else {
    search_ = std::make_unique<OverRanks>(graph, method, weights);
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

void CommunityDetection::Search::label_owned(const std::vector<Vertex>& labels,
                                             CommunityDetectionResult& result) const {
  const std::size_t owned = index(graph_.owned());
  if (result.community.size() != owned) result.community = Array<Vertex>(owned);
  Vertex singletons = 0;
  for (std::size_t k = 0; k < owned; ++k) {
    const Local v = graph_.local_of(static_cast<Vertex>(k));
    const bool has_label = index(v) < labels.size();
    result.community[k] = has_label ? labels[index(v)] : graph_.id_of(v);
    singletons += !has_label;
  }
  result.communities += graph_.world().sum(singletons);
}

std::vector<Vertex> CommunityDetection::Search::own_ids() const {
  std::vector<Vertex> ids(index(graph_.active()));
  for (std::size_t v = 0; v < ids.size(); ++v) ids[v] = graph_.id_of(static_cast<Local>(v));
  return ids;
}

std::vector<Vertex> CommunityDetection::Search::smallest_of_communities(std::span<const Vertex> ids) const {
  std::vector<Vertex> smallest(index(levels_.communities()), std::numeric_limits<Vertex>::max()), names(ids.size());
  const auto least_of = [&](std::size_t v) -> Vertex& { return smallest[index(levels_.community()[v])]; };
  for (std::size_t v = 0; v < ids.size(); ++v) least_of(v) = std::min(least_of(v), ids[v]);
  for (std::size_t v = 0; v < ids.size(); ++v) names[v] = least_of(v);
  return names;
}

void CommunityDetection::OneRank::run(const CommunityDetectionOptions& options, CommunityDetectionResult& result) {
  std::vector<Vertex> labels;
  result.communities = result.levels = 0;
  result.modularity = 0;
  if (first_.total() > 0) {
    levels_.run(first_.view(), terms_of(options), {}, options.progress);
    labels = smallest_of_communities(own_ids());
    result.communities = levels_.communities();
    result.modularity = levels_.modularity();
    result.levels = levels_.levels();
  }
  label_owned(labels, result);
}

}  // namespace atl
