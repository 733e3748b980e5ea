// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/algorithms/closeness/kernel.hpp>
#include <atoll/algorithms/closeness/plain_searches.hpp>
#include <atoll/base/parallel.hpp>
#include <cmath>

/// One thread's searches, from batches of sources at once or from each by itself, whichever is expected to take less.
///
///     ThreadSearches<8> searches(team, thread, lists, directed);
///     searches.clear();
///     searches.add(sources);                 // up to 64 kWords vertices, each once
///     searches.finish();
///     searches.sums()[v].farness;
///
/// The first source of a batch is searched from by itself. What it finds says how often searches of all sources at
/// once would look at a vertex: once for each different distance. With p(d) the share of vertices at distance d among
/// those that it reaches, of k sources drawn at random sum over d of 1 - (1 - p(d))^k are expected; and of sources that
/// lie within a distance of r of the first one, at most 2 r + 1 in undirected graphs. Where the first source reaches few
/// of the others, it says nothing of them, and the next one is tried. Where it meets many edges in few levels, it is left
/// to the batch: there all sources meet.
///
/// Memory: that of ClosenessKernel and PlainSearches, and 32 bytes a vertex for sums.
namespace atl {

template <int kWords>
class ThreadSearches {
 public:
  ThreadSearches(Team& team, int thread, const SearchLists& lists, bool directed)
      : team_(team),
        thread_(thread),
        lists_(lists),
        directed_(directed),
        sums_(lists.vertices),
        plain_(lists),
        kernel_(lists) {}

  void clear() {
    std::fill(sums_.begin(), sums_.end(), DistanceSums{});
    plain_.clear();
  }
  void add(std::span<const Local> sources) {
    Way way = Way::unknown;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      team_.cancellation_point(thread_);
      if (way == Way::apart) {
        plain_.search(sources[i]);
      } else if (!plain_.search_unless_wide(sources[i], lists_.out->size() / kWideShare)) {
        return kernel_.add(sources.subspan(i), sums_);
      }
      const auto rest = sources.subspan(i + 1);
      if (way == Way::unknown) way = best_way(rest);
      plain_.take(sums_);
      if (way == Way::together) return kernel_.add(rest, sums_);
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
  enum class Way { unknown, together, apart };
  static constexpr Edge kWideShare = 16;          // of the edges, that the first levels of a wide search meet
  static constexpr std::size_t kSmallShare = 64;  // of the vertices, below which a search says little of others
  // A look of a batch at a vertex takes as long as so many of a search from one source: measured .7 to 17 on lattices,
  // paths and random graphs, more where the batch has more levels. Where the choice matters there, this one is right.
  static constexpr double kLook = kWords == 1 ? 2.5 : kWords == 4 ? 4 : 6;

  // How often a batch of k sources would look at a vertex, of which there are n.
  double looks(double k, double n) const {
    double sum = 0;
    for (const std::size_t size : plain_.level_sizes()) sum += 1 - std::pow(1 - static_cast<double>(size) / n, k);
    return sum;
  }

  // By the last plain search.
  Way best_way(std::span<const Local> others) const {
    const auto n = static_cast<double>(lists_.vertices), reached = static_cast<double>(plain_.reached());
    Local radius = 0;
    std::size_t near = 0;
    for (const Local v : others) {
      const Local distance = plain_.distance(v);
      near += distance >= 0;
      radius = std::max(radius, distance);
    }
    // Most lie in the part that it reaches, which all of them look at.
    if (2 * near >= others.size()) {
      const auto k = static_cast<double>(near);
      const double within = directed_ ? n : 2 * static_cast<double>(radius) + 1;
      return std::min(looks(k, reached), within) * kLook < k ? Way::together : Way::apart;
    }
    if (!directed_ || plain_.reached() * kSmallShare < lists_.vertices) return Way::unknown;
    const auto k = static_cast<double>(others.size());
    return looks(k, n) * kLook < k * reached / n ? Way::together : Way::apart;
  }

  Team& team_;
  const int thread_;
  const SearchLists lists_;
  const bool directed_;
  Array<DistanceSums> sums_;  // [vertex]
  PlainSearches plain_;
  ClosenessKernel<kWords> kernel_;
};

}  // namespace atl
