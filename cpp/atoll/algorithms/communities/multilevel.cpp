// SPDX-License-Identifier: Apache-2.0
// The levels of Louvain and of Leiden (algorithm A.2 of [2] in community_detection.hpp). Louvain's next level has a
// vertex for each community, Leiden's one for each refined subset, in the communities found so far.
#include <atoll/algorithms/communities/multilevel.hpp>

namespace atl {
namespace {

constexpr std::size_t kVerticesGrain = 4096;
// By several threads a level may gain less than they believed. From here on one goes on, whose every move is a gain.
constexpr int kLevelsByThreads = 20;
// Below so many edges, some 0.1 ms of work, waking threads for each sweep does not pay.
constexpr Edge kFewEdges = 1 << 14;

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

void Multilevel::run(const Level& first, const Terms& terms, std::span<const Local> start, const Progress& progress) {
  levels_ = 0;
  std::vector<Local> from(start.begin(), start.end());
  for (int pass = 1;; ++pass) {
    const double before = modularity_;
    run_levels(first, terms, from, Passes::tolerance(pass), progress);
    if (pass > 1 && modularity_ < before) {  // by several threads moves may lose: back to the communities it began with
      std::copy(from.begin(), from.end(), vertex_of_.data());
      communities_ = number_sets(vertex_of_, first.rows);
      modularity_ = before;
      break;
    }
    if (pass == terms.iterations || (pass > 1 && modularity_ - before < Passes::kLeastGain)) break;
    // A community is named by its first row.
    std::vector<Local> name(index(communities_), -1);
    from.resize(first.rows);
    for (std::size_t v = 0; v < first.rows; ++v) {
      Local& row = name[index(vertex_of_[v])];
      if (row < 0) row = static_cast<Local>(v);
      from[v] = row;
    }
  }
}

void Multilevel::run_levels(const Level& first, const Terms& terms, std::span<const Local> start, double tolerance,
                            const Progress& progress) {
  begin(first, start);
  Level level = first;
  for (int depth = 1;; ++depth) {
    const bool large = level.offsets[level.rows] >= kFewEdges;
    const Workers now = large && depth <= kLevelsByThreads ? Workers::team : Workers::one;
    const Vertex moves = moving_.run(level, terms.measure, depth == 1 ? tolerance : 0, now, community_, degrees_);
    report_progress(progress, ++levels_, 0);
    CoarseLevel& next = coarse_[depth % 2];
    if (!coarsen(level, terms, now, moves, next)) break;
    level = next.view();
  }
  communities_ = static_cast<Local>(level.rows);
  modularity_ = weight_inside(level, community_) / terms.measure.total;
  for (std::size_t c = 0; c < level.rows; ++c)
    modularity_ -= terms.measure.loss(level.degree[c]) * level.degree[c] / terms.measure.total;
}

// Makes the next level; false if every vertex is a community and none has a better one.
bool Multilevel::coarsen(const Level& level, const Terms& terms, Workers workers, Vertex moves, CoarseLevel& next) {
  std::size_t present = 0;
  std::fill_n(set_.data(), level.rows, Local{0});
  for (std::size_t v = 0; v < level.rows; ++v) present += std::exchange(set_[community_[v]], 1) == 0;
  if (present == level.rows && moves == 0) return false;
  if (terms.method == CommunityMethod::louvain) {
    std::copy_n(community_.data(), level.rows, set_.data());
  } else if (refinement_.run(level, terms.measure, workers, community_, degrees_, set_) == 0) {
    // No vertex gains by joining another of its community, as where those that held them together have left: each
    // connected part becomes a community, which loses nothing.
    split_into_parts(level, community_, set_);
    std::copy_n(set_.data(), level.rows, community_.data());
  }
  const Local sets = number_sets(set_, level.rows);
  aggregation_.run(level, workers, static_cast<std::size_t>(sets), static_cast<std::size_t>(sets), set_, next);
  for_rows(team_, workers, vertex_of_.size(), kVerticesGrain, [&](int, std::size_t a, std::size_t b) {
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
