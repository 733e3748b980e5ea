// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/base/types.hpp>
#include <vector>

/// The vertices that a search is to relax: those nearer than the horizon in the order in which they came, and all others,
/// without an order, until the horizon moves. With horizons some edges apart that costs less than a heap.
///
/// A vertex whose distance has fallen is put in again; its older entries are stale.
namespace atl {

template <class Sum>
class Frontier {
 public:
  /// `far`: what least() is when nothing waits.
  explicit Frontier(Sum far) : far_(far), least_(far), horizon_(0) {}

  void put(Sum distance, Local v) {
    if (distance < horizon_) {
      near_.push_back({distance, v});
    } else {
      beyond_.push_back({distance, v});
      least_ = std::min(least_, distance);
    }
  }
  /// A lower bound on the distances of what waits; between rounds that is all.
  Sum least() const { return least_; }
  std::size_t waiting() const { return beyond_.size(); }

  /// Begins a round; is_stale(distance, vertex).
  template <class IsStale>
  void begin_round(Sum horizon, IsStale&& is_stale) {
    horizon_ = horizon;
    near_.clear();
    taken_ = 0;
    least_ = far_;
    std::size_t kept = 0;
    for (const Entry& entry : beyond_) {
      if (is_stale(entry.distance, entry.vertex)) continue;
      if (entry.distance < horizon) {
        near_.push_back(entry);
      } else {
        least_ = std::min(least_, entry.distance);
        beyond_[kept++] = entry;
      }
    }
    beyond_.resize(kept);
  }
  /// The next vertex nearer than the horizon that is not stale; -1 if there is none: then the round is over.
  template <class IsStale>
  Local take(IsStale&& is_stale) {
    while (taken_ < near_.size()) {
      const Entry entry = near_[taken_++];
      if (!is_stale(entry.distance, entry.vertex)) return entry.vertex;
    }
    horizon_ = 0;
    return -1;
  }
  void clear() {
    near_.clear();
    beyond_.clear();
    taken_ = 0;
    least_ = far_;
    horizon_ = 0;
  }

 private:
  struct Entry {
    Sum distance;
    Local vertex;
  };
  const Sum far_;
  Sum least_, horizon_;
  std::vector<Entry> near_, beyond_;
  std::size_t taken_ = 0;
};

}  // namespace atl
