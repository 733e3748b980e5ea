// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/algorithms/closeness/kernel.hpp>
#include <atoll/algorithms/closeness/plain_searches.hpp>
#include <cmath>

/// One thread's searches, from batches of sources at once or from each by itself, whichever is expected to take less.
///
///     ThreadSearches<8> searches(lists, directed);
///     searches.clear();
///     searches.add(sources);                 // up to 64 kWords vertices, each once
///     searches.finish();
///     searches.sums()[v].farness;
///
/// The first source of a batch is searched from by itself. What it finds says how often searches of all sources at
/// once would look at a vertex: once for each different distance. With p(d) the share of vertices at distance d, of k
/// sources drawn at random sum over d of 1 - (1 - p(d))^k are expected; and of sources that lie within a distance of r
/// of the first one, at most 2 r + 1 in undirected graphs. Where the first source meets many edges in few levels, it is
/// left to the batch: there all sources meet.
///
/// Memory: that of ClosenessKernel and PlainSearches, and 32 bytes a vertex for sums.
namespace atl {

template <int kWords>
class ThreadSearches {
 public:
  ThreadSearches(const SearchLists& lists, bool directed)
      : lists_(lists), directed_(directed), sums_(lists.vertices), plain_(lists), kernel_(lists) {}

  void clear() { std::fill(sums_.begin(), sums_.end(), DistanceSums{}); }
  void add(std::span<const Local> sources) {
    bool is_apart = false;  // whether each is searched from by itself
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (is_apart) {
        plain_.search(sources[i]);
      } else if (!plain_.search_unless_wide(sources[i], lists_.out->size() / kWideShare)) {
        return kernel_.add(sources.subspan(i), sums_);
      }
      const bool says_little = plain_.reached() * kSmallShare < lists_.vertices;
      const auto rest = sources.subspan(i + 1);
      const bool meet = !is_apart && !says_little && meet_often(rest);
      is_apart = is_apart || (!says_little && !meet);
      plain_.take(sums_);
      if (meet) return kernel_.add(rest, sums_);
    }
  }
  void finish() { plain_.finish(sums_); }

  const Array<DistanceSums>& sums() const { return sums_; }
  std::size_t memory_bytes() const {
    return sums_.size() * sizeof(DistanceSums) + plain_.memory_bytes() + kernel_.memory_bytes();
  }
  /// The same of one that is not made yet.
  static std::size_t memory_bytes(std::size_t vertices) {
    return vertices * sizeof(DistanceSums) + PlainSearches::memory_bytes(vertices) +
           ClosenessKernel<kWords>::memory_bytes(vertices);
  }

 private:
  static constexpr Edge kWideShare = 16;          // of the edges, that the first levels of a wide search meet
  static constexpr std::size_t kSmallShare = 64;  // of the vertices, below which a search says little of others
  // A look of a batch at a vertex takes as long as so many of a search from one source: measured .7 to 17 on lattices,
  // paths and random graphs, more where the batch has more levels. Where the choice matters there, this one is right.
  static constexpr double kLook = kWords == 1 ? 2.5 : kWords == 4 ? 4 : 6;

  // By the last plain search.
  bool meet_often(std::span<const Local> others) const {
    const auto n = static_cast<double>(lists_.vertices), k = static_cast<double>(others.size());
    double looks = 0;
    for (const std::size_t size : plain_.level_sizes()) looks += 1 - std::pow(1 - static_cast<double>(size) / n, k);
    if (!directed_) {
      Local radius = 0;
      for (const Local v : others) radius = std::max(radius, plain_.distance(v));
      looks = std::min(looks, 2 * static_cast<double>(radius) + 1);
    }
    return looks * kLook < k * static_cast<double>(plain_.reached()) / n;
  }

  const SearchLists lists_;
  const bool directed_;
  Array<DistanceSums> sums_;  // [vertex]
  PlainSearches plain_;
  ClosenessKernel<kWords> kernel_;
};

}  // namespace atl
