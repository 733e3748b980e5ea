// SPDX-License-Identifier: Apache-2.0
// The levels of Louvain and of Leiden (algorithm A.2 of [2] in community_detection.hpp). Louvain's next level has a
// vertex for each community, Leiden's one for each refined subset, in the communities found so far.
#include <atoll/algorithms/communities/multilevel.hpp>

namespace atl {
namespace {

constexpr std::size_t kVerticesGrain = 4096;
// A sweep of the first level that gains less ends it: what is left is found on the next ones, which are smaller.
constexpr double kFirstTolerance = 1e-3;
// By several threads a level may gain less than they believed. From here on one goes on, whose every move is a gain.
constexpr int kLevelsByThreads = 20;

// Twice the weight of all edges inside communities.
double weight_inside(const Level& level, const Array<Local>& community) {
  double sum = 0;
  with_level_weights(level, [&](const auto& weight) {
    for (std::size_t v = 0; v < level.rows; ++v) {
      if (level.inside) sum += level.inside[v];
      for (Edge e = level.offsets[v]; e < level.offsets[v + 1]; ++e)
        if (const Local u = level.targets[e]; community[u] == community[v])
          sum += static_cast<double>(weight(e)) * (index(u) == v ? 2 : 1);
    }
  });
  return sum;
}

}  // namespace

void Multilevel::begin(const Level& level, std::span<const Local> start) {
  if (vertex_of_.size() != level.rows) {
    vertex_of_ = Array<Local>(level.rows);
    community_ = Array<Local>(level.rows);
    set_ = Array<Local>(level.rows);
    degrees_ = Array<double>(level.rows);
  }
  std::fill_n(degrees_.data(), level.rows, 0.0);
  for (std::size_t v = 0; v < level.rows; ++v) {
    vertex_of_[v] = static_cast<Local>(v);
    community_[v] = start.empty() ? static_cast<Local>(v) : start[v];
    degrees_[community_[v]] += level.degree[v];
  }
}

void Multilevel::run(const Level& first, CommunityMethod method, const ModularityTerms& terms,
                     std::span<const Local> start, const Progress& progress) {
  begin(first, start);
  Level level = first;
  for (levels_ = 1;; ++levels_) {
    const Workers now = levels_ <= kLevelsByThreads ? Workers::team : Workers::one;
    const MovingReport moved = moving_.run(level, terms, levels_ == 1 ? kFirstTolerance : 0, now, community_, degrees_);
    report_progress(progress, levels_, 0);
    if (!coarsen(level, method, terms, now, moved)) break;
    level = coarse_[levels_ % 2].view();
  }
  communities_ = static_cast<Local>(level.rows);
  modularity_ = weight_inside(level, community_) / terms.total;
  for (std::size_t c = 0; c < level.rows; ++c)
    modularity_ -= terms.resolution * level.degree[c] / terms.total * (level.degree[c] / terms.total);
}

// Makes the next level; false if every vertex is a community and none has a better one.
bool Multilevel::coarsen(const Level& level, CommunityMethod method, const ModularityTerms& terms, Workers workers,
                         const MovingReport& moved) {
  std::size_t present = 0;
  std::fill_n(set_.data(), level.rows, Local{0});
  for (std::size_t v = 0; v < level.rows; ++v) present += std::exchange(set_[community_[v]], 1) == 0;
  if (present == level.rows && moved.moves == 0) return false;
  if (method == CommunityMethod::louvain) {
    std::copy_n(community_.data(), level.rows, set_.data());
  } else if (refinement_.run(level, terms, workers, community_, degrees_, set_) == 0) {
    // No vertex gains by joining another of its community, as where those that held them together have left: each
    // connected part becomes a community, which loses nothing.
    split_into_parts(level, community_, set_);
    std::copy_n(set_.data(), level.rows, community_.data());
  }
  const Local sets = number_sets(set_, level.rows);
  CoarseLevel& next = coarse_[levels_ % 2];
  aggregation_.run(level, static_cast<std::size_t>(sets), set_, {set_, static_cast<std::size_t>(sets), 0}, next);
  team_.for_range(vertex_of_.size(), kVerticesGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) vertex_of_[v] = set_[vertex_of_[v]];
  });

  // A community of the next level is named by its first vertex there.
  std::vector<Local> name(level.rows, -1), next_community(static_cast<std::size_t>(sets));
  for (std::size_t v = 0; v < level.rows; ++v) {
    Local& first = name[index(community_[v])];
    if (first < 0) first = set_[v];
    next_community[index(set_[v])] = first;
  }
  std::copy(next_community.begin(), next_community.end(), community_.begin());
  std::fill_n(degrees_.data(), static_cast<std::size_t>(sets), 0.0);
  for (std::size_t s = 0; s < static_cast<std::size_t>(sets); ++s) degrees_[community_[s]] += next.degree[s];
  return true;
}

std::size_t Multilevel::memory_bytes() const {
  return moving_.memory_bytes() + refinement_.memory_bytes() + aggregation_.memory_bytes() + coarse_[0].memory_bytes() +
         coarse_[1].memory_bytes() + degrees_.size() * sizeof(double) +
         (vertex_of_.size() + community_.size() + set_.size()) * sizeof(Local);
}

}  // namespace atl
