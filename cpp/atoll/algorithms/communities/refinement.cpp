// SPDX-License-Identifier: Apache-2.0
// The refinement of Leiden: MergeNodesSubset in algorithm A.2 of [1] in the header.
//
// | in the paper | here |
// |---|---|
// | S, E(v, S - v) >= gamma |v| (|S| - |v|) | community; is_well_connected |
// | v is in a singleton community | state: singleton |
// | a well-connected community is drawn at random by its gain | the one with the greatest gain, as in GVE-Leiden |
//
// Threads: a singleton that wants to join another subset first makes itself gone, so that nobody joins it meanwhile; who
// joins a singleton first makes it joined, so that it stays. Both are one exchange of a byte. A neighbour that has
// joined a subset never leaves it, so subsets are connected whatever the threads do. Targets behind the rows are other
// ranks': they count as neighbours inside the community, and nobody joins them.
#include <atoll/algorithms/communities/refinement.hpp>

namespace atl {
namespace {

constexpr std::size_t kRefiningGrain = 256;
constexpr char kSingleton = 0, kJoined = 1, kGone = 2;

// Whether the state was, or has become, `joined`.
bool make_joined(char& state) {
  char seen = kSingleton;
  return std::atomic_ref(state).compare_exchange_strong(seen, kJoined) || seen == kJoined;
}

}  // namespace

Vertex Refinement::run(const Level& level, const ModularityTerms& terms, Workers workers, const Array<Local>& community,
                       const Array<double>& degrees, Array<Local>& subset) {
  const std::size_t rows = level.rows;
  if (degree_.size() < rows) {
    degree_ = Array<double>(rows);
    state_ = Array<char>(rows);
  }
  for (std::size_t v = 0; v < rows; ++v) {
    degree_[v] = level.degree[v];
    state_[v] = kSingleton;
    subset[v] = static_cast<Local>(v);
  }
  std::atomic<Vertex> joined{0};
  with_level_weights(level, [&](const auto& weight) {
    using Number = decltype(weight(Edge{0}));
    for (ThreadSums& sums : sums_) sums.by<Number>().resize(rows);
    const auto refine = [&](std::size_t v, auto& sums) {
      if (load_relaxed(state_[v]) != kSingleton) return false;
      const Local mine = community[v];
      double inside = 0;
      sums.add(
          level.offsets[v], level.offsets[v + 1],
          [&](Edge e) {
            const Local u = level.targets[e];
            if (u == static_cast<Local>(v) || community[u] != mine) return Local{-1};
            inside += static_cast<double>(weight(e));
            return index(u) < rows ? load_relaxed(subset[u]) : Local{-1};
          },
          weight);
      if (sums.empty()) return false;
      const double degree = level.degree[v], loss = terms.loss(degree);
      const bool is_well_connected = inside >= loss * (degrees[mine] - degree);
      Local to = -1;
      double best = terms.least_gain();
      sums.take([&](Local s, auto sum) {
        const double score = static_cast<double>(sum) - loss * load_relaxed(degree_[s]);
        if (score > best) {
          best = score;
          to = s;
        }
      });
      char expected = kSingleton;
      if (!is_well_connected || to < 0 || !std::atomic_ref(state_[v]).compare_exchange_strong(expected, kGone))
        return false;
      if (!make_joined(state_[to])) {  // it has left meanwhile
        std::atomic_ref(state_[v]).store(kSingleton);
        return false;
      }
      std::atomic_ref(degree_[to]).fetch_add(degree, std::memory_order_relaxed);
      std::atomic_ref(subset[v]).store(to);
      return true;
    };
    for_rows(team_, workers, rows, kRefiningGrain, [&](int thread, std::size_t a, std::size_t b) {
      auto& sums = sums_[thread].by<Number>();
      Vertex here = 0;
      for (std::size_t v = a; v < b; ++v) here += refine(v, sums);
      joined.fetch_add(here, std::memory_order_relaxed);
    });
  });
  return joined.load();
}

void split_into_parts(const Level& level, const Array<Local>& community, Array<Local>& subset) {
  std::vector<Local> stack;
  std::fill_n(subset.data(), level.rows, Local{-1});
  for (std::size_t root = 0; root < level.rows; ++root) {
    if (subset[root] >= 0) continue;
    subset[root] = static_cast<Local>(root);
    stack.push_back(static_cast<Local>(root));
    while (!stack.empty()) {
      const Local v = stack.back();
      stack.pop_back();
      for (Edge e = level.offsets[v]; e < level.offsets[index(v) + 1]; ++e) {
        const Local u = level.targets[e];
        if (subset[u] >= 0 || community[u] != community[v]) continue;
        subset[u] = static_cast<Local>(root);
        stack.push_back(u);
      }
    }
  }
}

}  // namespace atl
