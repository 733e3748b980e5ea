// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/sssp/lists.hpp>
#include <cmath>
#include <cstdint>

namespace atl {
namespace {

constexpr std::size_t kListGrain = 64;
// Longer lists are bucket-sorted: preparing Kronecker 18 on one rank took 0.13 s, not 0.30.
constexpr std::size_t kLong = 48;

template <class Real>
struct Lighter {
  bool operator()(const SsspEntry<Real>& a, const SsspEntry<Real>& b) const { return a.weight < b.weight; }
};

// Bucket sort with as many buckets as entries; the bucket is the weight relative to the largest. Weights that are close
// together share a bucket, which std::sort orders.
template <class Real>
class BucketSorter {
 public:
  void sort(std::span<SsspEntry<Real>> list) {
    const Real largest = std::max_element(list.begin(), list.end(), Lighter<Real>())->weight;
    if (!(largest > 0)) return;
    const double scale = static_cast<double>(list.size() - 1) / static_cast<double>(largest);
    if (std::isinf(scale)) return std::sort(list.begin(), list.end(), Lighter<Real>());
    const auto bucket_of = [scale](const SsspEntry<Real>& e) {
      return static_cast<std::size_t>(static_cast<double>(e.weight) * scale);
    };
    end_.assign(list.size() + 1, 0);
    for (const auto& e : list) ++end_[bucket_of(e) + 1];
    for (std::size_t b = 0; b < list.size(); ++b) end_[b + 1] += end_[b];
    if (buckets_.size() < list.size()) buckets_.resize(list.size());
    for (const auto& e : list) buckets_[end_[bucket_of(e)]++] = e;
    std::size_t begin = 0;
    for (std::size_t b = 0; b < list.size(); ++b) {
      if (end_[b] - begin > 1) std::sort(buckets_.begin() + begin, buckets_.begin() + end_[b], Lighter<Real>());
      begin = end_[b];
    }
    std::copy_n(buckets_.begin(), list.size(), list.begin());
  }

 private:
  std::vector<std::uint32_t> end_;
  std::vector<SsspEntry<Real>> buckets_;
};

}  // namespace

template <class Real>
void sort_by_weight(Team& team, SsspLists<Real>& lists, std::size_t first, std::size_t end) {
  std::vector<BucketSorter<Real>> sorters(static_cast<std::size_t>(team.size()));
  team.for_range(end - first, kListGrain, [&](int t, std::size_t a, std::size_t b) {
    for (std::size_t v = first + a; v < first + b; ++v) {
      const std::span list(lists.entries.data() + lists.offsets[v],
                           static_cast<std::size_t>(lists.offsets[v + 1] - lists.offsets[v]));
      if (list.size() > kLong) {
        sorters[t].sort(list);
      } else {
        std::sort(list.begin(), list.end(), Lighter<Real>());
      }
    }
  });
}
template void sort_by_weight(Team&, SsspLists<float>&, std::size_t, std::size_t);
template void sort_by_weight(Team&, SsspLists<double>&, std::size_t, std::size_t);
template void sort_by_weight(Team&, SsspLists<std::uint32_t>&, std::size_t, std::size_t);
template void sort_by_weight(Team&, SsspLists<std::uint64_t>&, std::size_t, std::size_t);

double positive_quantile(const std::vector<double>& sorted, double q) {
  if (sorted.empty()) return 1;
  const auto at = static_cast<std::size_t>(std::clamp(q, 0.0, 1.0) * static_cast<double>(sorted.size() - 1));
  const auto positive = std::upper_bound(sorted.begin(), sorted.end(), 0.0);
  return positive == sorted.end() ? 1.0 : std::max(sorted[at], *positive);
}

}  // namespace atl
