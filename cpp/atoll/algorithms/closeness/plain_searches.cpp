// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/closeness/plain_searches.hpp>
#include <utility>

namespace atl {
namespace {

constexpr std::size_t kFirstLevels = 8;  // of search_unless_wide()
constexpr std::size_t kFew = 8;    // a search that reaches fewer than 1 / kFew of all vertices is added by its queue
constexpr std::size_t kAhead = 8;  // of the queue, whose lists are asked for

}  // namespace

PlainSearches::PlainSearches(const SearchLists& lists)
    : out_(*lists.out), vertices_(lists.vertices), reached_(vertices_) {
  for (Array<Local>& depths : depths_) depths = Array<Local>(vertices_, 0);
  queue_.reserve(vertices_);
}

bool PlainSearches::search_unless_wide(Local source, std::optional<Edge> most_edges) {
  Array<Local>& depths = depths_[pending_];
  const Edge* const offsets = out_.offsets.data();
  const Local* const targets = out_.targets.data();
  queue_.assign(1, source);
  level_sizes_.assign(1, 1);
  reached_.set_unsynchronized(index(source));
  Edge met = 0;
  for (std::size_t begin = 0, end = 1; begin < end; begin = end, end = queue_.size()) {
    if (most_edges && level_sizes_.size() <= kFirstLevels) {
      for (std::size_t i = begin; i < end; ++i) met += out_.degree(queue_[i]);
      if (met > *most_edges) {
        forget();
        return false;
      }
    }
    const auto distance = static_cast<Local>(level_sizes_.size());
    for (std::size_t i = begin; i < end; ++i) {
      if (i + kAhead < end) __builtin_prefetch(targets + offsets[queue_[i + kAhead]]);
      const Local v = queue_[i];
      for (Edge e = offsets[v]; e < offsets[index(v) + 1]; ++e) {
        const Local u = targets[e];
        if (reached_.test(index(u))) continue;
        reached_.set_unsynchronized(index(u));
        depths[u] = distance;
        queue_.push_back(u);
      }
    }
    if (queue_.size() > end) level_sizes_.push_back(queue_.size() - end);
  }
  while (reciprocals_.size() < level_sizes_.size())
    reciprocals_.push_back(DistanceSums::reciprocal(static_cast<Vertex>(reciprocals_.size())));
  return true;
}

// Clears what the last search has written.
void PlainSearches::forget() {
  for (const Local v : queue_) depths_[pending_][v] = 0;
  for (const Local v : queue_) reached_.at(index(v) / 64) = 0;
  queue_.clear();
}

void PlainSearches::take(Array<DistanceSums>& sums) {
  if (queue_.size() * kFew < vertices_) {
    std::size_t i = 0;
    for (std::size_t d = 0; d < level_sizes_.size(); ++d)
      for (const std::size_t end = i + level_sizes_[d]; i < end; ++i)
        if (d > 0) sums[queue_[i]].add(1, static_cast<Vertex>(d), reciprocals_[d]);
    forget();
    return;
  }
  reached_.clear();
  queue_.clear();
  if (++pending_ == kTogether) finish(sums);
}

void PlainSearches::finish(Array<DistanceSums>& sums) {
  if (pending_ == 0) return;
  for (std::size_t v = 0; v < vertices_; ++v) {
    DistanceSums sum = sums[v];
    for (Array<Local>& depths : depths_) {
      const Local distance = std::exchange(depths[v], 0);
      sum.reached += distance != 0;
      sum.farness += distance;
      sum.harmonic += reciprocals_[index(distance)];
    }
    sums[v] = sum;
  }
  pending_ = 0;
}

void PlainSearches::clear() {
  if (pending_ > 0)
    for (Array<Local>& depths : depths_) std::fill(depths.begin(), depths.end(), Local{0});
  pending_ = 0;
}

// A search may have as many levels as vertices.
std::size_t PlainSearches::memory_bytes(std::size_t vertices) {
  return vertices * ((kTogether + 1) * sizeof(Local) + 2 * (sizeof(std::size_t) + sizeof(std::uint64_t))) +
         vertices / 8;
}

std::size_t PlainSearches::memory_bytes() const {
  return vertices_ * kTogether * sizeof(Local) + queue_.capacity() * sizeof(Local) + vertices_ / 8 +
         level_sizes_.capacity() * sizeof(std::size_t) + reciprocals_.capacity() * sizeof(std::uint64_t);
}

}  // namespace atl
