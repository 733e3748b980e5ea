// SPDX-License-Identifier: Apache-2.0
// The neighbour rounds of ComponentForest, which read the columns first_ and second_, and the choice of the giant.
#include <algorithm>
#include <atoll/algorithms/components/forest.hpp>
#include <atoll/base/random.hpp>
#include <bit>
#include <cstring>
#include <vector>

namespace atl {
namespace {

constexpr std::size_t kSamples = 1024;
// Prefetch distance in vertices.
constexpr Local kAhead = 16;
// If at least this fraction of vertices has a hub as first neighbour, start() does not compress the others' paths: they
// are handled with the vertices outside the giant.
constexpr double kMostHaveHub = 0.75;

// Bit k is set where values[k] != one, k < n <= 64. Goes through bytes so that the compiler vectorizes the comparisons.
inline std::uint64_t unlike(Local one, const Local* values, std::size_t n) {
  std::uint8_t differs[64] = {};
  for (std::size_t k = 0; k < n; ++k) differs[k] = values[k] != one;
  std::uint64_t bits = 0;
  for (std::size_t byte = 0; byte < 8; ++byte) {
    std::uint64_t eight;
    std::memcpy(&eight, differs + 8 * byte, sizeof eight);
    bits |= (eight * 0x0102040810204080u >> 56) << (8 * byte);  // byte k's lowest bit, to bit k
  }
  return bits;
}

}  // namespace

void ComponentForest::read_columns() {
  std::atomic<std::size_t> with_hub{0};
  team_.for_range(first_.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
    std::size_t with_hub_here = 0;
    for (std::size_t v = a; v < b; ++v) {
      first_[v] = second_[v] = static_cast<Local>(v);
      bool meets_masters = false, meets_mirrors = false;
      for (const Csr* lists : {&graph_.out(), &graph_.in()}) {
        const auto list = lists->neighbours(static_cast<Local>(v));
        if (list.empty()) continue;
        first_[v] = std::min(first_[v], list[0]);
        if (list.size() > 1) second_[v] = list[1];
        if (index(list[0]) >= first_mirror_) second_[v] = list[0];
        (index(list[0]) >= first_mirror_ ? meets_mirrors : meets_masters) = true;
      }
      if (meets_masters || !meets_mirrors) has_local_neighbour_.set_unsynchronized(static_cast<Local>(v));
      with_hub_here += first_[v] < graph_.hubs();
    }
    with_hub += with_hub_here;
  });
  for (Local v = 0; v < graph_.active(); ++v)
    if (!has_local_neighbour_.test(v)) remote_only_.push_back(v);
  first_is_hub_ = static_cast<double>(with_hub) >= kMostHaveHub * static_cast<double>(active_ - remote_only_.size());
}

// The first round: stores pi(v) = min(v, first neighbour). Hubs come first and are compressed, so one step takes any
// other vertex from its hub to the root.
void ComponentForest::start() {
  const Local first_tail = graph_.hubs();
  const std::size_t hubs = index(first_tail);
  std::copy(first_.begin(), first_.begin() + hubs, parent_.begin());
  compress(hubs);
  const auto set_parents = [&](auto&& parent_of) {
    team_.for_range(active_ - hubs, kGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = hubs + a; v < hubs + b; ++v) parent_[v] = parent_of(first_[v]);
    });
  };
  if (remote_only_.empty()) {  // nearly all have a hub as first neighbour: a predicted branch waits for no load
    set_parents([&](Local first) { return first < first_tail ? parent_[first] : first; });
  } else {  // which vertices are remote-only is unpredictable: branch-free
    set_parents([&](Local first) {
      const Local mask = -static_cast<Local>(first < first_tail);
      return (parent_[first & mask] & mask) | (first & ~mask);
    });
  }
  team_.for_range(parent_.size() - first_mirror_, kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = first_mirror_ + a; v < first_mirror_ + b; ++v) parent_[v] = static_cast<Local>(v);
  });
  if (!first_is_hub_) compress(active_);
}

// The paper's second round. The second neighbours are a column of their own, so parents can be prefetched.
void ComponentForest::link_round() {
  const auto last = static_cast<Local>(active_) - 1;
  team_.for_range(active_, kGrain, [&](int, std::size_t a, std::size_t b) {
    for (auto v = static_cast<Local>(a); v < static_cast<Local>(b); ++v) {
      __builtin_prefetch(parent_.data() + second_[std::min(v + kAhead, last)]);
      link(v, second_[v]);
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

void ComponentForest::collect_outside_giant(Local giant) {
  outside_count_ = 0;
  team_.for_range(active_, kGrain, [&](int, std::size_t a, std::size_t b) {
    Local found[kGrain];
    std::size_t count = 0;
    for (std::size_t v = a; v < b; v += 64) {
      const Local* const parents = parent_.data() + v;
      const std::uint64_t others = b - v >= 64 ? unlike(giant, parents, 64) : unlike(giant, parents, b - v);
      for (std::uint64_t bits = others & has_local_neighbour_.at(v / 64); bits; bits &= bits - 1)
        found[count++] = static_cast<Local>(v) + std::countr_zero(bits);
    }
    std::copy(found, found + count,
              outside_giant_.begin() + outside_count_.fetch_add(count, std::memory_order_relaxed));
  });
}

}  // namespace atl
