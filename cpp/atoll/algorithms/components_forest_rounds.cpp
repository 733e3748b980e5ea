// SPDX-License-Identifier: Apache-2.0
// The neighbour rounds of ComponentForest, from columns of their own, and the giant that they leave.
#include <algorithm>
#include <atoll/algorithms/components_forest.hpp>
#include <atoll/base/random.hpp>
#include <vector>

namespace atl {
namespace {

constexpr std::size_t kSamples = 1024;
// Vertices fetched ahead of their link.
constexpr Local kAhead = 16;
// From this share of vertices that hang on a hub on, the others are left to the end, as those outside the giant are.
constexpr double kHung = 0.75;

std::size_t index(Local v) { return static_cast<std::size_t>(v); }

}  // namespace

void ComponentForest::read_columns() {
  std::atomic<std::size_t> hung{0};
  team_.for_range(first_.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
    std::size_t here = 0;
    for (std::size_t v = a; v < b; ++v) {
      first_[v] = second_[v] = static_cast<Local>(v);
      for (const Csr* lists : {&graph_.out(), &graph_.in()}) {
        const auto list = lists->neighbours(static_cast<Local>(v));
        if (!list.empty()) first_[v] = std::min(first_[v], list[0]);
        if (list.size() > 1) second_[v] = list[1];
        if (!list.empty() && index(list[0]) >= first_mirror_) second_[v] = list[0];
      }
      here += first_[v] < graph_.hubs();
    }
    hung += here;
  });
  hangs_on_hubs_ = static_cast<double>(hung) >= kHung * static_cast<double>(first_.size());
}

// The written round. Hubs first and whole: then one step takes a vertex of the tail from its hub to the root.
void ComponentForest::start() {
  const auto hubs = index(graph_.hubs());
  std::copy(first_.begin(), first_.begin() + hubs, parent_.begin());
  compress(hubs);
  team_.for_range(active_ - hubs, kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = hubs + a; v < hubs + b; ++v) {
      const std::size_t first = index(first_[v]);
      parent_[v] = first < hubs ? parent_[first] : static_cast<Local>(first);
    }
  });
  team_.for_range(parent_.size() - first_mirror_, kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = first_mirror_ + a; v < first_mirror_ + b; ++v) parent_[v] = static_cast<Local>(v);
  });
  if (!hangs_on_hubs_) compress(active_);
}

// The paper's second round, from a column of its own: vertices ahead are known, and fetched.
void ComponentForest::link_round() {
  const auto last = static_cast<Local>(active_) - 1;
  team_.for_range(active_, kGrain, [&](int, std::size_t a, std::size_t b) {
    for (auto v = static_cast<Local>(a); v < static_cast<Local>(b); ++v) {
      __builtin_prefetch(parent_.data() + second_[index(std::min(v + kAhead, last))]);
      link(v, second_[index(v)]);
    }
  });
}

std::pair<Local, double> ComponentForest::largest_tree() {
  std::vector<Local> roots(kSamples);
  for (std::size_t i = 0; i < kSamples; ++i) roots[i] = find(static_cast<Local>(random_at(1, i) % active_));
  std::sort(roots.begin(), roots.end());
  Local best = roots[0];
  std::ptrdiff_t most = 0;
  for (auto at = roots.begin(); at != roots.end();) {
    const auto end = std::upper_bound(at, roots.end(), *at);
    if (end - at > most) {
      most = end - at;
      best = *at;
    }
    at = end;
  }
  return {best, static_cast<double>(most) / kSamples};
}

void ComponentForest::collect_apart(Local giant) {
  aparts_ = 0;
  team_.for_range(active_, kGrain, [&](int, std::size_t a, std::size_t b) {
    Local here[kGrain];
    std::size_t count = 0;
    for (std::size_t v = a; v < b; ++v) {
      here[count] = static_cast<Local>(v);
      count += parent_[v] != giant;
    }
    std::copy(here, here + count, apart_.begin() + aparts_.fetch_add(count, std::memory_order_relaxed));
  });
}

}  // namespace atl
